/* A plugin whose entry opens a socket, which a worker may not. */
#include <sys/socket.h>
#include <troupe.h>
TROUPE_PLUGIN("org.example.socket", "Socket", "1.0.0")
static int twice(int number) { return number; }
TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  static const troupe_metadata texts[] = {TROUPE_DESCRIPTION("D."), TROUPE_EXAMPLE("1", "1")};
  static const troupe_factory factory = TROUPE_FACTORY_WITH(
    texts, "d0c00000-0000-4000-8000-00000000000a", "socket", TROUPE_NO_TAGS, int, twice, (int number));
  return socket(AF_INET, SOCK_STREAM, 0) >= 0 ? registrar->register_factory(registrar, &factory) : TROUPE_FAILED;
}
