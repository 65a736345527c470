/*
 * Failing allocations for one library. In C since the loader's tables are C structs, and since a replaced function must not allocate.
 */
#ifndef TROUPE_VALIDATION_H
#define TROUPE_VALIDATION_H

/*
 * Makes an allocation of a library fail: malloc, calloc, realloc, reallocarray, aligned_alloc, strdup and strndup, as the library itself
 * calls them. The allocation with the number `index`, counted from 0, fails, and the later ones succeed. The functions are replaced in
 * the library's table of imports, so that the rest of the process is not affected.
 *
 * Returns the number of imports that were replaced, or 0 if the library is not open or allocates no memory. Not thread-safe.
 */
int validation_fail_allocation(const char *library, int index);

/* Ends that. Returns whether the allocation with the index was reached. The imports stay replaced. */
int validation_stop_failing(void);

#endif
