/*
 * A plugin with a function `call_LETTER`, which returns NUMBER, and a function `apply_LETTER`, which takes a callback. Its constructor
 * appends the letter to the file LOADS of the environment. LETTER and NUMBER are macros.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <troupe.h>
#include <unistd.h>

#define TEXT_(name) #name
#define TEXT(name) TEXT_(name)

TROUPE_PLUGIN("org.example." LETTER, LETTER, "1.0.0")

__attribute__((constructor)) static void load(void) {
  int file = open(getenv("LOADS"), O_WRONLY | O_APPEND | O_CREAT, 0600);
  (void)!write(file, LETTER, 1);
  close(file);
}

static int call(void) { return NUMBER; }
static int apply(int (*function)(void)) { return function(); }

static const char *const tags[] = {"number"};
static const troupe_factory factories[] = {
  TROUPE_FACTORY("9b1e0000-0000-4000-8000-00000000010" TEXT(NUMBER), "call_" LETTER, tags, int, call, (void)),
  TROUPE_FACTORY("9b1e0000-0000-4000-8000-00000000020" TEXT(NUMBER), "apply_" LETTER, tags, int, apply, (int (*function)(void))),
};

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  troupe_status status = registrar->register_factory(registrar, &factories[0]);
  return status == TROUPE_OK ? registrar->register_factory(registrar, &factories[1]) : status;
}
