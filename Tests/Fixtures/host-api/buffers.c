/* Buffers that the function gets without a copy, and buffers that it returns. Argument: plugins. */
#include "check.h"

int main(int count, char **arguments) {
  CHECK(count == 2);
  troupe_host_t *host = start_host(1, (const char *const *)arguments + 1);
  double values[] = {1, 2, 3.5};
  CHECK(CALL(host, "sum", TROUPE_MEMORY(values, 3)).as.float64 == 6.5);
  CHECK(CALL(host, "sum", TROUPE_MEMORY(values, 0)).as.float64 == 0);
  CHECK(CALL(host, "sum", TROUPE_MEMORY(NULL, 0)).as.float64 == 0);
  troupe_call_value result = CALL(host, "begin", TROUPE_MEMORY(values + 1, 2));
  CHECK(result.kind == TROUPE_VALUE_UINT64 && result.as.uint64 == (uintptr_t)(values + 1));
  const troupe_call_value elements[] = {TROUPE_DOUBLE(1), TROUPE_INT64(2)};
  CHECK(CALL(host, "sum", {.kind = TROUPE_VALUE_ARRAY, .as.values = elements, .count = 2}).as.float64 == 3);

  result = CALL(host, "twice", TROUPE_MEMORY(values, 3));
  CHECK(values[0] == 2 && values[1] == 4 && values[2] == 7);
  CHECK(result.kind == TROUPE_VALUE_STRUCT && result.count == 1 && result.as.values[0].kind == TROUPE_VALUE_MEMORY);
  CHECK(result.as.values[0].count == 3 && ((const double *)result.as.values[0].as.memory)[2] == 7);
  troupe_call_value_clear(&result);

  result = CALL(host, "squares", TROUPE_INT64(4));
  CHECK(result.count == 1 && strcmp(result.as.values[0].name, "values") == 0 && result.as.values[0].count == 4);
  CHECK(((const int32_t *)result.as.values[0].as.memory)[3] == 9);
  troupe_call_value_clear(&result);
  result = CALL(host, "squares", TROUPE_INT64(0));
  CHECK(result.as.values[0].kind == TROUPE_VALUE_MEMORY && result.as.values[0].count == 0);
  troupe_call_value_clear(&result);

  result = CALL(host, "points", TROUPE_INT64(2));
  CHECK(result.as.values[0].kind == TROUPE_VALUE_ARRAY && result.as.values[0].count == 2);
  const troupe_call_value *point = &result.as.values[0].as.values[1];
  CHECK(point->kind == TROUPE_VALUE_STRUCT && point->as.values[1].as.float64 == -1 && strcmp(point->as.values[1].name, "y") == 0);
  troupe_call_value_clear(&result);

  result = CALL(host, "checksum", TROUPE_MEMORY("\1\2\3", 3));
  CHECK(result.kind == TROUPE_VALUE_UINT64 && result.as.uint64 == 6);
  CHECK(CALL(host, "checksum", TROUPE_STRING("\1\2")).as.uint64 == 3);
  troupe_host_free(host);
  return 0;
}
