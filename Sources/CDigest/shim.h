/* libmd's SHA-1 and SHA-256 for Swift. */
#include <sys/types.h>
#include <stdint.h>
#include <sha1.h>
#include <sha2.h>
