/* References, memory and lasting callbacks, and what programs without references see. Argument: plugins. */
#include "check.h"

static troupe_error *error;

static troupe_call_value get(const troupe_object *object, const char *path) {
  troupe_call_value value;
  CHECK(troupe_object_read(object, path, &value, &error) == TROUPE_OK);
  CHECK_NO_ERROR(error);
  return value;
}

static void set(troupe_object *object, const char *path, troupe_call_value value) {
  CHECK(troupe_object_write(object, path, &value, &error) == TROUPE_OK);
  CHECK_NO_ERROR(error);
}

static troupe_call_value object(troupe_object *object) {
  return (troupe_call_value){.kind = TROUPE_VALUE_OBJECT, .as.object = object};
}

/* Without references: a copy of a constant struct, an object that the program owns, and no type of elements. */
static void check_program_without(troupe_host_t *host) {
  troupe_function_t *origin = find(host, "origin_point"), *new = find(host, "node_new"), *fill = find(host, "fill");
  const troupe_signature *signature = troupe_function_signature(origin);
  CHECK(signature->result->kind == TROUPE_TYPE_POINTER && signature->result->element->kind == TROUPE_TYPE_STRUCT);
  signature = troupe_function_signature(new);
  CHECK(signature->result->kind == TROUPE_TYPE_POINTER && signature->result->element == NULL);
  CHECK(troupe_function_signature(fill)->parameters[0]->type->element == NULL);
  troupe_call_value result = CALL(host, "origin_point", );
  CHECK(result.kind == TROUPE_VALUE_STRUCT && result.count == 2 && result.as.values[1].as.float64 == 4);
  troupe_call_value_clear(&result);
  result = CALL(host, "node_new", {.kind = TROUPE_VALUE_POINTER}, TROUPE_INT64(1));
  CHECK(result.kind == TROUPE_VALUE_OBJECT && CALL(host, "node_sum", result).as.uint64 == 1);
  troupe_call_value_clear(&result);
  troupe_function_free(origin);
  troupe_function_free(new);
  troupe_function_free(fill);
}

static void check_references(troupe_host_t *host) {
  troupe_function_t *new = find(host, "node_new");
  const troupe_type *type = troupe_function_signature(new)->result;
  CHECK(type->kind == TROUPE_TYPE_REFERENCE && !type->is_constant && strcmp(type->name, "struct node *") == 0);
  // A struct that points to itself is one type.
  CHECK(type->element->kind == TROUPE_TYPE_STRUCT && type->element->members[2].type == type);
  troupe_function_free(new);

  troupe_call_value first = CALL(host, "node_new", {.kind = TROUPE_VALUE_POINTER}, TROUPE_INT64(1));
  CHECK(first.kind == TROUPE_VALUE_REFERENCE && troupe_object_address(first.as.object) != NULL);
  troupe_call_value second = CALL(host, "node_new", first, TROUPE_INT64(2));
  troupe_object *node = second.as.object;
  CHECK(troupe_object_type(node)->kind == TROUPE_TYPE_STRUCT && strcmp(troupe_object_type(node)->name, "struct node") == 0);
  troupe_call_value value = get(node, "next.value");
  CHECK(value.kind == TROUPE_VALUE_UINT64 && value.as.uint64 == 1);
  set(node, "next.value", TROUPE_INT64(40));
  CHECK(CALL(host, "node_sum", second).as.uint64 == 42);
  set(node, "name", TROUPE_STRING("second"));
  value = get(node, "");
  CHECK(value.kind == TROUPE_VALUE_STRUCT && value.count == 3 && strcmp(value.as.values[1].as.string, "second") == 0);
  CHECK(value.as.values[2].kind == TROUPE_VALUE_REFERENCE);
  CHECK(troupe_object_address(value.as.values[2].as.object) == troupe_object_address(first.as.object));
  troupe_call_value_clear(&value);
  // A literal is a struct that the call allocates.
  troupe_call_value literal[] = {{.kind = TROUPE_VALUE_INT64, .as.int64 = 7, .name = "value"},
                                 {.kind = TROUPE_VALUE_POINTER, .name = "name"},
                                 {.kind = TROUPE_VALUE_OBJECT, .as.object = node, .name = "next"}};
  CHECK(CALL(host, "node_sum", {.kind = TROUPE_VALUE_STRUCT, .as.values = literal, .count = 3}).as.uint64 == 49);
  CHECK(CALL(host, "node_sum", {.kind = TROUPE_VALUE_POINTER}).as.uint64 == 0);

  CHECK(troupe_object_read(node, "previous", &value, &error) == TROUPE_INVALID_ARGUMENT && value.kind == TROUPE_VALUE_VOID);
  CHECK_ERROR(error, "invalidData", TROUPE_INVALID_ARGUMENT);
  CHECK(troupe_object_read(node, "next.next.value", &value, &error) == TROUPE_INVALID_ARGUMENT);
  CHECK_ERROR(error, "invalidData", TROUPE_INVALID_ARGUMENT);
  value = TROUPE_STRING("seven");
  CHECK(troupe_object_write(node, "value", &value, &error) == TROUPE_INVALID_ARGUMENT);
  CHECK_ERROR(error, "invalidData", TROUPE_INVALID_ARGUMENT);
  troupe_call_value_clear(&second);
  troupe_call_value_clear(&first);

  troupe_call_value counter = CALL(host, "counter_new", TROUPE_INT64(5));
  CHECK(counter.kind == TROUPE_VALUE_OBJECT && troupe_object_type(counter.as.object)->kind == TROUPE_TYPE_VOID);
  CHECK(strcmp(troupe_object_type(counter.as.object)->name, "struct counter") == 0);
  CHECK(troupe_object_read(counter.as.object, "number", &value, &error) == TROUPE_INVALID_ARGUMENT);
  CHECK_ERROR(error, "invalidData", TROUPE_INVALID_ARGUMENT);
  troupe_call_value_clear(&counter);

  value = CALL(host, "origin_point", );
  CHECK(value.kind == TROUPE_VALUE_REFERENCE && get(value.as.object, "y").as.float64 == 4);
  CHECK(CALL(host, "address_of", value).as.uint64 == (uintptr_t)troupe_object_address(value.as.object));
  troupe_call_value_clear(&value);
}

static void check_memory(troupe_host_t *host) {
  troupe_object *points = troupe_memory_new("struct point { double x, y; }", 2, &error);
  CHECK_NO_ERROR(error);
  CHECK(troupe_object_type(points)->count == 2 && troupe_object_type(points)->size == 16);
  const double *numbers = troupe_object_address(points);
  CHECK(numbers[3] == 0);
  set(points, "[1].y", TROUPE_DOUBLE(2.5));
  CHECK(numbers[3] == 2.5 && get(points, "[1].y").as.float64 == 2.5);
  troupe_call_value member;
  CHECK(troupe_object_read(points, "[2].y", &member, &error) == TROUPE_INVALID_ARGUMENT);
  CHECK_ERROR(error, "invalidData", TROUPE_INVALID_ARGUMENT);
  CHECK(CALL(host, "address_of", object(points)).as.uint64 == (uintptr_t)numbers);
  troupe_object_free(points);

  troupe_function_t *fill = find(host, "fill");
  const troupe_type *pointer = troupe_function_signature(fill)->parameters[0]->type;
  CHECK(pointer->kind == TROUPE_TYPE_POINTER && pointer->element->kind == TROUPE_TYPE_INT32 && !pointer->is_constant);
  troupe_function_free(fill);
  troupe_object *memory = troupe_memory_new("int", 3, &error);
  CHECK(CALL(host, "fill", object(memory), TROUPE_INT64(3), TROUPE_INT64(9)).as.int64 == 3);
  CHECK(((const int *)troupe_object_address(memory))[2] == 9);
  troupe_object_free(memory);
  int own[2] = {0, 0};
  CHECK(CALL(host, "fill", TROUPE_MEMORY(own, 2), TROUPE_INT64(2), TROUPE_INT64(8)).as.int64 == 2 && own[1] == 8);
  // Elements that the call allocates come back.
  const troupe_call_value zeros[] = {TROUPE_INT64(0), TROUPE_INT64(0)};
  troupe_call_value result =
    CALL(host, "fill", {.kind = TROUPE_VALUE_ARRAY, .as.values = zeros, .count = 2}, TROUPE_INT64(2), TROUPE_INT64(7));
  CHECK(result.kind == TROUPE_VALUE_STRUCT && result.count == 2 && strcmp(result.as.values[0].name, "result") == 0);
  CHECK(result.as.values[0].as.int64 == 2 && strcmp(result.as.values[1].name, "numbers") == 0);
  CHECK(result.as.values[1].kind == TROUPE_VALUE_MEMORY && ((const int *)result.as.values[1].as.memory)[1] == 7);
  troupe_call_value_clear(&result);

  CHECK(troupe_memory_new("struct missing", 1, &error) == NULL);
  CHECK_ERROR(error, "invalidSignature", TROUPE_INVALID_SIGNATURE);
  CHECK(troupe_memory_new("int", 0, &error) == NULL);
  CHECK_ERROR(error, "invalidArgument", TROUPE_INVALID_ARGUMENT);
}

static troupe_status multiply(void *context, const troupe_call_value *arguments, size_t count, troupe_call_value *result) {
  CHECK(count == 1);
  if (arguments[0].as.int64 < 0) return TROUPE_FAILED;
  *result = TROUPE_INT64(arguments[0].as.int64 * *(const int *)context);
  return TROUPE_OK;
}

static void clear_number(void *context) { *(int *)context = 0; }

static void check_callbacks(troupe_host_t *host) {
  int factor = 3;
  const troupe_callback body = {multiply, &factor};
  troupe_object *callback = troupe_callback_new("int (int number)", &body, clear_number, &error);
  CHECK_NO_ERROR(error);
  CHECK(troupe_object_type(callback)->kind == TROUPE_TYPE_CALLBACK && troupe_object_address(callback) != NULL);
  CALL(host, "keep", object(callback));
  CHECK(CALL(host, "call_kept", TROUPE_INT64(14)).as.int64 == 42);
  CHECK(CALL(host, "each", TROUPE_INT64(3), object(callback)).as.int64 == 9);
  troupe_call_value member;
  CHECK(troupe_object_read(callback, "", &member, &error) == TROUPE_INVALID_ARGUMENT);
  CHECK_ERROR(error, "invalidArgument", TROUPE_INVALID_ARGUMENT);
  CHECK(factor == 3);
  troupe_object_free(callback);
  CHECK(factor == 0);
  // C still has the pointer.
  CHECK(CALL(host, "call_kept", TROUPE_INT64(14)).as.int64 == 0);

  CHECK(troupe_callback_new("int (", &body, clear_number, &error) == NULL);
  CHECK_ERROR(error, "invalidSignature", TROUPE_INVALID_SIGNATURE);
  CHECK(troupe_callback_new("int (int number)", NULL, NULL, &error) == NULL);
  CHECK_ERROR(error, "invalidArgument", TROUPE_INVALID_ARGUMENT);
}

int main(int count, char **arguments) {
  CHECK(count == 2);
  troupe_host_t *host = start_host(1, (const char *const *)arguments + 1);
  check_program_without(host);
  troupe_host_free(host);

  troupe_host_options options = {
    .struct_size = sizeof options, .probing = TROUPE_PROBING_NEVER, .directories = (const char *const *)arguments + 1,
    .directory_count = 1, .cache_directory = "", .quarantine_directory = "", .has_references = 1};
  host = troupe_host_start(&options, &error);
  CHECK_NO_ERROR(error);
  check_references(host);
  check_memory(host);
  check_callbacks(host);
  troupe_host_free(host);
  return 0;
}
