/*
 * Redirects the calls of open(2) in libdispatch.so. policy.h says why a worker has to.
 *
 * A library calls open(2) through a slot of its global offset table, which the loader has filled with the address in the C library. This
 * file reads the relocations of the library again, and puts the address of open_thread_state into each slot of the symbol `open`. The slots
 * of other libraries stay as they are, so that a plugin sees no difference.
 */
#define _GNU_SOURCE
#include "policy.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* open(2) for Dispatch, but /proc/TID/stat of a thread of this process is opened as /proc/self/task/TID/stat. */
static int open_thread_state(const char *path, int flags, ...) {
  mode_t mode = 0;
  if (flags & O_CREAT) {
    va_list arguments;
    va_start(arguments, flags);
    mode = va_arg(arguments, mode_t);
    va_end(arguments);
  }
  int thread, end = 0;
  if (sscanf(path, "/proc/%d/stat%n", &thread, &end) == 1 && end > 0 && path[end] == 0) {
    char own[64];
    snprintf(own, sizeof own, "/proc/self/task/%d/stat", thread);
    int descriptor = open(own, flags, mode);
    if (descriptor >= 0) return descriptor;
  }
  return open(path, flags, mode);
}

/*
 * Replaces the address in a slot. The loader has made its page read-only if the library was linked with -z relro. The page is writable
 * afterwards. Leaves the slot unchanged if the kernel refuses that.
 */
static void replace(ElfW(Addr) *slot) {
  uintptr_t page = (uintptr_t)getpagesize(), start = (uintptr_t)slot & ~(page - 1);
  if (mprotect((void *)start, page, PROT_READ | PROT_WRITE) == 0) *slot = (ElfW(Addr))(uintptr_t)open_thread_state;
}

/* A callback of dl_iterate_phdr(3): replaces open(2) in the library at a base address, and returns 1 there to end the iteration. */
static int replace_in(struct dl_phdr_info *information, size_t size, void *base) {
  (void)size;
  if ((void *)information->dlpi_addr != base) return 0;
  const ElfW(Dyn) *dynamic = NULL;
  for (int index = 0; index < information->dlpi_phnum; index++) {
    const ElfW(Phdr) *header = &information->dlpi_phdr[index];
    if (header->p_type == PT_DYNAMIC) dynamic = (const ElfW(Dyn) *)(information->dlpi_addr + header->p_vaddr);
  }
  if (!dynamic) return 1;
  const ElfW(Sym) *symbols = NULL;
  const char *names = NULL;
  /* The relocations of functions, and those of data, among which are the calls of a library without a procedure linkage table. */
  struct { const ElfW(Rela) *start; size_t size; } tables[2] = {0};
  for (; dynamic->d_tag != DT_NULL; dynamic++) {
    /* The C library's loader has made these addresses absolute. */
    void *address = (void *)dynamic->d_un.d_ptr;
    switch (dynamic->d_tag) {
      case DT_SYMTAB: symbols = address; break;
      case DT_STRTAB: names = address; break;
      case DT_JMPREL: tables[0].start = address; break;
      case DT_PLTRELSZ: tables[0].size = dynamic->d_un.d_val; break;
      case DT_RELA: tables[1].start = address; break;
      case DT_RELASZ: tables[1].size = dynamic->d_un.d_val; break;
    }
  }
  if (!symbols || !names) return 1;
  for (int table = 0; table < 2; table++) {
    size_t count = tables[table].start ? tables[table].size / sizeof(ElfW(Rela)) : 0;
    for (size_t index = 0; index < count; index++) {
      const ElfW(Rela) *entry = &tables[table].start[index];
      const ElfW(Sym) *symbol = &symbols[ELF64_R_SYM(entry->r_info)];
      if (symbol->st_shndx != SHN_UNDEF || strcmp(names + symbol->st_name, "open") != 0) continue;
      replace((ElfW(Addr) *)(information->dlpi_addr + entry->r_offset));
    }
  }
  return 1;
}

bool troupe_is_main_thread(void) { return gettid() == getpid(); }

void troupe_redirect_dispatch(void) {
  Dl_info information;
  void *function = dlsym(RTLD_DEFAULT, "dispatch_async_f");
  if (function && dladdr(function, &information)) dl_iterate_phdr(replace_in, information.dli_fbase);
}
