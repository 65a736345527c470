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

/* open(2) for Dispatch, with the own name of the file that has the state of a thread. */
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

/* Replaces an address, whose page may be read-only since the library was loaded. */
static void replace(ElfW(Addr) *slot) {
  uintptr_t page = (uintptr_t)getpagesize(), start = (uintptr_t)slot & ~(page - 1);
  if (mprotect((void *)start, page, PROT_READ | PROT_WRITE) == 0) *slot = (ElfW(Addr))(uintptr_t)open_thread_state;
}

/* Replaces open(2) in the library with an address, and ends the search there. */
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
  struct { const ElfW(Rela) *start; size_t size; } tables[2] = {0};
  for (; dynamic->d_tag != DT_NULL; dynamic++) {
    /* The loader has made the addresses absolute. */
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

void troupe_redirect_dispatch(void) {
  Dl_info information;
  void *function = dlsym(RTLD_DEFAULT, "dispatch_async_f");
  if (function && dladdr(function, &information)) dl_iterate_phdr(replace_in, information.dli_fbase);
}
