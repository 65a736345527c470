/*
 * The functions of Linux and glibc that Swift's module Glibc does not declare, since they need _GNU_SOURCE, and the functions of
 * sys/xattr.h, a header that the module does not include. Each wrapper returns values whose types Swift can import.
 */
#ifndef TROUPE_LINUX_H
#define TROUPE_LINUX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/xattr.h>

#pragma clang assume_nonnull begin

/* Returns an environment variable, or NULL if it is not set or the process runs with more rights than its user (secure_getenv(3)). */
const char *_Nullable linux_secure_getenv(const char *name);

/* Returns true if the process runs with more rights than its user (`AT_SECURE` of getauxval(3)). */
bool linux_is_secure(void);

/* Returns the name of an error number, such as "EACCES", or NULL (strerrorname_np(3)). */
const char *_Nullable linux_error_name(int code);

/*
 * Returns the descriptor of an empty file in memory that can be sealed and may hold code, or -1 with errno (memfd_create(2)).
 * Linux before 6.3 lacks MFD_EXEC and behaves as if it were set.
 */
int linux_memfd_create(const char *name);

/* Makes the content and size of a file in memory constant. Returns 0, or -1 with errno (F_ADD_SEALS). */
int linux_add_seals(int descriptor);

/* Makes a pipe whose two ends close in an executed program. Returns 0, or -1 with errno (pipe2(2)). */
int linux_pipe2(int *ends);

/* Deallocates a range of a memfd, which then reads as zeros (FALLOC_FL_PUNCH_HOLE). */
void linux_punch_hole(int descriptor, ptrdiff_t offset, ptrdiff_t count);

/* Kills the calling process when the thread that started it, of the process `parent`, ends or has ended (PR_SET_PDEATHSIG). */
void linux_set_parent_death_signal(pid_t parent);

/*
 * Lowers the soft limit of a resource of another process, such as RLIMIT_CPU. A lower limit stays. Returns 0, or -1 with errno
 * (prlimit(2)).
 */
int linux_prlimit(pid_t process, int resource, uint64_t value);

/* `O_PATH` of open(2), and `F_SETLEASE` and `F_SETSIG` of fcntl(2). */
extern const int linux_o_path;
extern const int linux_f_setlease;
extern const int linux_f_setsig;

/* `ST_NOEXEC` of statvfs(3). */
extern const unsigned long linux_st_noexec;

/* An open library, as dl_iterate_phdr(3) describes it. */
struct linux_image {
  /* The path that the loader opened it under first; empty for the program. Valid until the library is closed. */
  const char *path;
  /* The number of libraries that the loader has ever opened. */
  uint64_t additions;
  /* PT_GNU_STACK has PF_X. */
  bool has_executable_stack;
};

/* Calls a function with each open library until it returns false. The loader holds its lock meanwhile. */
void linux_for_each_image(bool (*body)(const struct linux_image *image, void *context), void *context);

/*
 * Stores the path that the loader opened a library under first, and an address in the library. Both are valid until the library is
 * closed. Returns false if the loader does not know the handle (RTLD_DI_LINKMAP of dlinfo(3)).
 */
bool linux_image_of_handle(void *handle, const char *_Nullable *_Nonnull path, const void *_Nullable *_Nonnull address);

/* Returns the path of the loader, as the program names it, or NULL in a static program (AT_BASE of getauxval(3)). */
const char *_Nullable linux_loader_path(void);

/* Returns true if a library with this name or path is open (RTLD_NOLOAD of dlopen(3)). */
bool linux_is_open(const char *library);

/* Returns the version of the C library, such as "2.36" (gnu_get_libc_version(3)). */
const char *linux_c_library_version(void);

/* Returns the message of the last failed dlopen(3) of this thread in English, whatever the program's locale is, or NULL (dlerror(3)). */
const char *_Nullable linux_loader_error(void);

/*
 * Returns the build id (NT_GNU_BUILD_ID) in the memory of the open library that contains an address, or NULL if it has none. The memory
 * is valid until the library is closed.
 */
const void *_Nullable linux_build_id(const void *address, size_t *count);

/* Returns the path of the library that contains an address, or NULL (dladdr(3)). */
const char *_Nullable linux_image_path(const void *address);

/* Returns the name of the exported function or variable that contains an address, or NULL (dladdr(3)). */
const char *_Nullable linux_symbol_name(const void *address);

/*
 * Calls a function with each directory that the loader searches for what an open library needs, or the program if that is NULL, in
 * order (RTLD_DI_SERINFO of dlinfo(3)). An empty text is the current directory. Opens no file.
 */
void linux_for_each_search_directory(
    const char *_Nullable library, void (*body)(const char *directory, void *context), void *context);

/* Returns the bytes of all live allocations of malloc(3), in all threads (mallinfo2(3)). */
ptrdiff_t linux_heap_in_use(void);

/*
 * Writes the text that C and Fortran buffer for standard output. Gives up after a tenth of a second if a thread holds the stream of C, as
 * one does that waits in a read or write of it: fflush(3) would wait for that thread.
 */
void linux_flush_stdout(void);

/* Lets C write its text for standard output at the end of each line (setvbuf(3)). */
void linux_buffer_output_lines(void);

/* Returns true if the bytes contain a part (memmem(3)). */
bool linux_contains(const void *bytes, size_t count, const void *part, size_t part_count);

/* Returns a nonblocking eventfd, or -1 with errno (eventfd(2)). */
int linux_eventfd(void);

/* Returns true on the thread that loaded this library, as a rule the main thread (gettid(2)). */
bool linux_is_loading_thread(void);

#pragma clang assume_nonnull end

#endif
