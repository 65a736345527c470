/* Calls over columns, loops and Arrow arrays. Argument: plugins. */
#include <errno.h>
#include <stdbool.h>

#include "check.h"

static troupe_host_t *host;
static troupe_error *error;

#define INPUT(type, elements)                                                                                         \
  (&(troupe_column){.struct_size = sizeof(troupe_column), .kind = type, .data = elements, .stride = sizeof *(elements)})
#define OUTPUT(type, elements)                                                                                        \
  (&(troupe_output_column){                                                                                           \
    .struct_size = sizeof(troupe_output_column), .kind = type, .data = elements, .stride = sizeof *(elements)})

static troupe_status map(const char *name, size_t count, const troupe_column *const *columns, size_t rows, size_t output_count,
                         troupe_output_column *const *outputs, const troupe_map_options *options) {
  troupe_function_t *function = find(host, name);
  troupe_status status = troupe_function_map(function, columns, count, rows, outputs, output_count, options, &error);
  troupe_function_free(function);
  return status;
}

static void check_numbers(void) {
  double a[] = {1, 2, 3}, b[] = {10, 20, 30}, results[3];
  const troupe_column *columns[] = {INPUT(TROUPE_TYPE_DOUBLE, a), INPUT(TROUPE_TYPE_DOUBLE, b)};
  troupe_output_column *output = OUTPUT(TROUPE_TYPE_DOUBLE, results);
  CHECK(map("column_sum", 2, columns, 3, 1, &output, NULL) == TROUPE_OK);
  CHECK(results[0] == 11 && results[1] == 22 && results[2] == 33 && output->null_count == 0);
  /* Backwards, one element for all rows, and in place. */
  troupe_column reversed = *columns[0], repeated = *columns[1];
  reversed.data = &a[2];
  reversed.stride = -(intptr_t)sizeof(double);
  repeated.stride = 0;
  const troupe_column *strided[] = {&reversed, &repeated};
  output->data = &a[2];
  output->stride = reversed.stride;
  CHECK(map("column_sum", 2, strided, 3, 1, &output, NULL) == TROUPE_OK);
  CHECK(a[0] == 11 && a[1] == 12 && a[2] == 13);
  int8_t small[] = {-2, 100};
  float factors[] = {1.5f, 2};
  int32_t scaled[2];
  const troupe_column *mixed[] = {INPUT(TROUPE_TYPE_INT8, small), INPUT(TROUPE_TYPE_FLOAT, factors)};
  output = OUTPUT(TROUPE_TYPE_INT32, scaled);
  CHECK(map("column_scaled", 2, mixed, 2, 1, &output, NULL) == TROUPE_OK && scaled[0] == -3 && scaled[1] == 200);
  CHECK(map("column_scaled", 2, mixed, 0, 1, &output, NULL) == TROUPE_OK && output->null_count == 0);
}

static void check_body(void) {
  double a[] = {1, 2, 3, 4}, results[] = {7, 7, 7, 7};
  const troupe_column *columns[] = {INPUT(TROUPE_TYPE_DOUBLE, a), INPUT(TROUPE_TYPE_DOUBLE, a)};
  troupe_output_column *output = OUTPUT(TROUPE_TYPE_DOUBLE, results);
  CHECK(map("column_product", 2, columns, 4, 1, &output, NULL) == TROUPE_OK && results[3] == -16);
  uint8_t valid[] = {0x0d << 2}, bits[] = {0xff};
  troupe_column nullable = *columns[0];
  nullable.validity = valid;
  nullable.validity_offset = 2;
  columns[0] = &nullable;
  CHECK(map("column_product", 2, columns, 4, 1, &output, NULL) == TROUPE_INVALID_ARGUMENT);
  CHECK_ERROR(error, "invalidData", TROUPE_INVALID_ARGUMENT);
  output->validity = bits;
  output->validity_offset = 1;
  CHECK(map("column_product", 2, columns, 4, 1, &output, NULL) == TROUPE_OK);
  CHECK(output->null_count == 1 && bits[0] == 0xfb && results[0] == -1 && results[1] == 0 && results[2] == -9);
}

static size_t failed_rows;
static void report(void *context, size_t row, const troupe_error *failure) {
  CHECK(context == &failed_rows && strcmp(troupe_error_code(failure), "reportedFailure") == 0);
  failed_rows += row;
}

static void check_failures(void) {
  int a[] = {7, 8, 9}, b[] = {2, 0, 4}, quotients[] = {0, 0, 0}, rests[] = {5, 5, 5};
  const troupe_column *columns[] = {INPUT(TROUPE_TYPE_INT32, a), INPUT(TROUPE_TYPE_INT32, b)};
  troupe_output_column *outputs[] = {OUTPUT(TROUPE_TYPE_INT32, quotients), OUTPUT(TROUPE_TYPE_INT32, rests)};
  CHECK(map("column_divided", 2, columns, 3, 2, outputs, NULL) == TROUPE_FAILED);
  CHECK(strstr(troupe_error_message(error), "row 1: ") != NULL);
  CHECK_ERROR(error, "reportedFailure", TROUPE_FAILED);
  CHECK(quotients[0] == 3 && rests[0] == 1);
  uint8_t bits[2] = {0, 0};
  outputs[0]->validity = &bits[0];
  outputs[1]->validity = &bits[1];
  troupe_map_options options = {
    .struct_size = sizeof options, .row_failure = TROUPE_ROW_FAILURE_IS_NULL, .report_row = report, .context = &failed_rows};
  CHECK(map("column_divided", 2, columns, 3, 2, outputs, &options) == TROUPE_OK);
  CHECK(failed_rows == 1 && outputs[1]->null_count == 1 && bits[0] == 5 && bits[1] == 5);
  CHECK(quotients[2] == 2 && rests[2] == 1 && quotients[1] == 0 && rests[1] == 0);
  options.row_failure = 2;
  CHECK(map("column_divided", 2, columns, 3, 2, outputs, &options) == TROUPE_INVALID_ARGUMENT);
  CHECK_ERROR(error, "invalidArgument", TROUPE_INVALID_ARGUMENT);
  options.struct_size = 8;
  CHECK(map("column_divided", 2, columns, 3, 2, outputs, &options) == TROUPE_INVALID_ARGUMENT);
  CHECK_ERROR(error, "invalidArgument", TROUPE_INVALID_ARGUMENT);
  CHECK(map("column_divided", 1, columns, 3, 2, outputs, NULL) == TROUPE_INVALID_ARGUMENT);
  CHECK_ERROR(error, "usage", TROUPE_INVALID_ARGUMENT);
  CHECK(map("column_divided", 2, columns, SIZE_MAX, 2, outputs, NULL) == TROUPE_INVALID_ARGUMENT);
  CHECK_ERROR(error, "invalidData", TROUPE_INVALID_ARGUMENT);
  CHECK(map("column_divided", 2, NULL, 3, 2, outputs, NULL) == TROUPE_INVALID_ARGUMENT);
  CHECK_ERROR(error, "invalidArgument", TROUPE_INVALID_ARGUMENT);
  const troupe_column *missing[] = {columns[0], NULL};
  CHECK(map("column_divided", 2, missing, 3, 2, outputs, NULL) == TROUPE_INVALID_ARGUMENT);
  CHECK_ERROR(error, "invalidArgument", TROUPE_INVALID_ARGUMENT);
  const troupe_column *wrong[] = {columns[0], INPUT(TROUPE_TYPE_UINT32, b)};
  CHECK(map("column_divided", 2, wrong, 3, 2, outputs, NULL) == TROUPE_INVALID_ARGUMENT);
  CHECK_ERROR(error, "invalidData", TROUPE_INVALID_ARGUMENT);
  CHECK(map("copy", 1, columns, 3, 1, outputs, NULL) == TROUPE_INVALID_SIGNATURE);
  CHECK_ERROR(error, "invalidSignature", TROUPE_INVALID_SIGNATURE);
  CHECK(troupe_function_map(NULL, columns, 2, 3, outputs, 2, NULL, &error) == TROUPE_INVALID_ARGUMENT);
  CHECK_ERROR(error, "invalidArgument", TROUPE_INVALID_ARGUMENT);
}

static void check_structs_and_buffers(void) {
  double points[] = {1, 2, 3, 4}, factors[] = {1, 10};
  troupe_column point = {
    .struct_size = sizeof point, .kind = TROUPE_TYPE_STRUCT, .data = points, .stride = 16, .element_size = 16};
  troupe_output_column turned = {
    .struct_size = sizeof turned, .kind = TROUPE_TYPE_STRUCT, .data = points, .stride = 16, .element_size = 16};
  const troupe_column *columns[] = {&point, NULL};
  troupe_output_column *output = &turned;
  CHECK(map("column_turned", 1, columns, 2, 1, &output, NULL) == TROUPE_OK);
  CHECK(points[0] == 2 && points[1] == -1 && points[2] == 4 && points[3] == -3);
  troupe_column values = *INPUT(TROUPE_TYPE_DOUBLE, points);
  values.count = 4;
  double totals[2];
  columns[0] = &values;
  columns[1] = INPUT(TROUPE_TYPE_DOUBLE, factors);
  output = OUTPUT(TROUPE_TYPE_DOUBLE, totals);
  CHECK(map("column_total", 2, columns, 2, 1, &output, NULL) == TROUPE_OK && totals[0] == 2 && totals[1] == 20);
  const void *places[2];
  int rows[] = {0, 1};
  columns[1] = INPUT(TROUPE_TYPE_INT32, rows);
  output = OUTPUT(TROUPE_TYPE_POINTER, places);
  CHECK(map("column_place", 2, columns, 2, 1, &output, NULL) == TROUPE_OK && places[0] == points && places[1] == points);
}

static void check_threads(void) {
  enum { ROWS = 100000 };
  double *a = malloc(ROWS * sizeof *a), *results = malloc(ROWS * sizeof *results);
  for (int i = 0; i < ROWS; i++) a[i] = i;
  const troupe_column *columns[] = {INPUT(TROUPE_TYPE_DOUBLE, a), INPUT(TROUPE_TYPE_DOUBLE, a)};
  troupe_output_column *output = OUTPUT(TROUPE_TYPE_DOUBLE, results);
  troupe_map_options options = {.struct_size = sizeof options, .threads = 3};
  CHECK(map("column_sum", 2, columns, ROWS, 1, &output, &options) == TROUPE_OK);
  for (int i = 0; i < ROWS; i++) CHECK(results[i] == 2 * i);
  free(a);
  free(results);
}

static void check_loops(void) {
  void *data = &host;
  intptr_t count = 3, steps[] = {8, 0, 8}, narrow[] = {1, 4, 4};
  double a[] = {1, 2, 3}, b = 10, results[3];
  troupe_function_t *sum = find(host, "column_sum"), *product = find(host, "column_product");
  troupe_loop loop = troupe_function_loop(sum, &data, &error);
  CHECK_NO_ERROR(error);
  char *arguments[] = {(char *)a, (char *)&b, (char *)results};
  loop(arguments, &count, steps, data);
  CHECK(results[0] == 11 && results[2] == 13);
  loop = troupe_function_loop(product, &data, &error);
  CHECK(loop != NULL && data == NULL);
  loop(arguments, &count, steps, data);
  CHECK(results[2] == -30);
  troupe_function_t *scaled = find(host, "column_scaled"), *nine = find(host, "nine"), *copy = find(host, "copy");
  int8_t small[] = {1, 2, 3};
  float factors[] = {0.5f, 1.5f, 2};
  int32_t integers[3];
  char *mixed[] = {(char *)small, (char *)factors, (char *)integers};
  loop = troupe_function_loop(scaled, &data, &error);
  loop(mixed, &count, narrow, data);
  CHECK(integers[0] == 0 && integers[1] == 3 && integers[2] == 6);
  CHECK(troupe_function_loop(nine, &data, &error) == NULL);
  CHECK_ERROR(error, "invalidSignature", TROUPE_INVALID_SIGNATURE);
  CHECK(troupe_function_loop(copy, &data, &error) == NULL);
  CHECK_ERROR(error, "invalidSignature", TROUPE_INVALID_SIGNATURE);
  CHECK(troupe_function_loop(sum, NULL, &error) == NULL);
  CHECK_ERROR(error, "invalidArgument", TROUPE_INVALID_ARGUMENT);
  troupe_function_free(sum);
  troupe_function_free(product);
  troupe_function_free(scaled);
  troupe_function_free(nine);
  troupe_function_free(copy);
}

/* The producer's side of an array, which releases nothing. */
static void keep_array(struct ArrowArray *array) { array->release = NULL; }
static void keep_schema(struct ArrowSchema *schema) { schema->release = NULL; }

#define SCHEMA(text) {.format = text, .release = keep_schema}
#define ARRAY(count, first, nulls, ...)                                                                               \
  {.length = count, .offset = first, .null_count = nulls, .n_buffers = 2, .buffers = (const void *[]){__VA_ARGS__},   \
   .release = keep_array}

static troupe_status map_arrow(const char *name, size_t count, struct ArrowSchema *schemas, struct ArrowArray *arrays,
                               struct ArrowSchema *schema, struct ArrowArray *result) {
  const struct ArrowSchema *schema_list[] = {&schemas[0], &schemas[1]};
  const struct ArrowArray *array_list[] = {&arrays[0], &arrays[1]};
  troupe_function_t *function = find(host, name);
  troupe_status status = troupe_function_map_arrow(function, schema_list, array_list, count, NULL, schema, result, &error);
  troupe_function_free(function);
  return status;
}

static void check_arrow(void) {
  double a[] = {0, 1, 2, 3, 4}, b[] = {100, 10};
  uint8_t valid[] = {0x1b << 1}; /* from bit 1 on: 1 1 0 1 1 */
  struct ArrowSchema schemas[] = {SCHEMA("g"), SCHEMA("g")}, schema;
  struct ArrowArray arrays[] = {ARRAY(3, 2, -1, valid, a), ARRAY(1, 1, 0, NULL, b)}, result;
  CHECK(map_arrow("column_sum", 2, schemas, arrays, &schema, &result) == TROUPE_OK);
  CHECK(strcmp(schema.format, "g") == 0 && schema.n_children == 0 && schema.dictionary == NULL);
  CHECK(schema.flags == ARROW_FLAG_NULLABLE);
  CHECK(result.length == 3 && result.null_count == 1 && result.offset == 0 && result.n_buffers == 2);
  const double *sums = result.buffers[1];
  CHECK((((const uint8_t *)result.buffers[0])[0] & 7) == 5 && sums[0] == 12 && sums[1] == 0 && sums[2] == 14);
  CHECK(arrays[0].release == keep_array && schemas[1].release == keep_schema);
  schema.release(&schema);
  result.release(&result);
  CHECK(schema.release == NULL && result.release == NULL);
  /* A single null is repeated; without nulls there is no bitmap. */
  struct ArrowArray repeated[] = {ARRAY(3, 2, 0, valid, a), ARRAY(1, 0, 1, (uint8_t[]){0}, b)};
  CHECK(map_arrow("column_sum", 2, schemas, repeated, &schema, &result) == TROUPE_OK && result.null_count == 3);
  schema.release(&schema);
  result.release(&result);
  repeated[1].null_count = 0;
  CHECK(map_arrow("column_sum", 2, schemas, repeated, &schema, &result) == TROUPE_OK && result.buffers[0] == NULL);
  schema.release(&schema);
  result.release(&result);
  /* Booleans are packed, and buffers get the whole array. */
  CHECK(map_arrow("column_is_positive", 1, schemas, repeated, &schema, &result) == TROUPE_OK);
  CHECK(strcmp(schema.format, "b") == 0 && ((const uint8_t *)result.buffers[1])[0] == 7);
  schema.release(&schema);
  result.release(&result);
  uint8_t left[] = {0x0c}, right[] = {0x0a};
  struct ArrowSchema bits[] = {SCHEMA("b"), SCHEMA("b")};
  struct ArrowArray booleans[] = {ARRAY(3, 1, 0, NULL, left), ARRAY(3, 1, 0, NULL, right)};
  CHECK(map_arrow("both", 2, bits, booleans, &schema, &result) == TROUPE_OK);
  CHECK(((const uint8_t *)result.buffers[1])[0] == 4);
  schema.release(&schema);
  result.release(&result);
  struct ArrowArray buffer[] = {ARRAY(4, 1, 0, NULL, a), ARRAY(2, 0, 0, NULL, b)};
  CHECK(map_arrow("column_total", 2, schemas, buffer, &schema, &result) == TROUPE_OK);
  CHECK(result.length == 2 && ((const double *)result.buffers[1])[1] == 100);
  schema.release(&schema);
  result.release(&result);
}

static void check_wrong_arrays(void) {
  double a[] = {1, 2, 3};
  struct ArrowSchema good[] = {SCHEMA("g"), SCHEMA("g")}, schema;
  struct ArrowArray arrays[] = {ARRAY(3, 0, 0, NULL, a), ARRAY(3, 0, 0, NULL, a)}, result;
#define CHECK_REFUSED(changed, code, status)                                       \
  do {                                                                             \
    struct ArrowSchema schemas[] = {good[0], good[1]};                             \
    struct ArrowArray all[] = {arrays[0], arrays[1]};                              \
    changed;                                                                       \
    CHECK(map_arrow("column_sum", 2, schemas, all, &schema, &result) == (status)); \
    CHECK_ERROR(error, code, status);                                              \
  } while (0)
  CHECK_REFUSED(all[1].release = NULL, "invalidData", TROUPE_INVALID_ARGUMENT);
  CHECK_REFUSED(schemas[1].release = NULL, "invalidData", TROUPE_INVALID_ARGUMENT);
  CHECK_REFUSED(schemas[1].dictionary = &good[0], "invalidData", TROUPE_INVALID_ARGUMENT);
  CHECK_REFUSED(all[0].n_children = 1, "invalidData", TROUPE_INVALID_ARGUMENT);
  CHECK_REFUSED(schemas[0].format = "u", "invalidData", TROUPE_INVALID_ARGUMENT);
  CHECK_REFUSED(schemas[0].format = "f", "invalidData", TROUPE_INVALID_ARGUMENT);
  CHECK_REFUSED(all[0].length = 2, "invalidData", TROUPE_INVALID_ARGUMENT);
  CHECK_REFUSED(all[0].length = -1, "invalidData", TROUPE_INVALID_ARGUMENT);
  CHECK_REFUSED(all[0].offset = INT64_MAX, "invalidData", TROUPE_INVALID_ARGUMENT);
  CHECK_REFUSED(all[0].n_buffers = 3, "invalidData", TROUPE_INVALID_ARGUMENT);
  CHECK_REFUSED(all[0].buffers = ((const void *[]){NULL, NULL}), "invalidData", TROUPE_INVALID_ARGUMENT);
  CHECK(map_arrow("column_sum", 1, good, arrays, &schema, &result) == TROUPE_INVALID_ARGUMENT);
  CHECK_ERROR(error, "usage", TROUPE_INVALID_ARGUMENT);
  CHECK(map_arrow("column_divided", 2, good, arrays, &schema, &result) == TROUPE_INVALID_SIGNATURE);
  CHECK_ERROR(error, "invalidSignature", TROUPE_INVALID_SIGNATURE);
  CHECK(map_arrow("nothing", 0, good, arrays, &schema, &result) == TROUPE_INVALID_SIGNATURE);
  CHECK_ERROR(error, "invalidSignature", TROUPE_INVALID_SIGNATURE);
  CHECK(map_arrow("column_sum", 2, good, arrays, NULL, &result) == TROUPE_INVALID_ARGUMENT);
  CHECK_ERROR(error, "invalidArgument", TROUPE_INVALID_ARGUMENT);
}

int main(int count, const char *const *arguments) {
  CHECK(count == 2);
  host = start_host(1, &arguments[1]);
  check_numbers();
  check_body();
  check_failures();
  check_structs_and_buffers();
  check_threads();
  check_loops();
  check_arrow();
  check_wrong_arrays();
  troupe_host_free(host);
  return 0;
}
