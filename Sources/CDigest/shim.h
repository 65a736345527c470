/* libmd's SHA-256 for Swift. */
#include <sys/types.h>
#include <stdint.h>
#include <sha2.h>
