// header: uuid/uuid.h
// package: uuid
#include <stdio.h>
#include <uuid.h>
int main(void) {
  uuid_t id;
  char text[37];
  uuid_parse("6BA7B810-9DAD-11D1-80B4-00C04FD430C8", id);
  uuid_unparse_lower(id, text);
  printf("%s\n%d\n", text, uuid_type(id));
}
