// header: opus/opus.h
// package: opus
#include <opus.h>
#include <stdio.h>
int main(void) {
  int error;
  OpusDecoder *decoder = opus_decoder_create(48000, 1, &error);
  const unsigned char packet[] = {8, 0, 0, 0, 0};
  opus_int16 samples[960];
  printf("%d\n", error);
  printf("%d\n", opus_decode(decoder, packet, 5, samples, 960, 0));
}
