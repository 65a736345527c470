/*
 * numbers.h - calls of functions whose parameters and results are all numbers, with Python numbers
 *
 * Cython would convert each number through a function call of its own and check it twice; the conversion is most of such a call.
 */
#ifndef TROUPE_PYTHON_NUMBERS_H
#define TROUPE_PYTHON_NUMBERS_H

#include <Python.h>
#include <math.h>

#include <troupe-host.h>

#define TROUPE_NUMBERS_MAXIMUM 16

/* A function and the types of its numbers. `loop` is NULL for any other function. */
typedef struct {
  troupe_loop loop;
  void *data;
  int32_t count;
  int32_t releases_gil;
  troupe_type_kind result;
  troupe_type_kind kinds[TROUPE_NUMBERS_MAXIMUM];
  intptr_t steps[TROUPE_NUMBERS_MAXIMUM + 1];
} troupe_numbers;

typedef union {
  int8_t int8;
  int16_t int16;
  int32_t int32;
  int64_t int64;
  uint8_t uint8;
  uint16_t uint16;
  uint32_t uint32;
  uint64_t uint64;
  float float32;
  double float64;
  long double long_double;
} troupe_number;

/* Converts a Python number; returns 0 for any other object, and for a number that the type cannot hold. */
static inline int troupe_number_set(troupe_number *number, troupe_type_kind kind, PyObject *object) {
  if (kind == TROUPE_TYPE_DOUBLE || kind == TROUPE_TYPE_FLOAT || kind == TROUPE_TYPE_LONG_DOUBLE) {
    double value;
    if (PyFloat_Check(object)) {
      value = PyFloat_AS_DOUBLE(object);
    } else if (PyLong_Check(object) && !PyBool_Check(object)) {
      value = PyLong_AsDouble(object);
      if (value == -1 && PyErr_Occurred()) PyErr_Clear(), value = INFINITY;
      /* The library refuses an integer that would be rounded. Smaller ones are exact. */
      if (fabs(value) >= (kind == TROUPE_TYPE_FLOAT ? 16777216 : 9007199254740992)) return 0;
    } else {
      return 0;
    }
    if (kind == TROUPE_TYPE_DOUBLE) number->float64 = value;
    else if (kind == TROUPE_TYPE_LONG_DOUBLE) number->long_double = value;
    else number->float32 = (float)value;
    return kind != TROUPE_TYPE_FLOAT || isfinite(number->float32) || !isfinite(value);
  }
  if (!PyLong_Check(object)) return 0;
  int overflow;
  long long value = PyLong_AsLongLongAndOverflow(object, &overflow);
  if (kind == TROUPE_TYPE_UINT64) {
    if (overflow == 0 && value >= 0) {
      number->uint64 = (uint64_t)value;
      return 1;
    }
    if (overflow <= 0) return 0;
    number->uint64 = PyLong_AsUnsignedLongLong(object);
    if (number->uint64 != (uint64_t)-1 || !PyErr_Occurred()) return 1;
    PyErr_Clear();
    return 0;
  }
  if (overflow) return 0;
  switch (kind) {
  case TROUPE_TYPE_BOOL: number->uint8 = (uint8_t)value; return value == 0 || value == 1;
  case TROUPE_TYPE_INT8: number->int8 = (int8_t)value; return number->int8 == value;
  case TROUPE_TYPE_INT16: number->int16 = (int16_t)value; return number->int16 == value;
  case TROUPE_TYPE_INT32: number->int32 = (int32_t)value; return number->int32 == value;
  case TROUPE_TYPE_INT64: number->int64 = value; return 1;
  case TROUPE_TYPE_UINT8: number->uint8 = (uint8_t)value; return number->uint8 == value;
  case TROUPE_TYPE_UINT16: number->uint16 = (uint16_t)value; return number->uint16 == value;
  case TROUPE_TYPE_UINT32: number->uint32 = (uint32_t)value; return number->uint32 == value;
  default: return 0;
  }
}

static inline PyObject *troupe_number_get(const troupe_number *number, troupe_type_kind kind) {
  switch (kind) {
  case TROUPE_TYPE_DOUBLE: return PyFloat_FromDouble(number->float64);
  case TROUPE_TYPE_FLOAT: return PyFloat_FromDouble((double)number->float32);
  case TROUPE_TYPE_LONG_DOUBLE: return PyFloat_FromDouble((double)number->long_double);
  case TROUPE_TYPE_BOOL: return PyBool_FromLong(number->uint8);
  case TROUPE_TYPE_INT8: return PyLong_FromLong(number->int8);
  case TROUPE_TYPE_INT16: return PyLong_FromLong(number->int16);
  case TROUPE_TYPE_INT32: return PyLong_FromLong(number->int32);
  case TROUPE_TYPE_INT64: return PyLong_FromLongLong(number->int64);
  case TROUPE_TYPE_UINT8: return PyLong_FromLong(number->uint8);
  case TROUPE_TYPE_UINT16: return PyLong_FromLong(number->uint16);
  case TROUPE_TYPE_UINT32: return PyLong_FromUnsignedLong(number->uint32);
  case TROUPE_TYPE_UINT64: return PyLong_FromUnsignedLongLong(number->uint64);
  default: Py_UNREACHABLE();
  }
}

static inline intptr_t troupe_number_size(troupe_type_kind kind) {
  switch (kind) {
  case TROUPE_TYPE_BOOL:
  case TROUPE_TYPE_INT8:
  case TROUPE_TYPE_UINT8: return 1;
  case TROUPE_TYPE_INT16:
  case TROUPE_TYPE_UINT16: return 2;
  case TROUPE_TYPE_INT32:
  case TROUPE_TYPE_UINT32:
  case TROUPE_TYPE_FLOAT: return 4;
  case TROUPE_TYPE_INT64:
  case TROUPE_TYPE_UINT64:
  case TROUPE_TYPE_DOUBLE: return 8;
  case TROUPE_TYPE_LONG_DOUBLE: return sizeof(long double);
  default: return 0;
  }
}

/* Calls a function with `count` arguments. Returns NULL without an exception if one is no Python number or does not fit: the caller
 * then converts it otherwise, or reports it. */
static PyObject *troupe_numbers_call(const troupe_numbers *numbers, PyObject *const *arguments) {
  static const intptr_t one = 1;
  troupe_number values[TROUPE_NUMBERS_MAXIMUM + 1];
  char *addresses[TROUPE_NUMBERS_MAXIMUM + 1];
  int32_t count = numbers->count;
  for (int32_t index = 0; index < count; index++) {
    if (!troupe_number_set(&values[index], numbers->kinds[index], arguments[index])) return NULL;
    addresses[index] = (char *)&values[index];
  }
  addresses[count] = (char *)&values[count];
  if (numbers->releases_gil) {
    Py_BEGIN_ALLOW_THREADS
    numbers->loop(addresses, &one, numbers->steps, numbers->data);
    Py_END_ALLOW_THREADS
  } else {
    numbers->loop(addresses, &one, numbers->steps, numbers->data);
  }
  return troupe_number_get(&values[count], numbers->result);
}

/* The state of the thread that holds the GIL if it is this one, and otherwise NULL or another one. PyGILState_Check is true in every
 * thread after the start of a subinterpreter. */
#if PY_VERSION_HEX >= 0x030d0000
#define TROUPE_CURRENT_THREAD PyThreadState_GetUnchecked()
#else
#define TROUPE_CURRENT_THREAD _PyThreadState_UncheckedGet()
#endif

/* Calls a function for the elements of a ufunc, without the GIL. NumPy keeps the GIL for up to 500 elements, since its own functions
 * are short. */
static void troupe_numbers_loop(char **arguments, const intptr_t *counts, const intptr_t *steps, void *data) {
  const troupe_numbers *numbers = data;
  PyThreadState *state = PyGILState_GetThisThreadState();
  if (state && state == TROUPE_CURRENT_THREAD) {
    Py_BEGIN_ALLOW_THREADS
    numbers->loop(arguments, counts, steps, numbers->data);
    Py_END_ALLOW_THREADS
  } else {
    numbers->loop(arguments, counts, steps, numbers->data);
  }
}

#endif
