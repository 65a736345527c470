/* A plugin with the statement STATEMENT in a function that is never called, for the functions that leave code behind. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <troupe.h>

TROUPE_PLUGIN("org.example.cause", "Cause", "1.0.0")

pthread_key_t key;
pthread_t thread;

void *run(void *unused) { return unused; }
void handle(int number) { (void)number; }
void end(void) {}
void never(void) { STATEMENT }

TROUPE_EXPORT int troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  return TROUPE_OK;
}
