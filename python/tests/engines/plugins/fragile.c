/* A function that ends the process that calls it, once. */
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include <troupe.h>

TROUPE_PLUGIN_WITH("org.example.fragile", "Fragile", "1.0.0",
                   TROUPE_SETTINGS(TROUPE_SETTING_TEXT("marker", "", "A file that is created before the process is killed")))

static const troupe_host *host;

/* Kills the process at a row whose x is -1, unless the marker exists already, and writes its id into the marker. */
static double fragile(double x, double y) {
  const char *marker = host->configuration(host, "marker");
  if (x == -1 && marker && *marker) {
    int file = open(marker, O_CREAT | O_EXCL | O_WRONLY, 0600);
    if (file >= 0) {
      dprintf(file, "%d", getpid());
      kill(getpid(), SIGKILL);
    }
  }
  return hypot(x, y);
}

static const troupe_factory factory = {
  .struct_size = sizeof factory, .uuid = "f4a61000-0000-4000-8000-000000000001", .name = "fragile",
  .signature = "double (double x, double y)", .function = TROUPE_FUNCTION(fragile)};

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  host = registrar->host;
  return registrar->register_factory(registrar, &factory);
}
