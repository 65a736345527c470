secret=s123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef01234567
text=$(printf 'x%.0s' {1..300})
XXH3_64bits_reset_withSeed() {
  call XXH3_createState --then XXH3_64bits_reset_withSeed '$1' 7 --then XXH3_64bits_update '$1' $text 300 --then XXH3_64bits_digest '$1'
}
XXH3_64bits_reset() {
  call XXH3_createState --then XXH3_64bits_reset '$1' --then XXH3_64bits_update '$1' $text 300 --then XXH3_64bits_digest '$1'
}
XXH_versionNumber() { call XXH_versionNumber; }
XXH3_64bits_reset_withSecret() {
  call XXH3_createState --then XXH3_64bits_reset_withSecret '$1' $secret 136 --then XXH3_64bits_update '$1' $text 300 \
    --then XXH3_64bits_digest '$1'
}
XXH64_hashFromCanonical() { call XXH64_hashFromCanonical '{"digest": [1, 2, 3, 4, 5, 6, 7, 8]}'; }
XXH3_128bits() { call XXH3_128bits abc 3 | value; }
XXH32() { call XXH32 abc 3 9; }
XXH64_copyState() {
  call XXH64_createState --then XXH64_createState --then XXH64_reset '$1' 5 --then XXH64_update '$1' $text 300 \
    --then XXH64_copyState '$2' '$1' --then XXH64_digest '$2'
}
XXH32_canonicalFromHash() { call XXH32_canonicalFromHash '{"bytes": 4}' 123456789 | value; }
XXH128_cmp() {
  call XXH128_cmp AAAAAAAAAAAAAAAA BBBBBBBBAAAAAAAA
  call XXH128_cmp BBBBBBBBAAAAAAAA AAAAAAAAAAAAAAAA
}
XXH64_update() {
  update="XXH64_createState --then XXH64_reset \$1 0 --then XXH64_update \$1 $text 300"
  call $update
  call $update --then XXH64_digest '$1'
}
XXH3_128bits_reset_withSeed() {
  call XXH3_createState --then XXH3_128bits_reset_withSeed '$1' 7 --then XXH3_128bits_update '$1' $text 300 \
    --then XXH3_128bits_digest '$1' | value
}
XXH3_64bits_digest() { call XXH3_createState --then XXH3_64bits_reset '$1' --then XXH3_64bits_digest '$1'; }
XXH3_copyState() {
  call XXH3_createState --then XXH3_createState --then XXH3_64bits_reset '$1' --then XXH3_64bits_update '$1' $text 300 \
    --then XXH3_copyState '$2' '$1' --then XXH3_64bits_digest '$2'
}
XXH3_128bits_update() {
  call XXH3_createState --then XXH3_128bits_reset '$1' --then XXH3_128bits_update '$1' $text 300 --then XXH3_128bits_update '$1' abc 3 \
    --then XXH3_128bits_digest '$1' | value
}
XXH3_128bits_reset_withSecret() {
  call XXH3_createState --then XXH3_128bits_reset_withSecret '$1' $secret 136 --then XXH3_128bits_update '$1' $text 300 \
    --then XXH3_128bits_digest '$1' | value
}
XXH32_reset() {
  call XXH32_createState --then XXH32_reset '$1' 3
  call XXH32_createState --then XXH32_reset '$1' 3 --then XXH32_digest '$1'
}
XXH32_digest() { call XXH32_createState --then XXH32_reset '$1' 3 --then XXH32_update '$1' abc 3 --then XXH32_digest '$1'; }
XXH32_update() {
  update="XXH32_createState --then XXH32_reset \$1 3 --then XXH32_update \$1 abc 3 --then XXH32_update \$1 $text 300"
  call $update
  call $update --then XXH32_digest '$1'
}
XXH64_freeState() { call XXH64_createState --then XXH64_freeState '$1'; }
