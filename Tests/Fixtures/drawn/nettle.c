// header: nettle/aes.h nettle/arcfour.h nettle/arctwo.h nettle/asn1.h nettle/base16.h nettle/base64.h nettle/bignum.h nettle/blowfish.h nettle/buffer.h nettle/camellia.h nettle/cast128.h nettle/cbc.h nettle/ccm.h nettle/cfb.h nettle/chacha-poly1305.h nettle/chacha.h nettle/cmac.h nettle/ctr.h nettle/curve25519.h nettle/curve448.h nettle/des.h nettle/dsa-compat.h nettle/dsa.h nettle/eax.h nettle/ecc-curve.h nettle/ecc.h nettle/ecdsa.h nettle/eddsa.h nettle/gcm.h nettle/gosthash94.h nettle/hkdf.h nettle/hmac.h nettle/knuth-lfib.h nettle/macros.h nettle/md2.h nettle/md4.h nettle/md5-compat.h nettle/md5.h nettle/memops.h nettle/memxor.h nettle/nettle-meta.h nettle/nettle-types.h nettle/nist-keywrap.h nettle/pbkdf2.h nettle/pkcs1.h nettle/poly1305.h nettle/pss-mgf1.h nettle/pss.h nettle/realloc.h nettle/ripemd160.h nettle/rsa.h nettle/salsa20.h nettle/serpent.h nettle/sexp.h nettle/sha.h nettle/sha1.h nettle/sha2.h nettle/sha3.h nettle/siv-cmac.h nettle/sm3.h nettle/streebog.h nettle/twofish.h nettle/umac.h nettle/xts.h nettle/yarrow.h
// package: nettle
#include <nettle/aes.h>
#include <nettle/base64.h>
#include <nettle/cbc.h>
#include <nettle/ccm.h>
#include <nettle/chacha-poly1305.h>
#include <nettle/des.h>
#include <nettle/eax.h>
#include <nettle/gcm.h>
#include <nettle/hmac.h>
#include <nettle/md4.h>
#include <nettle/pbkdf2.h>
#include <nettle/salsa20.h>
#include <nettle/sha2.h>
#include <nettle/siv-cmac.h>
#include <nettle/umac.h>
#include <nettle/yarrow.h>

#include "callbacks.h"
#include "drawn.h"

int main(void) {
  const uint8_t *key = (const uint8_t *)"a123456789abcdef0123456789abcdef", *text = (const uint8_t *)"some text to use";
  uint8_t out[64] = {0}, back[64] = {0};
  drawn(nettle_eax_update) {
    struct eax_key eaxKey;
    struct eax_ctx eax;
    eax_set_key(&eaxKey, key, xor_key);
    eax_set_nonce(&eax, &eaxKey, key, xor_key, 16, key);
    eax_update(&eax, &eaxKey, key, xor_key, 16, text);
    eax_digest(&eax, &eaxKey, key, xor_key, 16, out);
    hex(out, 16);
  }
  drawn(nettle_salsa20_128_set_key) {
    struct salsa20_ctx context;
    salsa20_128_set_key(&context, key);
    salsa20_set_nonce(&context, key);
    salsa20_crypt(&context, 16, out, text);
    hex(out, 16);
  }
  drawn(nettle_ccm_aes256_decrypt_message) {
    struct ccm_aes256_ctx context;
    ccm_aes256_set_key(&context, key);
    ccm_aes256_encrypt_message(&context, 12, key, 3, text, 8, 24, out, text);
    printf("%d\n", ccm_aes256_decrypt_message(&context, 12, key, 3, text, 8, 16, back, out));
    hex(back, 16);
  }
  drawn(nettle_aes_set_encrypt_key) {
    struct aes_ctx context;
    aes_set_encrypt_key(&context, 24, key);
    aes_encrypt(&context, 16, out, text);
    hex(out, 16);
  }
  drawn(nettle_chacha_poly1305_digest) {
    struct chacha_poly1305_ctx context;
    chacha_poly1305_set_key(&context, key);
    chacha_poly1305_set_nonce(&context, key);
    chacha_poly1305_encrypt(&context, 16, back, text);
    chacha_poly1305_digest(&context, 16, out);
    hex(out, 16);
  }
  drawn(nettle_umac96_update) {
    struct umac96_ctx context;
    umac96_set_key(&context, key);
    umac96_update(&context, 16, text);
    umac96_digest(&context, 12, out);
    hex(out, 12);
  }
  drawn(nettle_siv_cmac_set_key) {
    struct nettle_cipher cipher = {"xor", 16, 16, 16, copy_key, copy_key, xor_key, xor_key};
    struct cmac128_key cmacKey;
    uint8_t cmacCipher[16], ctrCipher[16];
    siv_cmac_set_key(&cmacKey, cmacCipher, ctrCipher, &cipher, key);
    hex(&cmacKey, 32);
    hex(ctrCipher, 16);
  }
  drawn(nettle_gcm_camellia256_digest) {
    struct gcm_camellia256_ctx context;
    gcm_camellia256_set_key(&context, key);
    gcm_camellia256_set_iv(&context, 12, key);
    gcm_camellia256_encrypt(&context, 16, back, text);
    gcm_camellia256_digest(&context, 16, out);
    hex(out, 16);
  }
  drawn(nettle_md4_digest) {
    struct md4_ctx context;
    md4_init(&context);
    md4_update(&context, 3, text);
    md4_digest(&context, 16, out);
    hex(out, 16);
  }
  drawn(nettle_hmac_sha256_digest) {
    struct hmac_sha256_ctx context;
    hmac_sha256_set_key(&context, 16, key);
    hmac_sha256_update(&context, 3, text);
    hmac_sha256_digest(&context, 32, out);
    hex(out, 32);
  }
  drawn(nettle_yarrow_key_event_init) {
    struct yarrow_key_event_ctx context;
    yarrow_key_event_init(&context);
    hex(&context, sizeof context);
    printf("%u\n", yarrow_key_event_estimate(&context, 65, 100));
  }
  drawn(nettle_pbkdf2_hmac_gosthash94cp) {
    pbkdf2_hmac_gosthash94cp(16, key, 3, 4, text, 32, out);
    hex(out, 32);
  }
  drawn(nettle_base64url_encode_init) {
    struct base64_encode_ctx context;
    char text[8] = "";
    base64url_encode_init(&context);
    base64_encode_update(&context, text, 3, (const uint8_t *)"\xfb\xff\xff");
    puts(text);
  }
  drawn(nettle_des_set_key) {
    struct des_ctx context;
    printf("%d\n", des_set_key(&context, key));
    des_encrypt(&context, 16, out, text);
    hex(out, 16);
  }
  drawn(nettle_umac32_set_nonce) {
    struct umac32_ctx context;
    umac32_set_key(&context, key);
    umac32_set_nonce(&context, 8, key);
    umac32_update(&context, 16, text);
    umac32_digest(&context, 4, out);
    hex(out, 4);
  }
  drawn(nettle_ccm_aes256_decrypt) {
    struct ccm_aes256_ctx context;
    ccm_aes256_set_key(&context, key);
    ccm_aes256_set_nonce(&context, 12, key, 0, 16, 8);
    ccm_aes256_decrypt(&context, 16, out, text);
    hex(out, 16);
  }
  drawn(nettle_cbc_encrypt) {
    uint8_t iv[16] = {0};
    cbc_encrypt(key, xor_key, 16, iv, 16, out, text);
    hex(out, 16);
    hex(iv, 16);
  }
  drawn(nettle_sha512_256_digest) {
    struct sha512_ctx context;
    sha512_256_init(&context);
    sha512_update(&context, 3, text);
    sha512_256_digest(&context, 32, out);
    hex(out, 32);
  }
  drawn(nettle_siv_cmac_aes256_encrypt_message) {
    struct siv_cmac_aes256_ctx context;
    siv_cmac_aes256_set_key(&context, (const uint8_t *)"a123456789abcdef0123456789abcdefa123456789abcdef0123456789abcdef");
    siv_cmac_aes256_encrypt_message(&context, 16, key, 3, text, 32, out, text);
    hex(out, 32);
  }
  drawn(nettle_sha224_init) {
    struct sha256_ctx context;
    sha224_init(&context);
    sha256_update(&context, 3, text);
    sha224_digest(&context, 28, out);
    hex(out, 28);
  }
}
