#include "columns.h"

#include <stdbool.h>

/* Elements of a column, which need not be aligned. */
typedef double __attribute__((aligned(1), may_alias)) any_double;
typedef float __attribute__((aligned(1), may_alias)) any_float;
typedef uint64_t __attribute__((aligned(1), may_alias)) any_word;

/* Whether the rows of all columns are neighbors. */
static bool are_packed(const intptr_t *steps, int count, intptr_t size) {
  for (int index = 0; index < count; index++)
    if (steps[index] != size) return false;
  return true;
}

/* m(t, 0), ..., m(t, n - 1), with commas or without. */
#define LIST_1(m, t) m(t, 0)
#define LIST_2(m, t) LIST_1(m, t), m(t, 1)
#define LIST_3(m, t) LIST_2(m, t), m(t, 2)
#define LIST_4(m, t) LIST_3(m, t), m(t, 3)
#define LIST_5(m, t) LIST_4(m, t), m(t, 4)
#define LIST_6(m, t) LIST_5(m, t), m(t, 5)
#define LIST_7(m, t) LIST_6(m, t), m(t, 6)
#define LIST_8(m, t) LIST_7(m, t), m(t, 7)
#define EACH_1(m, t) m(t, 0)
#define EACH_2(m, t) EACH_1(m, t) m(t, 1)
#define EACH_3(m, t) EACH_2(m, t) m(t, 2)
#define EACH_4(m, t) EACH_3(m, t) m(t, 3)
#define EACH_5(m, t) EACH_4(m, t) m(t, 4)
#define EACH_6(m, t) EACH_5(m, t) m(t, 5)
#define EACH_7(m, t) EACH_6(m, t) m(t, 6)
#define EACH_8(m, t) EACH_7(m, t) m(t, 7)

#define PARAMETER(t, i) t
#define COLUMN(t, i) const any_##t *column##i = (const any_##t *)args[i];
#define ELEMENT(t, i) column##i[row]
#define CURSOR(t, i) const char *cursor##i = args[i]; const intptr_t step##i = steps[i];
#define CURRENT(t, i) *(const any_##t *)cursor##i
#define ADVANCE(t, i) cursor##i += step##i;

/* The loop of a function with n parameters of one type, which is also that of the result. */
#define LOOP(t, n)                                                                                                    \
  static void t##_loop_##n(char **args, const intptr_t *dimensions, const intptr_t *steps, void *data) {              \
    t (*const call)(LIST_##n(PARAMETER, t)) =                                                                         \
      (t (*)(LIST_##n(PARAMETER, t)))(uintptr_t)((const struct columns_function *)data)->address;                     \
    const intptr_t count = dimensions[0];                                                                             \
    if (are_packed(steps, n + 1, sizeof(t))) {                                                                        \
      EACH_##n(COLUMN, t)                                                                                             \
      any_##t *output = (any_##t *)args[n];                                                                           \
      for (intptr_t row = 0; row < count; row++) output[row] = call(LIST_##n(ELEMENT, t));                            \
      return;                                                                                                         \
    }                                                                                                                 \
    EACH_##n(CURSOR, t)                                                                                               \
    char *output = args[n];                                                                                           \
    const intptr_t output_step = steps[n];                                                                            \
    for (intptr_t row = 0; row < count; row++) {                                                                      \
      *(any_##t *)output = call(LIST_##n(CURRENT, t));                                                                \
      EACH_##n(ADVANCE, t)                                                                                            \
      output += output_step;                                                                                          \
    }                                                                                                                 \
  }
#define LOOPS(t) LOOP(t, 1) LOOP(t, 2) LOOP(t, 3) LOOP(t, 4) LOOP(t, 5) LOOP(t, 6) LOOP(t, 7) LOOP(t, 8)
#define TABLE(t)                                                                                                      \
  {NULL, t##_loop_1, t##_loop_2, t##_loop_3, t##_loop_4, t##_loop_5, t##_loop_6, t##_loop_7, t##_loop_8}

LOOPS(double)
LOOPS(float)

static const columns_loop double_loops[COLUMNS_MAXIMUM + 1] = TABLE(double);
static const columns_loop float_loops[COLUMNS_MAXIMUM + 1] = TABLE(float);

#if defined(__x86_64__) || defined(__aarch64__)

/* The number of rows whose elements are converted to words at a time: few enough for the fastest cache. */
enum { BLOCK = 256 };

static const uint64_t zeros[BLOCK];

/* Converts elements to words as registers hold them. */
#define CONVERT(t, expression)                                                                                        \
  for (intptr_t row = 0; row < count; row++, place += step) {                                                         \
    t element;                                                                                                        \
    memcpy(&element, place, sizeof element);                                                                          \
    words[row] = (uint64_t)(expression);                                                                              \
  }                                                                                                                   \
  return words;

/* Returns the words of a block of a column: in the column itself, or converted to `words`. */
static const any_word *load(uint8_t kind, const char *place, intptr_t step, intptr_t count, uint64_t *words) {
  switch (kind) {
    case COLUMNS_BOOL: CONVERT(uint8_t, element != 0)
    case COLUMNS_INT8: CONVERT(int8_t, (int64_t)element)
    case COLUMNS_INT16: CONVERT(int16_t, (int64_t)element)
    case COLUMNS_INT32: CONVERT(int32_t, (int64_t)element)
    case COLUMNS_UINT8: CONVERT(uint8_t, element)
    case COLUMNS_UINT16: CONVERT(uint16_t, element)
    case COLUMNS_UINT32:
    case COLUMNS_FLOAT: CONVERT(uint32_t, element)
    default:
      if (step == sizeof(uint64_t)) return (const any_word *)place;
      CONVERT(uint64_t, element)
  }
}

#define STORE(t, expression)                                                                                          \
  for (intptr_t row = 0; row < count; row++, place += step) {                                                         \
    t element = (t)(expression);                                                                                      \
    memcpy(place, &element, sizeof element);                                                                          \
  }                                                                                                                   \
  break;

/* Converts words to elements of a block of a column. */
static void store(uint8_t kind, const uint64_t *words, char *place, intptr_t step, intptr_t count) {
  switch (kind) {
    case COLUMNS_BOOL: STORE(uint8_t, (words[row] & 0xff) != 0)
    case COLUMNS_INT8:
    case COLUMNS_UINT8: STORE(uint8_t, words[row])
    case COLUMNS_INT16:
    case COLUMNS_UINT16: STORE(uint16_t, words[row])
    case COLUMNS_INT32:
    case COLUMNS_UINT32:
    case COLUMNS_FLOAT: STORE(uint32_t, words[row])
    default: STORE(uint64_t, words[row])
  }
}

/*
 * The calls below load more registers than the function has parameters for, as ArgumentRegisters in Swift does and explains; it cites the
 * conventions of both processors. On x86-64 the seventh and eighth integer are on the stack, on AArch64 they follow the others.
 */
#define INTEGER(i) integers[i][row]
#define FLOAT(i) *(const any_double *)&floats[i][row]
#define TWO uint64_t, uint64_t, double, double
#define TWO_ELEMENTS INTEGER(0), INTEGER(1), FLOAT(0), FLOAT(1)
#define FOUR uint64_t, uint64_t, uint64_t, uint64_t, double, double, double, double
#define FOUR_ELEMENTS INTEGER(0), INTEGER(1), INTEGER(2), INTEGER(3), FLOAT(0), FLOAT(1), FLOAT(2), FLOAT(3)
#define EIGHT_FLOATS double, double, double, double, double, double, double, double
#define EIGHT_FLOAT_ELEMENTS FLOAT(0), FLOAT(1), FLOAT(2), FLOAT(3), FLOAT(4), FLOAT(5), FLOAT(6), FLOAT(7)
#define SIX uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t
#define SIX_ELEMENTS INTEGER(0), INTEGER(1), INTEGER(2), INTEGER(3), INTEGER(4), INTEGER(5)
#if defined(__aarch64__)
#define EIGHT SIX, uint64_t, uint64_t, EIGHT_FLOATS
#define EIGHT_ELEMENTS SIX_ELEMENTS, INTEGER(6), INTEGER(7), EIGHT_FLOAT_ELEMENTS
#else
#define EIGHT SIX, EIGHT_FLOATS, uint64_t, uint64_t
#define EIGHT_ELEMENTS SIX_ELEMENTS, EIGHT_FLOAT_ELEMENTS, INTEGER(6), INTEGER(7)
#endif

#define CALLS(result_type, parameters, elements)                                                                      \
  {                                                                                                                   \
    result_type (*const call)(parameters) = (result_type (*)(parameters))address;                                     \
    for (intptr_t row = 0; row < count; row++) {                                                                      \
      result_type result = call(elements);                                                                            \
      memcpy(&results[row], &result, sizeof result);                                                                  \
    }                                                                                                                 \
  }
#define CALLS_OF_SIZE(result_type)                                                                                    \
  if (integer_count <= 2 && float_count <= 2)                                                                         \
    CALLS(result_type, TWO, TWO_ELEMENTS)                                                                             \
  else if (integer_count <= 4 && float_count <= 4)                                                                    \
    CALLS(result_type, FOUR, FOUR_ELEMENTS)                                                                           \
  else                                                                                                                \
    CALLS(result_type, EIGHT, EIGHT_ELEMENTS)

static bool is_float(uint8_t kind) { return kind == COLUMNS_FLOAT || kind == COLUMNS_DOUBLE; }

/* The loop of a function with numbers of any types. */
static void mixed_loop(char **args, const intptr_t *dimensions, const intptr_t *steps, void *data) {
  const struct columns_function *function = data;
  const uintptr_t address = (uintptr_t)function->address;
  const int parameter_count = function->parameter_count;
  uint64_t words[COLUMNS_MAXIMUM][BLOCK], results[BLOCK];
  const any_word *integers[COLUMNS_MAXIMUM], *floats[COLUMNS_MAXIMUM];
  for (int index = 0; index < COLUMNS_MAXIMUM; index++) integers[index] = floats[index] = zeros;
  for (intptr_t start = 0; start < dimensions[0]; start += BLOCK) {
    const intptr_t count = dimensions[0] - start < BLOCK ? dimensions[0] - start : BLOCK;
    int integer_count = 0, float_count = 0;
    for (int index = 0; index < parameter_count; index++) {
      const uint8_t kind = function->parameters[index];
      const any_word *column = load(kind, args[index] + start * steps[index], steps[index], count, words[index]);
      if (is_float(kind)) floats[float_count++] = column;
      else integers[integer_count++] = column;
    }
    if (is_float(function->result)) {
      CALLS_OF_SIZE(double)
    } else {
      CALLS_OF_SIZE(uint64_t)
    }
    if (function->result != COLUMNS_VOID)
      store(function->result, results, args[parameter_count] + start * steps[parameter_count], steps[parameter_count], count);
  }
}

#define MIXED_LOOP mixed_loop
#else
#define MIXED_LOOP NULL
#endif

columns_loop columns_loop_for(const struct columns_function *function) {
  if (function->parameter_count > COLUMNS_MAXIMUM) return NULL;
  if (function->result != COLUMNS_DOUBLE && function->result != COLUMNS_FLOAT) return MIXED_LOOP;
  for (int index = 0; index < function->parameter_count; index++)
    if (function->parameters[index] != function->result) return MIXED_LOOP;
  if (function->parameter_count == 0) return MIXED_LOOP;
  return (function->result == COLUMNS_DOUBLE ? double_loops : float_loops)[function->parameter_count];
}
