/* Functions of the system that Swift's Glibc module does not show. */
#include <sys/xattr.h>
