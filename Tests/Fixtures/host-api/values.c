/* Calls with every kind of value, the same values in other kinds, and types as data. Argument: plugins. */
#include <stdbool.h>

#include "check.h"

static troupe_host_t *host;

static void check_numbers(void) {
  troupe_call_value result = CALL(host, "area", TROUPE_DOUBLE(3), TROUPE_DOUBLE(4.5));
  CHECK(result.kind == TROUPE_VALUE_DOUBLE && result.as.float64 == 13.5 && result.count == 0 && result.name == NULL);
  CHECK(CALL(host, "area", TROUPE_INT64(-3), TROUPE_UINT64(4)).as.float64 == -12);
  result = CALL(host, "small", TROUPE_INT64(-128));
  CHECK(result.kind == TROUPE_VALUE_INT64 && result.as.int64 == -128);
  CHECK(CALL(host, "small", TROUPE_DOUBLE(7)).as.int64 == 7);
  result = CALL(host, "half", TROUPE_INT64(65535));
  CHECK(result.kind == TROUPE_VALUE_UINT64 && result.as.uint64 == 65535);
  CHECK(CALL(host, "word", TROUPE_UINT64(4294967295)).as.uint64 == 4294967295);
  result = CALL(host, "large", TROUPE_UINT64(UINT64_MAX));
  CHECK(result.kind == TROUPE_VALUE_UINT64 && result.as.uint64 == UINT64_MAX);
  CHECK(CALL(host, "negative", TROUPE_INT64(INT64_MAX)).as.int64 == -INT64_MAX);
  CHECK(CALL(host, "negative", TROUPE_BOOL(true)).as.int64 == -1);
  result = CALL(host, "single", TROUPE_DOUBLE(1.5));
  CHECK(result.kind == TROUPE_VALUE_DOUBLE && result.as.float64 == 0.75);
  result = CALL(host, "both", TROUPE_BOOL(true), TROUPE_INT64(1));
  CHECK(result.kind == TROUPE_VALUE_BOOL && result.as.int64 == 1);
  CHECK(CALL(host, "both", TROUPE_BOOL(true), TROUPE_BOOL(false)).as.int64 == 0);
  result = call(host, "nothing", 0, NULL);
  CHECK(result.kind == TROUPE_VALUE_VOID);
  troupe_call_value numbers[9];
  for (int i = 0; i < 9; i++) numbers[i] = TROUPE_INT64(i + 1);
  CHECK(call(host, "nine", 9, numbers).as.int64 == 45);
  CHECK(call(host, "eight", 8, numbers).as.int64 == 204);
  CHECK(CALL(host, "mixed", TROUPE_INT64(1), TROUPE_DOUBLE(2), TROUPE_INT64(3), TROUPE_DOUBLE(4), TROUPE_INT64(5), TROUPE_DOUBLE(6))
          .as.float64 == 91);
  result = CALL(host, "next_color", TROUPE_INT64(0));
  CHECK(result.kind == TROUPE_VALUE_UINT64 && result.as.int64 == 5);
  CHECK(CALL(host, "next_color", TROUPE_STRING("green")).as.int64 == 6);
}

static void check_texts_and_pointers(void) {
  troupe_call_value result = CALL(host, "greeting", TROUPE_STRING("Jos\xc3\xa9"));
  CHECK(result.kind == TROUPE_VALUE_STRING && strcmp(result.as.string, "Jos\xc3\xa9") == 0 && result.count == 5);
  troupe_call_value_clear(&result);
  result = CALL(host, "greeting", TROUPE_STRING(NULL));
  CHECK(strcmp(result.as.string, "nobody") == 0);
  troupe_call_value_clear(&result);
  result = call(host, "no_text", 0, NULL);
  CHECK(result.kind == TROUPE_VALUE_STRING && result.as.string == NULL);
  troupe_call_value_clear(&result);
  result = CALL(host, "copy", TROUPE_STRING("owned"));
  CHECK(strcmp(result.as.string, "owned") == 0);
  troupe_call_value_clear(&result);
  troupe_call_value_clear(&result);
  troupe_call_value_clear(NULL);
  result = CALL(host, "same", (troupe_call_value){.kind = TROUPE_VALUE_POINTER, .as.pointer = &host});
  CHECK(result.kind == TROUPE_VALUE_POINTER && result.as.pointer == &host);
}

static void check_structs(void) {
  const troupe_call_value members[] = {
    {.kind = TROUPE_VALUE_DOUBLE, .as.float64 = 1.5, .name = "x"}, {.kind = TROUPE_VALUE_INT64, .as.int64 = -2, .name = "y"}};
  const troupe_call_value point = {.kind = TROUPE_VALUE_STRUCT, .as.values = members, .count = 2};
  struct {
    double x, y;
  } memory = {1.5, -2};
  const troupe_call_value forms[] = {point, TROUPE_MEMORY(&memory, 1)};
  for (int form = 0; form < 2; form++) {
    troupe_call_value result = CALL(host, "scaled", forms[form], TROUPE_INT64(2));
    CHECK(result.kind == TROUPE_VALUE_STRUCT && result.count == 2);
    CHECK(strcmp(result.as.values[0].name, "x") == 0 && result.as.values[0].as.float64 == 3);
    CHECK(strcmp(result.as.values[1].name, "y") == 0 && result.as.values[1].as.float64 == -4);
    troupe_call_value_clear(&result);
    CHECK(CALL(host, "norm", forms[form]).as.float64 == 6.25);
  }
  CHECK(CALL(host, "address_of", TROUPE_MEMORY(&memory, 1)).as.uint64 == (uintptr_t)&memory);
  const troupe_call_value parts[] = {TROUPE_DOUBLE(3), TROUPE_DOUBLE(4)};
  troupe_call_value result = CALL(host, "turned", (troupe_call_value){.kind = TROUPE_VALUE_ARRAY, .as.values = parts, .count = 2});
  CHECK(result.kind == TROUPE_VALUE_ARRAY && result.count == 2);
  CHECK(result.as.values[0].as.float64 == -4 && result.as.values[1].as.float64 == 3);
  troupe_call_value_clear(&result);
#if defined(__x86_64__)
  long double number = 1.25L;
  result = CALL(host, "longer", TROUPE_MEMORY(&number, 1));
  CHECK(result.kind == TROUPE_VALUE_MEMORY && result.count == 1 && *(long double *)result.as.memory == 2.5L);
  troupe_call_value_clear(&result);
  result = CALL(host, "longer", TROUPE_DOUBLE(0.5));
  CHECK(*(long double *)result.as.memory == 1);
  troupe_call_value_clear(&result);
#endif
}

static void check_outputs(void) {
  troupe_call_value result = CALL(host, "split", TROUPE_DOUBLE(-2.5));
  CHECK(result.kind == TROUPE_VALUE_STRUCT && result.count == 4);
  const char *names[] = {"return", "whole", "rest", "sign"};
  for (int i = 0; i < 4; i++) CHECK(strcmp(result.as.values[i].name, names[i]) == 0);
  CHECK(result.as.values[0].as.int64 == 7 && result.as.values[1].as.int64 == -2 && result.as.values[2].as.float64 == -0.5);
  CHECK(result.as.values[3].kind == TROUPE_VALUE_STRING && strcmp(result.as.values[3].as.string, "minus") == 0);
  troupe_call_value_clear(&result);
}

static void check_types(void) {
  troupe_function_t *function = find(host, "scaled");
  CHECK(strcmp(troupe_function_name(function), "scaled") == 0);
  const troupe_signature *signature = troupe_function_signature(function);
  CHECK(signature == troupe_function_signature(function));
  CHECK(signature->struct_size == sizeof *signature && !signature->can_fail && !signature->is_variadic);
  CHECK(signature->parameter_count == 2 && strstr(signature->text, "double factor") != NULL);
  const troupe_type *point = signature->parameters[0]->type;
  CHECK(point == signature->result && point->kind == TROUPE_TYPE_STRUCT && strcmp(point->name, "struct point") == 0);
  CHECK(point->size == 16 && point->alignment == 8 && point->count == 2 && strcmp(point->members[1].name, "y") == 0);
  CHECK(point->members[1].offset == 8 && point->members[1].type->kind == TROUPE_TYPE_DOUBLE);
  CHECK(strcmp(signature->parameters[1]->name, "factor") == 0 && signature->parameters[1]->takes_argument == 1);
  CHECK(signature->parameters[1]->passing == TROUPE_PASSING_VALUE && signature->parameters[1]->length_parameter == -1);
  troupe_function_free(function);

  function = find(host, "squares");
  signature = troupe_function_signature(function);
  CHECK(signature->result->kind == TROUPE_TYPE_VOID && signature->result->size == 0);
  CHECK(signature->parameters[0]->passing == TROUPE_PASSING_BUFFER && signature->parameters[0]->direction == TROUPE_DIRECTION_OUT);
  CHECK(signature->parameters[0]->takes_argument == 0 && signature->parameters[0]->length_parameter == 1);
  CHECK(signature->parameters[0]->type->kind == TROUPE_TYPE_INT32 && signature->parameters[1]->takes_argument == 1);
  CHECK(signature->parameters[1]->type->kind == TROUPE_TYPE_UINT64);
  troupe_function_free(function);

  function = find(host, "next_color");
  const troupe_type *color = troupe_function_signature(function)->result;
  CHECK(color->kind == TROUPE_TYPE_ENUM && color->element->kind == TROUPE_TYPE_UINT32 && color->count == 3);
  CHECK(strcmp(color->enumerators[1].name, "green") == 0 && color->enumerators[1].value == 5);
  troupe_function_free(function);

  function = find(host, "each");
  const troupe_type *body = troupe_function_signature(function)->parameters[1]->type;
  CHECK(body->kind == TROUPE_TYPE_CALLBACK && body->signature->parameter_count == 1 && body->signature->result->kind == TROUPE_TYPE_INT32);
  troupe_function_free(function);

  function = find(host, "fail_with");
  CHECK(troupe_function_signature(function)->can_fail == 1);
  troupe_function_free(function);
  function = find(host, "count");
  CHECK(troupe_function_signature(function)->parameters[0]->type->kind == TROUPE_TYPE_HANDLE);
  CHECK(strcmp(troupe_function_signature(function)->parameters[0]->type->name, "struct counter *") == 0);
  troupe_function_free(function);
}

static void check_addresses(void) {
  troupe_error *error = NULL;
  troupe_function_t *function = find(host, "area");
  double (*area)(double, double) = (double (*)(double, double))troupe_function_address(function, "double (double, double)", &error);
  CHECK_NO_ERROR(error);
  CHECK(area(2, 3) == 6);
  CHECK(troupe_function_address(function, "double (double a, double b)", NULL) == (troupe_function)area);
  const char *others[] = {"double (double, float)", "double (double)", "float (double, double)", "double (double, double", "double (double, ...)"};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    CHECK(troupe_function_address(function, others[i], &error) == NULL);
    CHECK_ERROR(error, "invalidSignature", TROUPE_INVALID_SIGNATURE);
  }
  troupe_function_free(function);
  function = find(host, "sum");
  double (*sum)(const double *, size_t) =
    (double (*)(const double *, size_t))troupe_function_address(function, "double (const double *, size_t)", &error);
  CHECK_NO_ERROR(error);
  CHECK(sum((const double[]){1, 2}, 2) == 3);
  CHECK(troupe_function_address(function, "double (const void *, unsigned long)", NULL) != NULL);
  CHECK(troupe_function_address(function, "double (const float *, size_t)", NULL) == NULL);
  CHECK(troupe_function_address(function, "double (const double *, int64_t)", NULL) == NULL);
  troupe_function_free(function);
}

int main(int count, char **arguments) {
  CHECK(count == 2);
  host = start_host(1, (const char *const *)arguments + 1);
  check_numbers();
  check_texts_and_pointers();
  check_structs();
  check_outputs();
  check_types();
  check_addresses();
  troupe_host_free(host);
  return 0;
}
