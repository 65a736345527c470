/* A plugin whose entry shuts down every socket. */
#include <sys/socket.h>

#include <troupe.h>

TROUPE_PLUGIN("org.example.shut-sockets", "Shut sockets", "1.0.0")

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  for (int number = 3; number < 1024; number++) shutdown(number, SHUT_RDWR);
  return TROUPE_OK;
}
