#define _GNU_SOURCE
#include "linux.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <gnu/libc-version.h>
#include <link.h>
#include <locale.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* Since Linux 6.3, newer than the headers of Debian 12. */
#ifndef MFD_EXEC
#define MFD_EXEC 0x0010U
#endif

const char *linux_secure_getenv(const char *name) { return secure_getenv(name); }

bool linux_is_secure(void) { return getauxval(AT_SECURE) != 0; }

const char *linux_error_name(int code) { return strerrorname_np(code); }

int linux_memfd_create(const char *name) {
  int descriptor = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_EXEC);
  if (descriptor < 0 && errno == EINVAL) descriptor = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
  return descriptor;
}

int linux_add_seals(int descriptor) {
  return fcntl(descriptor, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE);
}

int linux_prlimit(pid_t process, int resource, uint64_t value) {
  struct rlimit limits;
  if (prlimit(process, resource, NULL, &limits) != 0) return -1;
  if (value < limits.rlim_cur) limits.rlim_cur = value;
  return prlimit(process, resource, &limits, NULL);
}

const int linux_o_path = O_PATH;
const int linux_f_setlease = F_SETLEASE;
const int linux_f_setsig = F_SETSIG;
const unsigned long linux_st_noexec = ST_NOEXEC;

struct visit {
  bool (*body)(const struct linux_image *, void *);
  void *context;
};

static int visit_image(struct dl_phdr_info *information, size_t size, void *context) {
  const struct visit *visit = context;
  struct linux_image image = {.path = information->dlpi_name ? information->dlpi_name : ""};
  /* Older loaders pass a shorter struct. */
  if (size >= offsetof(struct dl_phdr_info, dlpi_adds) + sizeof information->dlpi_adds) image.additions = information->dlpi_adds;
  for (int index = 0; index < information->dlpi_phnum; index++) {
    const ElfW(Phdr) *segment = &information->dlpi_phdr[index];
    if (segment->p_type == PT_GNU_STACK && segment->p_flags & PF_X) image.has_executable_stack = true;
  }
  return !visit->body(&image, visit->context);
}

void linux_for_each_image(bool (*body)(const struct linux_image *, void *), void *context) {
  struct visit visit = {body, context};
  dl_iterate_phdr(visit_image, &visit);
}

bool linux_image_of_handle(void *handle, const char **path, const void **address) {
  struct link_map *map = NULL;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0 || !map || !map->l_ld) return false;
  *path = map->l_name ? map->l_name : "";
  *address = map->l_ld;
  return true;
}

const char *linux_loader_path(void) {
  const void *loader = (const void *)getauxval(AT_BASE);
  return loader == NULL ? NULL : linux_image_path(loader);
}

bool linux_is_open(const char *library) {
  void *handle = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
  if (handle != NULL) dlclose(handle);
  return handle != NULL;
}

const char *linux_c_library_version(void) { return gnu_get_libc_version(); }

const char *linux_loader_error(void) {
  locale_t english = newlocale(LC_ALL_MASK, "C", NULL);
  locale_t previous = english ? uselocale(english) : NULL;
  const char *message = dlerror();
  if (previous) uselocale(previous);
  if (english) freelocale(english);
  return message;
}

struct build_id {
  uintptr_t address;
  const void *bytes;
  size_t count;
};

static int find_build_id(struct dl_phdr_info *information, size_t size, void *context) {
  (void)size;
  struct build_id *wanted = context;
  bool is_wanted = false;
  for (int index = 0; index < information->dlpi_phnum; index++) {
    const ElfW(Phdr) *segment = &information->dlpi_phdr[index];
    uintptr_t start = information->dlpi_addr + segment->p_vaddr;
    if (segment->p_type == PT_LOAD && wanted->address - start < segment->p_memsz) is_wanted = true;
  }
  if (!is_wanted) return 0;
  for (int index = 0; index < information->dlpi_phnum; index++) {
    const ElfW(Phdr) *segment = &information->dlpi_phdr[index];
    if (segment->p_type != PT_NOTE) continue;
    const char *notes = (const char *)information->dlpi_addr + segment->p_vaddr;
    size_t padding = segment->p_align == 8 ? 8 : 4;
    for (size_t position = 0; position + sizeof(ElfW(Nhdr)) <= segment->p_memsz;) {
      const ElfW(Nhdr) *note = (const ElfW(Nhdr) *)(notes + position);
      size_t content = (position + sizeof *note + note->n_namesz + padding - 1) & ~(padding - 1);
      if (content + note->n_descsz > segment->p_memsz) break;
      if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 && memcmp(note + 1, "GNU", 4) == 0) {
        wanted->bytes = notes + content;
        wanted->count = note->n_descsz;
        return 1;
      }
      position = (content + note->n_descsz + padding - 1) & ~(padding - 1);
    }
  }
  return 1;
}

const void *linux_build_id(const void *address, size_t *count) {
  struct build_id wanted = {.address = (uintptr_t)address};
  dl_iterate_phdr(find_build_id, &wanted);
  *count = wanted.count;
  return wanted.bytes;
}

const char *linux_image_path(const void *address) {
  Dl_info information;
  return dladdr(address, &information) != 0 ? information.dli_fname : NULL;
}

const char *linux_symbol_name(const void *address) {
  Dl_info information;
  return dladdr(address, &information) != 0 ? information.dli_sname : NULL;
}

void linux_for_each_search_directory(const char *library, void (*body)(const char *, void *), void *context) {
  void *user = dlopen(library, library ? RTLD_LAZY | RTLD_NOLOAD : RTLD_NOW);
  if (!user) return;
  Dl_serinfo header;
  Dl_serinfo *directories = NULL;
  if (dlinfo(user, RTLD_DI_SERINFOSIZE, &header) == 0) directories = calloc(1, header.dls_size);
  /* The second call expects the size and the count in the memory that it fills. */
  if (directories && dlinfo(user, RTLD_DI_SERINFOSIZE, directories) == 0
      && dlinfo(user, RTLD_DI_SERINFO, directories) == 0) {
    for (unsigned index = 0; index < directories->dls_cnt; index++) {
      if (directories->dls_serpath[index].dls_name) body(directories->dls_serpath[index].dls_name, context);
    }
  }
  free(directories);
  dlclose(user);
}

ptrdiff_t linux_heap_in_use(void) {
  struct mallinfo2 information = mallinfo2();
  return (ptrdiff_t)(information.uordblks + information.hblkhd);
}

/* Writes what the library of Fortran has buffered for standard output, as the statement FLUSH does. */
static void flush_fortran(void) {
  void *library = dlopen("libgfortran.so.5", RTLD_LAZY | RTLD_NOLOAD);
  if (!library) return;
  void (*flush)(int *) = (void (*)(int *))dlsym(library, "_gfortran_flush_i4");
  int standard_output = 6;
  if (flush) flush(&standard_output);
  dlclose(library);
}

void linux_flush_stdout(void) {
  flush_fortran();
  for (int attempt = 0; attempt < 100; attempt++) {
    if (ftrylockfile(stdout) == 0) {
      fflush_unlocked(stdout);
      funlockfile(stdout);
      return;
    }
    usleep(1000);
  }
}

bool linux_contains(const void *bytes, size_t count, const void *part, size_t part_count) {
  return memmem(bytes, count, part, part_count) != NULL;
}

int linux_eventfd(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

static pid_t loading_thread;

__attribute__((constructor)) static void note_thread(void) { loading_thread = gettid(); }

bool linux_is_loading_thread(void) { return gettid() == loading_thread; }

void linux_punch_hole(int descriptor, ptrdiff_t offset, ptrdiff_t count) {
  fallocate(descriptor, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, offset, count);
}

void linux_set_parent_death_signal(pid_t parent) {
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent) _exit(71);
}

int linux_pipe2(int *ends) { return pipe2(ends, O_CLOEXEC); }

void linux_buffer_output_lines(void) { setvbuf(stdout, NULL, _IOLBF, 0); }
