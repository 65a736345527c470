/*
 * Failing allocations for one library. In C since the loader's tables are C structs, and since a replaced function must not allocate.
 */
#ifndef TROUPE_VALIDATION_H
#define TROUPE_VALIDATION_H

/*
 * Makes one allocation of a library fail: a call of malloc, calloc, realloc, reallocarray, aligned_alloc, strdup or strndup in the
 * library itself. The allocation with the number `index`, counted from 0, fails, and later ones succeed. The functions are replaced in
 * the library's table of imports, so that the rest of the process is not affected.
 *
 * Returns the number of replaced imports, or 0 if the library is not open or allocates no memory. Not thread-safe.
 */
int validation_fail_allocation(const char *library, int index);

/* Lets all allocations succeed again. Returns whether the allocation with the index was reached. The imports stay replaced. */
int validation_stop_failing(void);

#endif
