// header: jansson.h
// package: jansson
#include <jansson.h>
#include <stdio.h>
int main(void) {
  json_t *document = json_loads("{\"name\": \"troupe\", \"sizes\": [3, 5, 8]}", 0, NULL);
  printf("%s\n", json_string_value(json_object_get(document, "name")));
  printf("%lld\n", (long long)json_integer_value(json_array_get(json_object_get(document, "sizes"), 1)));
  json_object_set_new(document, "size", json_integer(7));
  printf("%s\n", json_dumps(document, JSON_COMPACT));
}
