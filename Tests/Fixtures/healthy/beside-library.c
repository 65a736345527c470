/* A library that lies beside the plugin beside.c, which needs it. */
__attribute__((visibility("default"))) int beside(void) { return 42; }
