/* A function that exists only in a hidden version, and one that has a newer version. */
__asm__(".symver removed_1, removed@V1");
__asm__(".symver changed_1, changed@V1");
__asm__(".symver changed_2, changed@@V2");

void removed_1(void) {}
void changed_1(void) {}
void changed_2(void) {}
