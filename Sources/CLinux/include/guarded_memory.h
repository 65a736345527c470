/*
 * Memory that ends at an inaccessible page, so that C that goes too far crashes, with a note of what the memory is for:
 *
 *    [ … | data | slack ][ guard ]     pages; the slack is as small as the alignment of the data allows
 *
 * The slack has a pattern, by which an overrun that does not reach the guard is found afterwards. The note tells a handler of signals
 * whose memory it was.
 *
 * A block of at most a page is taken from a slot. A slot keeps its pages when the block is freed, so that the next block costs no
 * system call: 50 ns instead of 3 µs. All other memory is mapped and unmapped. The slots of a process have at most 256 pages.
 * While all slots are taken, such a block is on the heap, without a guard: a process has at most some 65,000 mappings.
 */
#ifndef TROUPE_GUARDED_MEMORY_H
#define TROUPE_GUARDED_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

struct linux_guarded_memory {
  void *_Nullable data; /* zero at first */
  size_t size;
  char *_Nullable pages;
  size_t page_size; /* of all pages in front of the guard */
  int32_t slot;     /* -1 for none, -2 on the heap */
};

/* What memory is for: an argument of a function. */
struct linux_guarded_argument {
  uint64_t function; /* its address */
  uint64_t size;     /* of the memory */
  uint32_t position; /* from 1; 0 for none */
  char name[44];     /* the begin of the parameter's name, with a zero behind it; empty for none */
};

/* Returns false if the system has no memory. The alignment is a power of two up to the size of a page. */
bool linux_guarded_allocate(struct linux_guarded_memory *memory, size_t size, size_t alignment);

void linux_guarded_free(const struct linux_guarded_memory *memory);

/* Says what the memory is for. Has no effect without a slot. */
void linux_guarded_note(const struct linux_guarded_memory *memory, uint64_t function, uint32_t position, const char *_Nullable name);

/* Whether something has written to the slack. */
bool linux_guarded_is_overrun(const struct linux_guarded_memory *memory);

/* Finds the memory in front of a guard by an address in the guard. Async-signal-safe. Returns false if there is none with a note. */
bool linux_guarded_find(uint64_t address, struct linux_guarded_argument *argument);

#pragma clang assume_nonnull end

#endif /* TROUPE_GUARDED_MEMORY_H */
