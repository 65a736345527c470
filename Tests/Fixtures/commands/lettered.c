/*
 * A plugin with a function `call_LETTER`, which returns NUMBER, a function `apply_LETTER`, which takes a callback, and a function
 * `perform_LETTER`, which takes one as a member. Its constructor appends the letter to the file LOADS of the environment. LETTER and NUMBER are macros.
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

struct operation {
  int (*function)(void);
};
static int perform(const struct operation *operation) { return operation->function(); }

static const char *const tags[] = {"number"};
static const troupe_factory factories[] = {
  TROUPE_FACTORY("9b1e0000-0000-4000-8000-00000000010" TEXT(NUMBER), "call_" LETTER, tags, int, call, (void)),
  TROUPE_FACTORY("9b1e0000-0000-4000-8000-00000000020" TEXT(NUMBER), "apply_" LETTER, tags, int, apply, (int (*function)(void))),
};

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  troupe_factory operation = factories[1];
  operation.uuid = "9b1e0000-0000-4000-8000-00000000030" TEXT(NUMBER);
  operation.name = "perform_" LETTER;
  operation.signature = "struct operation { int (*function)(void); }; int (const struct operation *operation)";
  operation.function = TROUPE_FUNCTION(perform);
  const troupe_factory *all[] = {&factories[0], &factories[1], &operation};
  troupe_status status = TROUPE_OK;
  for (int i = 0; i < 3 && status == TROUPE_OK; i++) status = registrar->register_factory(registrar, all[i]);
  return status;
}
