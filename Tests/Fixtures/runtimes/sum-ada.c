/* Starts the runtime of Ada when the library is loaded, since the program is not in Ada. */
void sumsinit(void);

__attribute__((constructor)) static void start(void) { sumsinit(); }
