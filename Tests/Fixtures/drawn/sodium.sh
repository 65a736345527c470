seed=01234567890123456789012345678901
crypto_stream_primitive() { call crypto_stream_primitive; }
crypto_pwhash_scryptsalsa208sha256_memlimit_interactive() { call crypto_pwhash_scryptsalsa208sha256_memlimit_interactive; }
crypto_aead_xchacha20poly1305_ietf_messagebytes_max() { call crypto_aead_xchacha20poly1305_ietf_messagebytes_max; }
crypto_secretbox_xsalsa20poly1305_noncebytes() { call crypto_secretbox_xsalsa20poly1305_noncebytes; }
crypto_kx_seed_keypair() {
  keys=$(call crypto_kx_seed_keypair '{"bytes": 32}' '{"bytes": 32}' $seed)
  value pk <<< "$keys"
  value sk <<< "$keys"
}
crypto_pwhash_opslimit_max() { call crypto_pwhash_opslimit_max; }
crypto_box_curve25519xsalsa20poly1305_open() {
  opened=$(call crypto_box_seed_keypair '{"bytes": 32}' '{"bytes": 32}' $seed \
    --then crypto_box_curve25519xsalsa20poly1305 '{"bytes": 35}' '{"base64": "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAABhYmM="}' 35 '{"bytes": 24}' '$1.pk' '$1.sk' \
    --then crypto_box_curve25519xsalsa20poly1305_open '{"bytes": 35}' '$2.c' 35 '{"bytes": 24}' '$1.pk' '$1.sk')
  value result <<< "$opened"
  value m <<< "$opened"
}
crypto_pwhash_argon2i_opslimit_max() { call crypto_pwhash_argon2i_opslimit_max; }
crypto_sign_final_create() {
  signature=$(call crypto_sign_seed_keypair '{"bytes": 32}' '{"bytes": 64}' $seed --then crypto_sign_init '{"bytes": 208}' \
    --then crypto_sign_update '$2.state' abc 3 --then crypto_sign_final_create '$2.state' '{"bytes": 64}' '[0]' '$1.sk')
  value sig <<< "$signature"
  value siglen_p <<< "$signature"
}
crypto_hash_sha512_update() {
  call crypto_hash_sha512_init '{"bytes": 208}' --then crypto_hash_sha512_update '$1.state' abc 3 \
    --then crypto_hash_sha512_final '$1.state' '{"bytes": 64}' | value out
}
crypto_pwhash_argon2id_memlimit_sensitive() { call crypto_pwhash_argon2id_memlimit_sensitive; }
crypto_pwhash_argon2id_str_verify() {
  call crypto_pwhash_argon2id_str_verify '$$argon2id$v=19$m=8,t=1,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA' abc 3
  call crypto_pwhash_argon2id_str '{"bytes": 128}' abc 3 1 8192 --then crypto_pwhash_argon2id_str_verify '$1.out' abc 3
}
crypto_box_curve25519xchacha20poly1305_beforenmbytes() { call crypto_box_curve25519xchacha20poly1305_beforenmbytes; }
crypto_auth_hmacsha256_verify() {
  call crypto_auth_hmacsha256 '{"bytes": 32}' abc 3 $seed --then crypto_auth_hmacsha256_verify '$1.out' abc 3 $seed
  call crypto_auth_hmacsha256 '{"bytes": 32}' abc 3 $seed --then crypto_auth_hmacsha256_verify '$1.out' abc 2 $seed
}
crypto_core_ed25519_bytes() { call crypto_core_ed25519_bytes; }
crypto_hash_sha256_final() {
  call crypto_hash_sha256_init '{"bytes": 104}' --then crypto_hash_sha256_update '$1.state' abc 3 \
    --then crypto_hash_sha256_final '$1.state' '{"bytes": 32}' | value out
}
crypto_scalarmult_ristretto255_scalarbytes() { call crypto_scalarmult_ristretto255_scalarbytes; }
crypto_core_salsa20_outputbytes() { call crypto_core_salsa20_outputbytes; }
crypto_core_salsa2012_inputbytes() { call crypto_core_salsa2012_inputbytes; }
crypto_secretbox_macbytes() { call crypto_secretbox_macbytes; }
