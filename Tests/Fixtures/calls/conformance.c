/*
 * The functions that the functions of the conformance suite use. The suite defines MARK, the mark of memory that the caller releases, and
 * TEXTS(prefix), the texts of its table as literals with a prefix.
 */
void hash(uint64_t *state, const void *bytes, size_t size) {
  for (size_t i = 0; i < size; i++) *state = (*state ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3u;
}
void hash_text(uint64_t *state, const char *text) {
  if (text) hash(state, text, strlen(text) + 1); else hash(state, "\xff", 1);
}
static uint64_t next(uint64_t *state) {
  uint64_t z = *state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}
void fill(uint64_t *state, void *bytes, size_t size) {
  uint64_t word = next(state);
  memcpy(bytes, &word, size);
}
bool fill_bool(uint64_t *state) { return next(state) & 1; }
const char *fill_text(uint64_t *state) {
  static const char *const texts[] = {
    TEXTS()
  };
  return texts[next(state) % 5];
}
void fill_long(uint64_t *state, void *bytes) {
  uint64_t significand = next(state) | (uint64_t)1 << 63, bits = next(state);
  uint16_t exponent = (uint16_t)(bits % 32766 + 1 + (bits >> 63 << 15));
  memcpy(bytes, &significand, 8);
  memcpy((char *)bytes + 8, &exponent, 2);
}
size_t fill_count(uint64_t *state, size_t limit) { return next(state) % limit; }

/* Text of 16 or 32 bits. */
void hash_wide(uint64_t *state, const void *text, size_t size) {
  if (!text) { hash(state, "\xff", 1); return; }
  const char *end = text;
  while (memcmp(end, "\0\0\0", size)) end += size;
  hash(state, text, end + size - (const char *)text);
}
const void *fill_wide(uint64_t *state, size_t size) {
  static const char16_t *const narrow[] = { TEXTS(u) };
  static const char32_t *const wide[] = { TEXTS(U) };
  return size == 2 ? (const void *)narrow[next(state) % 5] : wide[next(state) % 5];
}

/* Borrowed memory, which later functions use again. */
void *borrow(size_t size) {
  static _Thread_local _Alignas(16) char pool[1 << 20];
  static _Thread_local size_t used;
  size = (size + 15) & ~(size_t)15;
  if (used + size > sizeof pool) used = 0;
  used += size;
  return memset(pool + used - size, 0, size);
}

/* Memory that the caller releases, behind a mark. */
size_t remaining, mistakes;
void *own(size_t size) {
  uint64_t *memory = calloc(1, size + 16);
  memory[0] = MARK;
  remaining++;
  return memory + 2;
}
void release(void *memory) {
  uint64_t *start = (uint64_t *)memory - 2;
  if (start[0] != MARK) { mistakes++; return; }
  start[0] = 0;
  remaining--;
  free(start);
}
char *own_text(uint64_t *state) {
  const char *text = fill_text(state);
  return text ? strcpy(own(strlen(text) + 1), text) : NULL;
}
void *own_wide(uint64_t *state, size_t size) {
  const char *text = fill_wide(state, size), *end = text;
  if (!text) return NULL;
  while (memcmp(end, "\0\0\0", size)) end += size;
  return memcpy(own(end + size - text), text, end + size - text);
}

/* A handle has a mark and a number, and keeps an argument: a value with a function that hashes it, or bytes. */
struct object {
  uint64_t mark, number;
  const void *kept;
  size_t size;
  hasher hash;
};
void hash_handle(uint64_t *state, const void *handle) {
  const struct object *object = handle;
  if (object && object->mark != MARK) mistakes++;
  if (object) hash(state, &object->number, 8); else hash(state, "\xff", 1);
}
void *fill_handle(uint64_t *state, void *(*allocate)(size_t)) {
  struct object *object = allocate(sizeof *object);
  object->mark = MARK;
  object->number = next(state);
  return object;
}
void *make_handle(uint64_t state) { return fill_handle(&state, own); }
void release_handle(void *handle) {
  ((struct object *)handle)->mark = 0;
  release(handle);
}

void keep(void *handle, const void *kept, size_t size, hasher hash) {
  struct object *object = handle;
  object->kept = kept;
  object->size = size;
  object->hash = hash;
}
uint64_t hash_kept(const void *handle) {
  const struct object *object = handle;
  BEGIN
  if (!object->kept) hash(state, "\xff", 1);
  else if (object->hash) object->hash(state, object->kept);
  else hash(state, object->kept, object->size);
  return *state;
}

int target0(int x) { return x; }
int target1(int x) { return x + 1; }
target fill_target(uint64_t *state) { return next(state) % 2 ? target1 : target0; }

const char *failure_text(int number) {
  static char text[32];
  snprintf(text, sizeof text, "failure %d", number);
  return text;
}
const char *last_failure(void) { return "last failure"; }
