key=a123456789abcdef0123456789abcdef
text='some text to use'
nettle_eax_update() {
  call nettle_eax_set_key '{"bytes": 32}' $key xor_key --then nettle_eax_set_nonce '{"bytes": 64}' '$1.key' $key xor_key 16 $key \
    --then nettle_eax_update '$2.eax' '$1.key' $key xor_key 16 "$text" \
    --then nettle_eax_digest '$2.eax' '$1.key' $key xor_key 16 '{"bytes": 16}' | value
}
nettle_salsa20_128_set_key() {
  call nettle_salsa20_128_set_key '{"bytes": 64}' $key --then nettle_salsa20_set_nonce '$1.ctx' $key \
    --then nettle_salsa20_crypt '$1.ctx' 16 '{"bytes": 16}' "$text" | value
}
nettle_ccm_aes256_decrypt_message() {
  message=$(call nettle_ccm_aes256_set_key '{"bytes": 280}' $key \
    --then nettle_ccm_aes256_encrypt_message '$1.ctx' 12 $key 3 "$text" 8 24 '{"bytes": 24}' "$text" \
    --then nettle_ccm_aes256_decrypt_message '$1.ctx' 12 $key 3 "$text" 8 16 '{"bytes": 16}' '$2.dst')
  value result <<< "$message"
  value dst <<< "$message"
}
nettle_aes_set_encrypt_key() {
  call nettle_aes_set_encrypt_key '{"bytes": 244}' 24 $key --then nettle_aes_encrypt '$1.ctx' 16 '{"bytes": 16}' "$text" | value
}
nettle_chacha_poly1305_digest() {
  call nettle_chacha_poly1305_set_key '{"bytes": 176}' $key --then nettle_chacha_poly1305_set_nonce '$1.ctx' $key \
    --then nettle_chacha_poly1305_encrypt '$1.ctx' 16 '{"bytes": 16}' "$text" \
    --then nettle_chacha_poly1305_digest '$1.ctx' 16 '{"bytes": 16}' | value
}
nettle_umac96_update() {
  call nettle_umac96_set_key '{"bytes": 2640}' $key --then nettle_umac96_update '$1.ctx' 16 "$text" \
    --then nettle_umac96_digest '$1.ctx' 12 '{"bytes": 12}' | value
}
nettle_siv_cmac_set_key() {
  cipher='{"name": "xor", "context_size": 16, "block_size": 16, "key_size": 16, "set_encrypt_key": "copy_key", "set_decrypt_key": "copy_key",
    "encrypt": "xor_key", "decrypt": "xor_key"}'
  keys=$(call nettle_siv_cmac_set_key '{"bytes": 32}' '{"bytes": 16}' '{"bytes": 16}' "$cipher" $key)
  call nettle_siv_cmac_set_key '{"bytes": 32}' '{"bytes": 16}' '{"bytes": 16}' "$cipher" $key \
    --then memcpy '{"bytes": 32}' '$1.cmac_key' 32 | value dest
  value ctr_cipher <<< "$keys"
}
nettle_gcm_camellia256_digest() {
  call nettle_gcm_camellia256_set_key '{"bytes": 4416}' $key --then nettle_gcm_camellia256_set_iv '$1.ctx' 12 $key \
    --then nettle_gcm_camellia256_encrypt '$1.ctx' 16 '{"bytes": 16}' "$text" \
    --then nettle_gcm_camellia256_digest '$1.ctx' 16 '{"bytes": 16}' | value
}
nettle_md4_digest() {
  call nettle_md4_init '{"bytes": 96}' --then nettle_md4_update '$1.ctx' 3 "$text" \
    --then nettle_md4_digest '$1.ctx' 16 '{"bytes": 16}' | value
}
nettle_hmac_sha256_digest() {
  call nettle_hmac_sha256_set_key '{"bytes": 336}' 16 $key --then nettle_hmac_sha256_update '$1.ctx' 3 "$text" \
    --then nettle_hmac_sha256_digest '$1.ctx' 32 '{"bytes": 32}' | value
}
nettle_yarrow_key_event_init() {
  call nettle_yarrow_key_event_init '{"bytes": 72}' --then memcpy '{"bytes": 72}' '$1.ctx' 72 | value dest
  call nettle_yarrow_key_event_init '{"bytes": 72}' --then nettle_yarrow_key_event_estimate '$1.ctx' 65 100
}
nettle_pbkdf2_hmac_gosthash94cp() { call nettle_pbkdf2_hmac_gosthash94cp 16 $key 3 4 "$text" 32 '{"bytes": 32}' | value; }
nettle_base64url_encode_init() {
  call malloc 16 --then nettle_base64url_encode_init '$1' --then nettle_base64_encode_update '$1' '{"bytes": 8}' 3 '{"base64": "+///"}' | value dst
}
nettle_des_set_key() {
  call nettle_des_set_key '{"bytes": 128}' $key | value result
  call nettle_des_set_key '{"bytes": 128}' $key --then nettle_des_encrypt '$1.ctx' 16 '{"bytes": 16}' "$text" | value
}
nettle_umac32_set_nonce() {
  call nettle_umac32_set_key '{"bytes": 2392}' $key --then nettle_umac32_set_nonce '$1.ctx' 8 $key \
    --then nettle_umac32_update '$1.ctx' 16 "$text" --then nettle_umac32_digest '$1.ctx' 4 '{"bytes": 4}' | value
}
nettle_ccm_aes256_decrypt() {
  call nettle_ccm_aes256_set_key '{"bytes": 280}' $key --then nettle_ccm_aes256_set_nonce '$1.ctx' 12 $key 0 16 8 \
    --then nettle_ccm_aes256_decrypt '$1.ctx' 16 '{"bytes": 16}' "$text" | value
}
nettle_cbc_encrypt() {
  encrypted=$(call nettle_cbc_encrypt $key xor_key 16 '{"bytes": 16}' 16 '{"bytes": 16}' "$text")
  value dst <<< "$encrypted"
  value iv <<< "$encrypted"
}
nettle_sha512_256_digest() {
  call nettle_sha512_256_init '{"bytes": 216}' --then nettle_sha512_update '$1.ctx' 3 "$text" \
    --then nettle_sha512_256_digest '$1.ctx' 32 '{"bytes": 32}' | value
}
nettle_siv_cmac_aes256_encrypt_message() {
  call nettle_siv_cmac_aes256_set_key '{"bytes": 512}' $key$key \
    --then nettle_siv_cmac_aes256_encrypt_message '$1.ctx' 16 $key 3 "$text" 32 '{"bytes": 32}' "$text" | value
}
nettle_sha224_init() {
  call nettle_sha224_init '{"bytes": 112}' --then nettle_sha256_update '$1.ctx' 3 "$text" \
    --then nettle_sha224_digest '$1.ctx' 28 '{"bytes": 28}' | value
}
