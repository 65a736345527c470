// header: xxhash.h
// package: libxxhash
#include <xxhash.h>

#include "drawn.h"

static const char secret[] =
  "s123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef01234567";
static char text[301];

static void print(XXH128_hash_t hash) { printf("%llu %llu\n", (unsigned long long)hash.low64, (unsigned long long)hash.high64); }

int main(void) {
  memset(text, 'x', 300);
  XXH3_state_t *state = XXH3_createState();
  drawn(XXH3_64bits_reset_withSeed) {
    XXH3_64bits_reset_withSeed(state, 7);
    XXH3_64bits_update(state, text, 300);
    printf("%llu\n", (unsigned long long)XXH3_64bits_digest(state));
  }
  drawn(XXH3_64bits_reset) {
    XXH3_64bits_reset(state);
    XXH3_64bits_update(state, text, 300);
    printf("%llu\n", (unsigned long long)XXH3_64bits_digest(state));
  }
  drawn(XXH_versionNumber) printf("%u\n", XXH_versionNumber());
  drawn(XXH3_64bits_reset_withSecret) {
    XXH3_64bits_reset_withSecret(state, secret, 136);
    XXH3_64bits_update(state, text, 300);
    printf("%llu\n", (unsigned long long)XXH3_64bits_digest(state));
  }
  drawn(XXH64_hashFromCanonical)
    printf("%llu\n", (unsigned long long)XXH64_hashFromCanonical(&(XXH64_canonical_t){{1, 2, 3, 4, 5, 6, 7, 8}}));
  drawn(XXH3_128bits) print(XXH3_128bits("abc", 3));
  drawn(XXH32) printf("%u\n", XXH32("abc", 3, 9));
  drawn(XXH64_copyState) {
    XXH64_state_t *first = XXH64_createState(), *second = XXH64_createState();
    XXH64_reset(first, 5);
    XXH64_update(first, text, 300);
    XXH64_copyState(second, first);
    printf("%llu\n", (unsigned long long)XXH64_digest(second));
  }
  drawn(XXH32_canonicalFromHash) {
    XXH32_canonical_t canonical;
    XXH32_canonicalFromHash(&canonical, 123456789);
    hex(&canonical, 4);
  }
  drawn(XXH128_cmp) {
    unsigned long long hashes[2][2] = {{0x4141414141414141, 0x4141414141414141}, {0x4242424242424242, 0x4141414141414141}};
    printf("%d\n", XXH128_cmp(hashes[0], hashes[1]));
    printf("%d\n", XXH128_cmp(hashes[1], hashes[0]));
  }
  drawn(XXH64_update) {
    XXH64_state_t *state = XXH64_createState();
    XXH64_reset(state, 0);
    puts(XXH64_update(state, text, 300) == XXH_OK ? "XXH_OK" : "XXH_ERROR");
    printf("%llu\n", (unsigned long long)XXH64_digest(state));
  }
  drawn(XXH3_128bits_reset_withSeed) {
    XXH3_128bits_reset_withSeed(state, 7);
    XXH3_128bits_update(state, text, 300);
    print(XXH3_128bits_digest(state));
  }
  drawn(XXH3_64bits_digest) {
    XXH3_64bits_reset(state);
    printf("%llu\n", (unsigned long long)XXH3_64bits_digest(state));
  }
  drawn(XXH3_copyState) {
    XXH3_state_t *copy = XXH3_createState();
    XXH3_64bits_update(state, text, 300);
    XXH3_copyState(copy, state);
    printf("%llu\n", (unsigned long long)XXH3_64bits_digest(copy));
  }
  drawn(XXH3_128bits_update) {
    XXH3_128bits_reset(state);
    XXH3_128bits_update(state, text, 300);
    XXH3_128bits_update(state, "abc", 3);
    print(XXH3_128bits_digest(state));
  }
  drawn(XXH3_128bits_reset_withSecret) {
    XXH3_128bits_reset_withSecret(state, secret, 136);
    XXH3_128bits_update(state, text, 300);
    print(XXH3_128bits_digest(state));
  }
  XXH32_state_t *state32 = XXH32_createState();
  drawn(XXH32_reset) {
    puts(XXH32_reset(state32, 3) == XXH_OK ? "XXH_OK" : "XXH_ERROR");
    printf("%u\n", XXH32_digest(state32));
  }
  drawn(XXH32_digest) {
    XXH32_update(state32, "abc", 3);
    printf("%u\n", XXH32_digest(state32));
  }
  drawn(XXH32_update) {
    puts(XXH32_update(state32, text, 300) == XXH_OK ? "XXH_OK" : "XXH_ERROR");
    printf("%u\n", XXH32_digest(state32));
  }
  drawn(XXH64_freeState) puts(XXH64_freeState(XXH64_createState()) == XXH_OK ? "XXH_OK" : "XXH_ERROR");
}
