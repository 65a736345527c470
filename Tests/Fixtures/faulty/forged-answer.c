/* A plugin whose constructor writes a probe's report for a good plugin into every socket, and then crashes. */
#include <string.h>
#include <sys/socket.h>

#include <troupe.h>

TROUPE_PLUGIN("org.example.forged-answer", "Forged answer", "1.0.0")

__attribute__((constructor)) static void forge(void) {
  enum { key_size = 16, report = 3, done = 4 };
  /* Registered, an empty summary, complete. */
  static const unsigned char content[] = {0, 0, 0, 0, 0, 1};
  unsigned char messages[2 * (5 + key_size) + sizeof content] = {sizeof content, 0, 0, 0, report};
  memcpy(messages + 5 + key_size, content, sizeof content);
  messages[5 + key_size + sizeof content + 4] = done;
  for (int number = 3; number < 1024; number++) send(number, messages, sizeof messages, MSG_NOSIGNAL);
  *(volatile int *)8 = 1;
}

TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
  (void)registrar;
  return TROUPE_OK;
}
