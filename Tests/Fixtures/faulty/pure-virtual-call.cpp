/* A plugin whose entry calls a pure virtual function. */
#include <troupe.h>

TROUPE_PLUGIN("org.example.pure-virtual-call", "Pure virtual call", "1.0.0")

struct Base {
  Base() { call(); }
  virtual ~Base() {}
  virtual void announced() = 0;
  void call() { announced(); }
};

struct Derived : Base {
  void announced() override {}
};

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  Derived derived;
  return TROUPE_OK;
}
