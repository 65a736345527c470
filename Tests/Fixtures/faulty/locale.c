/* A plugin whose entry sets the locale. */
#include <locale.h>

#include <troupe.h>

TROUPE_PLUGIN("org.example.locale", "Locale", "1.0.0")

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  setlocale(LC_ALL, "C.UTF-8");
  return TROUPE_OK;
}
