/* A library in the folder of the plugin beside.c, which links it. */
__attribute__((visibility("default"))) int beside(void) { return 42; }
