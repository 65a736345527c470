// header: stdio.h tiff.h tiffio.h
// package: libtiff-4
#include <tiffio.h>

#include "drawn.h"

// Opens a file for an image of 2 by 2 gray pixels.
static TIFF *create(const char *name) {
  TIFF *tiff = TIFFOpen(name, "w");
  TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, 2);
  TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, 2);
  TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, 8);
  TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK);
  TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, 1);
  return tiff;
}

static void print_file(const char *name) {
  unsigned char bytes[400];
  FILE *file = fopen(name, "rb");
  hex(bytes, fread(bytes, 1, 400, file));
  fclose(file);
}

int main(void) {
  TIFF *tiff = create("image.tif");
  TIFFWriteEncodedStrip(tiff, 0, "ab", 2);
  TIFFWriteEncodedStrip(tiff, 1, "cd", 2);
  TIFFClose(tiff);
  tiff = TIFFOpen("image.tif", "r");
  drawn(TIFFDeferStrileArrayWriting) {
    TIFF *tiff = create("deferred.tif");
    printf("%d\n", TIFFDeferStrileArrayWriting(tiff));
    TIFFWriteEncodedStrip(tiff, 0, "ab", 2);
    TIFFClose(tiff);
    print_file("deferred.tif");
  }
  drawn(TIFFSetWriteOffset) {
    TIFF *tiff = create("offset.tif");
    TIFFWriteEncodedStrip(tiff, 0, "ab", 2);
    TIFFSetWriteOffset(tiff, 8);
    TIFFWriteEncodedStrip(tiff, 1, "cd", 2);
    TIFFClose(tiff);
    print_file("offset.tif");
  }
  drawn(TIFFReadBufferSetup) {
    unsigned char buffer[1024], data[2];
    printf("%d\n", TIFFReadBufferSetup(tiff, buffer, 1024));
    printf("%d\n", (int)TIFFReadEncodedStrip(tiff, 0, data, 2));
    hex(data, 2);
  }
  drawn(TIFFDataWidth) printf("%d %d\n", TIFFDataWidth(TIFF_RATIONAL), TIFFDataWidth(TIFF_SHORT));
  drawn(TIFFGetMode) printf("%d %d\n", TIFFGetMode(tiff), TIFFGetMode(create("mode.tif")));
  drawn(TIFFFreeDirectory) {
    TIFF *tiff = TIFFOpen("image.tif", "r");
    TIFFFreeDirectory(tiff);
    uint32_t width;
    printf("%d\n", TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, &width));
  }
  drawn(TIFFReadRGBAImage) {
    uint32_t raster[4];
    printf("%d\n", TIFFReadRGBAImage(TIFFOpen("image.tif", "r"), 2, 2, raster, 0));
    printf("%u %u %u %u\n", raster[0], raster[1], raster[2], raster[3]);
  }
  drawn(TIFFSwabShort) {
    uint16_t number = 258;
    TIFFSwabShort(&number);
    printf("%d\n", number);
  }
  drawn(TIFFOpenOptionsAlloc) {
    TIFFOpenOptions *options = TIFFOpenOptionsAlloc();
    TIFFOpenOptionsSetMaxSingleMemAlloc(options, 1000000);
    printf("%d\n", (int)TIFFScanlineSize(TIFFOpenExt("image.tif", "r", options)));
  }
  drawn(TIFFGetClientInfo) {
    TIFFSetClientInfo(tiff, "some", "name");
    hex(TIFFGetClientInfo(tiff, "name"), 4);
    puts(TIFFGetClientInfo(tiff, "none") == NULL ? "null" : "data");
  }
  drawn(TIFFSwabLong) {
    uint32_t number = 258;
    TIFFSwabLong(&number);
    printf("%u\n", number);
  }
  drawn(TIFFMergeFieldInfo) {
    TIFF *tiff = TIFFOpen("image.tif", "r");
    TIFFFieldInfo info = {65000, 1, 1, TIFF_LONG, FIELD_CUSTOM, 1, 0, "Mine"};
    printf("%d\n", TIFFMergeFieldInfo(tiff, &info, 1));
    printf("%u\n", TIFFFieldTag(TIFFFieldWithName(tiff, "Mine")));
  }
  drawn(TIFFPrintDirectory) {
    FILE *file = fopen("printed", "w");
    TIFFPrintDirectory(tiff, file, TIFFPRINT_STRIPS);
    fclose(file);
    fflush(stdout);
    system("cat printed");
  }
  drawn(TIFFComputeStrip) printf("%u\n", TIFFComputeStrip(tiff, 1, 0));
  drawn(TIFFGetBitRevTable) hex(TIFFGetBitRevTable(1), 16);
  drawn(TIFFFieldWriteCount) printf("%d\n", TIFFFieldWriteCount(TIFFFieldWithTag(tiff, TIFFTAG_DOTRANGE)));
  drawn(TIFFFindCODEC) {
    puts(TIFFFindCODEC(COMPRESSION_LZW)->name);
    puts(TIFFFindCODEC(12345) == NULL ? "null" : "a codec");
  }
  drawn(TIFFSetErrorHandler) {
    puts(TIFFSetErrorHandler(NULL) == NULL ? "null" : "a function");
    puts(TIFFSetErrorHandler(NULL) == NULL ? "null" : "a function");
  }
  drawn(TIFFClientdata) {
    TIFF *tiff = TIFFOpen("image.tif", "r");
    TIFFSetClientdata(tiff, "some");
    hex(TIFFClientdata(tiff), 4);
  }
  drawn(TIFFLastDirectory) printf("%d\n", TIFFLastDirectory(tiff));
}
