// header: sodium.h
// package: libsodium
#include <sodium.h>

#include "drawn.h"

int main(void) {
  const unsigned char *seed = (const unsigned char *)"01234567890123456789012345678901", *text = (const unsigned char *)"abc";
  drawn(crypto_stream_primitive) puts(crypto_stream_primitive());
  drawn(crypto_pwhash_scryptsalsa208sha256_memlimit_interactive)
    printf("%zu\n", crypto_pwhash_scryptsalsa208sha256_memlimit_interactive());
  drawn(crypto_aead_xchacha20poly1305_ietf_messagebytes_max) printf("%zu\n", crypto_aead_xchacha20poly1305_ietf_messagebytes_max());
  drawn(crypto_secretbox_xsalsa20poly1305_noncebytes) printf("%zu\n", crypto_secretbox_xsalsa20poly1305_noncebytes());
  unsigned char pk[32], sk[32];
  drawn(crypto_kx_seed_keypair) { crypto_kx_seed_keypair(pk, sk, seed); hex(pk, 32); hex(sk, 32); }
  drawn(crypto_pwhash_opslimit_max) printf("%zu\n", crypto_pwhash_opslimit_max());
  drawn(crypto_box_curve25519xsalsa20poly1305_open) {
    unsigned char nonce[24] = {0}, padded[35] = {0}, box[35], opened[35];
    memcpy(padded + 32, "abc", 3);
    crypto_box_seed_keypair(pk, sk, seed);
    crypto_box_curve25519xsalsa20poly1305(box, padded, 35, nonce, pk, sk);
    printf("%d\n", crypto_box_curve25519xsalsa20poly1305_open(opened, box, 35, nonce, pk, sk));
    hex(opened, 35);
  }
  drawn(crypto_pwhash_argon2i_opslimit_max) printf("%zu\n", crypto_pwhash_argon2i_opslimit_max());
  drawn(crypto_sign_final_create) {
    unsigned char signKey[64], signature[64];
    unsigned long long length;
    crypto_sign_state state;
    crypto_sign_seed_keypair(pk, signKey, seed);
    crypto_sign_init(&state);
    crypto_sign_update(&state, text, 3);
    crypto_sign_final_create(&state, signature, &length, signKey);
    hex(signature, 64);
    printf("%llu\n", length);
  }
  unsigned char digest[64];
  drawn(crypto_hash_sha512_update) {
    crypto_hash_sha512_state state;
    crypto_hash_sha512_init(&state);
    crypto_hash_sha512_update(&state, text, 3);
    crypto_hash_sha512_final(&state, digest);
    hex(digest, 64);
  }
  drawn(crypto_pwhash_argon2id_memlimit_sensitive) printf("%zu\n", crypto_pwhash_argon2id_memlimit_sensitive());
  drawn(crypto_pwhash_argon2id_str_verify) {
    const char *hash = "$argon2id$v=19$m=8,t=1,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
    printf("%d\n", crypto_pwhash_argon2id_str_verify(hash, "abc", 3));
    char made[128] = {0};
    crypto_pwhash_argon2id_str(made, "abc", 3, 1, 8192);
    printf("%d\n", crypto_pwhash_argon2id_str_verify(made, "abc", 3));
  }
  drawn(crypto_box_curve25519xchacha20poly1305_beforenmbytes)
    printf("%zu\n", crypto_box_curve25519xchacha20poly1305_beforenmbytes());
  drawn(crypto_auth_hmacsha256_verify) {
    crypto_auth_hmacsha256(digest, text, 3, seed);
    printf("%d\n", crypto_auth_hmacsha256_verify(digest, text, 3, seed));
    printf("%d\n", crypto_auth_hmacsha256_verify(digest, text, 2, seed));
  }
  drawn(crypto_core_ed25519_bytes) printf("%zu\n", crypto_core_ed25519_bytes());
  drawn(crypto_hash_sha256_final) {
    crypto_hash_sha256_state state;
    crypto_hash_sha256_init(&state);
    crypto_hash_sha256_update(&state, text, 3);
    crypto_hash_sha256_final(&state, digest);
    hex(digest, 32);
  }
  drawn(crypto_scalarmult_ristretto255_scalarbytes) printf("%zu\n", crypto_scalarmult_ristretto255_scalarbytes());
  drawn(crypto_core_salsa20_outputbytes) printf("%zu\n", crypto_core_salsa20_outputbytes());
  drawn(crypto_core_salsa2012_inputbytes) printf("%zu\n", crypto_core_salsa2012_inputbytes());
  drawn(crypto_secretbox_macbytes) printf("%zu\n", crypto_secretbox_macbytes());
}
