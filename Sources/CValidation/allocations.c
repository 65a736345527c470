#define _GNU_SOURCE
#include "validation.h"

#include <errno.h>
#include <dlfcn.h>
#include <link.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* The number of allocations until the failing one; negative for none. */
static atomic_int left = -1;
static atomic_int is_reached;

static int fails(void) {
  if (atomic_load(&left) < 0 || atomic_fetch_sub(&left, 1) != 0) return 0;
  atomic_store(&is_reached, 1);
  errno = ENOMEM;
  return 1;
}

static void *checked_malloc(size_t size) { return fails() ? NULL : malloc(size); }
static void *checked_calloc(size_t count, size_t size) { return fails() ? NULL : calloc(count, size); }
static void *checked_realloc(void *memory, size_t size) { return fails() ? NULL : realloc(memory, size); }
static void *checked_reallocarray(void *memory, size_t count, size_t size) {
  return fails() ? NULL : reallocarray(memory, count, size);
}
static void *checked_aligned_alloc(size_t alignment, size_t size) { return fails() ? NULL : aligned_alloc(alignment, size); }
static char *checked_strdup(const char *text) { return fails() ? NULL : strdup(text); }
static char *checked_strndup(const char *text, size_t size) { return fails() ? NULL : strndup(text, size); }

static const struct replacement {
  const char *name;
  void *function;
} replacements[] = {
  {"malloc", checked_malloc},
  {"calloc", checked_calloc},
  {"realloc", checked_realloc},
  {"reallocarray", checked_reallocarray},
  {"aligned_alloc", checked_aligned_alloc},
  {"strdup", checked_strdup},
  {"strndup", checked_strndup},
};

/* Returns whether a relocation stores the address of a function, as for calls through the table of imports. */
static int is_import(uint64_t type) {
#if defined(__x86_64__)
  return type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT;
#elif defined(__aarch64__)
  return type == R_AARCH64_JUMP_SLOT || type == R_AARCH64_GLOB_DAT;
#else
  return type == R_RISCV_JUMP_SLOT || type == R_RISCV_64;
#endif
}

static int store(void **slot, void *function) {
  if (*slot == function) return 1;
  uintptr_t size = (uintptr_t)sysconf(_SC_PAGESIZE), page = (uintptr_t)slot & ~(size - 1);
  /* The loader has made the table constant (RELRO). */
  if (mprotect((void *)page, size, PROT_READ | PROT_WRITE) != 0) return 0;
  *slot = function;
  return 1;
}

static int replace(const struct link_map *map, const ElfW(Rela) *table, size_t size, const ElfW(Sym) *symbols, const char *names) {
  int count = 0;
  for (size_t index = 0; table && index < size / sizeof *table; index++) {
    if (!is_import(ELF64_R_TYPE(table[index].r_info))) continue;
    const char *name = names + symbols[ELF64_R_SYM(table[index].r_info)].st_name;
    for (size_t number = 0; number < sizeof replacements / sizeof *replacements; number++) {
      if (strcmp(name, replacements[number].name) != 0) continue;
      count += store((void **)(map->l_addr + table[index].r_offset), replacements[number].function);
    }
  }
  return count;
}

/* Replaces the imports of a library, whose dynamic section has absolute addresses. */
static int replace_imports(const struct link_map *map) {
  const ElfW(Rela) *calls = NULL, *data = NULL;
  size_t calls_size = 0, data_size = 0;
  const ElfW(Sym) *symbols = NULL;
  const char *names = NULL;
  for (const ElfW(Dyn) *entry = map->l_ld; entry->d_tag != DT_NULL; entry++) {
    switch (entry->d_tag) {
      case DT_JMPREL: calls = (const void *)entry->d_un.d_ptr; break;
      case DT_PLTRELSZ: calls_size = entry->d_un.d_val; break;
      case DT_RELA: data = (const void *)entry->d_un.d_ptr; break;
      case DT_RELASZ: data_size = entry->d_un.d_val; break;
      case DT_SYMTAB: symbols = (const void *)entry->d_un.d_ptr; break;
      case DT_STRTAB: names = (const void *)entry->d_un.d_ptr; break;
      default: break;
    }
  }
  if (!symbols || !names) return 0;
  return replace(map, calls, calls_size, symbols, names) + replace(map, data, data_size, symbols, names);
}

int validation_fail_allocation(const char *library, int index) {
  void *handle = dlopen(library, RTLD_NOW | RTLD_NOLOAD);
  if (!handle) return 0;
  struct link_map *map = NULL;
  int count = dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && map ? replace_imports(map) : 0;
  dlclose(handle);
  atomic_store(&is_reached, 0);
  atomic_store(&left, count > 0 ? index : -1);
  return count;
}

int validation_stop_failing(void) {
  atomic_store(&left, -1);
  return atomic_load(&is_reached);
}
