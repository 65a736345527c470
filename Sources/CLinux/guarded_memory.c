#define _GNU_SOURCE
#include "guarded_memory.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { word_count = 4, slots_per_word = 64, pattern = 0xA5, heap_alignment = 16, heap_slot = -2 };

struct slot {
  char *pages; /* the kept page and its guard; NULL for none. Only the owner of the slot uses it. */
  /* The guard of the block with the note; 0 for none. Written last and cleared first, for the handler. */
  _Atomic uint64_t guard;
  struct linux_guarded_argument argument;
};

static struct slot slots[word_count * slots_per_word];
/* A bit for each slot that is taken. */
static _Atomic uint64_t taken[word_count];

static size_t page(void) { return (size_t)getpagesize(); }

static int32_t take_slot(void) {
  for (int word = 0; word < word_count; word++) {
    uint64_t others = atomic_load_explicit(&taken[word], memory_order_relaxed);
    while (~others) {
      uint64_t bit = ~others & (others + 1);
      others = atomic_fetch_or_explicit(&taken[word], bit, memory_order_acquire);
      if (!(others & bit)) return word * slots_per_word + __builtin_ctzll(bit);
    }
  }
  return -1;
}

static void return_slot(int32_t slot) {
  uint64_t bit = UINT64_C(1) << slot % slots_per_word;
  atomic_fetch_and_explicit(&taken[slot / slots_per_word], ~bit, memory_order_release);
}

/* Maps pages and a guard behind them. */
static char *map(size_t size) {
  char *pages = mmap(NULL, size + page(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) return NULL;
  if (mprotect(pages + size, page(), PROT_NONE) == 0) return pages;
  munmap(pages, size + page());
  return NULL;
}

static char *end(const struct linux_guarded_memory *memory) { return memory->pages + memory->page_size; }

/* Without a guard: a process has at most some 65,000 mappings. */
static bool allocate_on_heap(struct linux_guarded_memory *memory, size_t size) {
  size_t whole = (size + 2 * heap_alignment) / heap_alignment * heap_alignment;
  char *data = aligned_alloc(heap_alignment, whole);
  if (!data) return false;
  *memory = (struct linux_guarded_memory){data, size, data, whole, heap_slot};
  memset(data, 0, size);
  memset(data + size, pattern, whole - size);
  return true;
}

bool linux_guarded_allocate(struct linux_guarded_memory *memory, size_t size, size_t alignment) {
  size_t page_size;
  if (__builtin_add_overflow(size, page() - 1, &page_size) || page_size > PTRDIFF_MAX - page()) return false;
  page_size = page_size < page() ? page() : page_size / page() * page();
  int32_t slot = take_slot();
  if (slot < 0 && size < page() && alignment <= heap_alignment) return allocate_on_heap(memory, size);
  bool is_small = slot >= 0 && page_size == page();
  char *pages = is_small && slots[slot].pages ? slots[slot].pages : map(page_size);
  if (!pages) {
    if (slot >= 0) return_slot(slot);
    return false;
  }
  if (is_small) slots[slot].pages = pages;
  char *data = pages + (page_size - size) / alignment * alignment;
  *memory = (struct linux_guarded_memory){data, size, pages, page_size, slot};
  if (is_small) memset(data, 0, size);
  memset(data + size, pattern, (size_t)(end(memory) - data) - size);
  return true;
}

void linux_guarded_free(const struct linux_guarded_memory *memory) {
  if (memory->slot == heap_slot) return free(memory->pages);
  bool is_kept = false;
  if (memory->slot >= 0) {
    struct slot *slot = &slots[memory->slot];
    atomic_store_explicit(&slot->guard, 0, memory_order_relaxed);
    is_kept = slot->pages == memory->pages;
  }
  if (!is_kept) munmap(memory->pages, memory->page_size + page());
  if (memory->slot >= 0) return_slot(memory->slot);
}

void linux_guarded_note(const struct linux_guarded_memory *memory, uint64_t function, uint32_t position, const char *name) {
  if (memory->slot < 0) return;
  struct slot *slot = &slots[memory->slot];
  slot->argument = (struct linux_guarded_argument){.function = function, .size = memory->size, .position = position};
  if (name) strncpy(slot->argument.name, name, sizeof slot->argument.name - 1);
  atomic_store_explicit(&slot->guard, (uint64_t)(uintptr_t)end(memory), memory_order_release);
}

bool linux_guarded_is_overrun(const struct linux_guarded_memory *memory) {
  for (const unsigned char *byte = (unsigned char *)memory->data + memory->size; byte < (unsigned char *)end(memory); byte++) {
    if (*byte != pattern) return true;
  }
  return false;
}

bool linux_guarded_find(uint64_t address, struct linux_guarded_argument *argument) {
  for (size_t index = 0; index < sizeof slots / sizeof *slots; index++) {
    uint64_t guard = atomic_load_explicit(&slots[index].guard, memory_order_acquire);
    if (guard == 0 || address < guard || address - guard >= page()) continue;
    *argument = slots[index].argument;
    /* Another thread may have reused the slot meanwhile. */
    argument->name[sizeof argument->name - 1] = 0;
    return true;
  }
  return false;
}
