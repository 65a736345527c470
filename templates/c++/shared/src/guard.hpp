// guard.hpp - keeps exceptions inside the plugin: none may leave a function that the host calls
#ifndef GUARD_HPP
#define GUARD_HPP

#include <exception>
#include <new>

#include <troupe.h>

// Runs `body`, which returns a status. Converts an exception to a status, and passes the reason to `report`, which
// does not throw.
template <typename Report, typename Body>
troupe_status guard(Report report, Body body) noexcept {
  try {
    return body();
  } catch (const std::bad_alloc &) {
    report("there is not enough memory");
    return TROUPE_OUT_OF_MEMORY;
  } catch (const std::exception &error) {
    report(error.what());
    return TROUPE_FAILED;
  } catch (...) {
    report("an exception of an unknown type was thrown");
    return TROUPE_FAILED;
  }
}

// Runs a factory's `body`, which returns a new object. Reports the reason to the host and returns null if it throws.
template <typename Body>
void *make(const troupe_host *host, Body body) noexcept {
  void *made = nullptr;
  guard([=](const char *reason) { host->fail(host, reason); },
        [&]() -> troupe_status {
          made = body();
          return TROUPE_OK;
        });
  return made;
}

#endif
