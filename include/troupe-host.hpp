/*
 * troupe-host.hpp - hosts of plugins in C++17, over troupe-host.h
 *
 *     #include <iostream>
 *     #include <troupe-host.hpp>
 *
 *     int main() {
 *       try {
 *         troupe::Host host({"plugins"});
 *         auto area = host.function<double(double, double)>("area");
 *         std::cout << area(3, 4.5) << "\n";
 *         for (auto &stage : host.transforms({"text"})) std::cout << stage.run("to be transformed");
 *       } catch (const troupe::Error &error) {
 *         std::cerr << error.what() << "\n";
 *       }
 *     }
 *
 *     c++ -std=c++17 main.cpp $(pkg-config --cflags --libs troupe-host) -o main
 *
 * Each class owns a handle of troupe-host.h, can be moved and not copied, and releases the handle in its destructor. The comments there
 * say which threads may use it. Functions that fail throw troupe::Error. `get()` returns the handle, which the object still owns.
 */
#ifndef TROUPE_HOST_HPP
#define TROUPE_HOST_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>
#if __cplusplus >= 202002L
#include <span>
#endif

#include "troupe-host.h"

namespace troupe {

#if __cplusplus >= 202002L
/* A view of contiguous elements, as std::span of C++20. */
template <class Element> using Span = std::span<Element>;
#else
/* A view of contiguous elements, as std::span of C++20. */
template <class Element> class Span {
public:
  Span() = default;
  Span(Element *data, std::size_t size) : data_(data), size_(size) {}
  Element *data() const { return data_; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  Element *begin() const { return data_; }
  Element *end() const { return data_ + size_; }
  Element &operator[](std::size_t index) const { return data_[index]; }

private:
  Element *data_ = nullptr;
  std::size_t size_ = 0;
};
#endif

/* An exception with the code, the subject and the remedy of troupe_error. */
class Error : public std::runtime_error {
public:
  explicit Error(const troupe_error *error)
      : std::runtime_error(troupe_error_message(error)), code_(troupe_error_code(error)), subject_(troupe_error_subject(error)),
        remedy_(troupe_error_remedy(error)), status_(troupe_error_status(error)) {}
  const std::string &code() const noexcept { return code_; }
  const std::string &subject() const noexcept { return subject_; }
  const std::string &remedy() const noexcept { return remedy_; }
  troupe_status status() const noexcept { return status_; }

private:
  std::string code_, subject_, remedy_;
  troupe_status status_;
};

namespace detail {

/* The last argument of a function that may fail. */
class Check {
public:
  Check() = default;
  Check(const Check &) = delete;
  Check &operator=(const Check &) = delete;
  ~Check() { troupe_error_free(error_); }
  operator troupe_error **() { return &error_; }
  /* Throws the error if there is one, and returns the value. */
  template <class Value> Value operator()(Value value) const {
    if (error_) throw Error(error_);
    return value;
  }

private:
  troupe_error *error_ = nullptr;
};

template <class Type, void (*release)(Type *)> struct Release {
  void operator()(Type *object) const { release(object); }
};
template <class Type, void (*release)(Type *)> using Owned = std::unique_ptr<Type, Release<Type, release>>;

inline std::vector<const char *> pointers(const std::vector<std::string> &texts) {
  std::vector<const char *> list;
  for (const std::string &text : texts) list.push_back(text.c_str());
  return list;
}

template <class Type> struct IsContainer : std::false_type {};
template <class Element, class Allocator> struct IsContainer<std::vector<Element, Allocator>> : std::true_type {};
template <class Element> struct IsContainer<Span<Element>> : std::true_type {};

/* The elements of a vector or span, or the type itself. */
template <class Type> struct ElementOf { using type = Type; };
template <class Element, class Allocator> struct ElementOf<std::vector<Element, Allocator>> { using type = Element; };
template <class Element> struct ElementOf<Span<Element>> { using type = std::remove_cv_t<Element>; };

template <class> constexpr bool never = false;

/* The spelling of a type in a signature. */
template <class Type> std::string spelling() {
  if constexpr (std::is_void_v<Type>) return "void";
  else if constexpr (std::is_same_v<Type, bool>) return "bool";
  else if constexpr (std::is_enum_v<Type>) return spelling<std::underlying_type_t<Type>>();
  else if constexpr (std::is_integral_v<Type>)
    return (std::is_signed_v<Type> ? "int" : "uint") + std::to_string(8 * sizeof(Type)) + "_t";
  else if constexpr (std::is_same_v<Type, float>) return "float";
  else if constexpr (std::is_same_v<Type, double>) return "double";
  else if constexpr (std::is_same_v<Type, long double>) return "long double";
  else if constexpr (std::is_same_v<Type, const char *>) return "const char *";
  else if constexpr (std::is_pointer_v<Type>) return "void *";
  else static_assert(never<Type>, "pass the signature of a function with structs as the second argument of Host::function");
}

template <class Type> struct Signature;
template <class Result, class... Arguments> struct Signature<Result(Arguments...)> {
  using Pointer = Result (*)(Arguments...);
  static std::string text() {
    std::string list;
    ((list += (list.empty() ? "" : ", ") + spelling<Arguments>()), ...);
    return spelling<Result>() + " (" + (list.empty() ? "void" : list) + ")";
  }
};

/* The kind of the elements of a column. */
template <class Type> constexpr troupe_type_kind kind() {
  if constexpr (std::is_same_v<Type, bool>) return TROUPE_TYPE_BOOL;
  else if constexpr (std::is_same_v<Type, float>) return TROUPE_TYPE_FLOAT;
  else if constexpr (std::is_same_v<Type, double>) return TROUPE_TYPE_DOUBLE;
  else if constexpr (std::is_same_v<Type, long double>) return TROUPE_TYPE_LONG_DOUBLE;
  else if constexpr (std::is_same_v<Type, const char *>) return TROUPE_TYPE_STRING;
  else if constexpr (std::is_pointer_v<Type>) return TROUPE_TYPE_POINTER;
  else if constexpr (std::is_class_v<Type>) return TROUPE_TYPE_STRUCT;
  else if constexpr (std::is_enum_v<Type>) return kind<std::underlying_type_t<Type>>();
  else {
    static_assert(std::is_integral_v<Type>, "pass a number, a const char *, a pointer, a struct, a std::vector or a Span");
    constexpr troupe_type_kind first = std::is_signed_v<Type> ? TROUPE_TYPE_INT8 : TROUPE_TYPE_UINT8;
    return first + (sizeof(Type) == 1 ? 0 : sizeof(Type) == 2 ? 1 : sizeof(Type) == 4 ? 2 : 3);
  }
}

template <class Type> troupe_column column(const Type &argument) {
  troupe_column column{};
  column.struct_size = sizeof column;
  if constexpr (IsContainer<Type>::value) {
    using Element = typename ElementOf<Type>::type;
    column.kind = kind<Element>();
    column.data = argument.data();
    column.stride = static_cast<std::intptr_t>(sizeof(Element));
    column.count = argument.size();
    column.element_size = sizeof(Element);
  } else {
    column.kind = kind<Type>();
    column.data = &argument;
    column.count = 1;
    column.element_size = sizeof(Type);
  }
  return column;
}

/* True if elements of a C++ type have the layout of those of a parameter. */
template <class Element> bool hasMemoryOf(const troupe_type *type) {
  const bool leadsToStruct = type->kind == TROUPE_TYPE_POINTER || type->kind == TROUPE_TYPE_REFERENCE;
  if (std::is_class_v<Element> && leadsToStruct && type->element) type = type->element;
  if (type->kind == TROUPE_TYPE_ENUM || type->kind == TROUPE_TYPE_SEQUENCE) type = type->element;
  if (type->size != sizeof(Element)) return false;
  constexpr troupe_type_kind given = kind<Element>();
  if (given == TROUPE_TYPE_STRUCT) return type->kind >= TROUPE_TYPE_STRUCT || type->kind == TROUPE_TYPE_COMPLEX;
  if (given == TROUPE_TYPE_POINTER || given == TROUPE_TYPE_STRING) return type->kind >= TROUPE_TYPE_STRING;
  return type->kind == given || (sizeof(Element) == 1 && type->kind != TROUPE_TYPE_BOOL && given != TROUPE_TYPE_BOOL);
}

} // namespace detail

class Object;

/* A result of a call. Its texts and elements are valid until its end. */
class Value {
public:
  Value() { value_.kind = TROUPE_VALUE_VOID; }
  /* Takes ownership of a result. */
  explicit Value(troupe_call_value value) : value_(value) {}
  Value(Value &&other) noexcept : value_(std::exchange(other.value_, Value().value_)) {}
  Value &operator=(Value &&other) noexcept {
    std::swap(value_, other.value_);
    return *this;
  }
  ~Value() { troupe_call_value_clear(&value_); }

  const troupe_call_value &get() const { return value_; }

  /* Returns a number, a boolean, a pointer or a text (`const char *`, std::string, std::string_view). Throws
   * std::invalid_argument for a value of another kind or a number that does not fit. */
  template <class Type> Type as() const { return as<Type>(value_); }
  /* Returns a member of a struct, or an output. Throws std::out_of_range if there is none. */
  const troupe_call_value &operator[](const char *name) const {
    for (std::size_t index = 0; value_.kind == TROUPE_VALUE_STRUCT && index < value_.count; index++)
      if (value_.as.values[index].name && std::strcmp(value_.as.values[index].name, name) == 0) return value_.as.values[index];
    throw std::out_of_range(std::string("the result has no member ") + name);
  }
  /* Takes the object out of a pointer to a struct, so that it outlives this value. Throws std::invalid_argument for a value of another
   * kind. */
  Object object();
  /* Returns the elements of a buffer of numbers. */
  template <class Element> Span<const Element> elements() const { return elements<Element>(value_); }

  template <class Element> static Span<const Element> elements(const troupe_call_value &value) {
    if (value.kind != TROUPE_VALUE_MEMORY) throw std::invalid_argument("the value is no buffer of numbers");
    return Span<const Element>(static_cast<const Element *>(value.as.memory), value.count);
  }
  template <class Type> static Type as(const troupe_call_value &value) {
    if constexpr (std::is_constructible_v<Type, const char *> && !std::is_arithmetic_v<Type>) {
      if (value.kind == TROUPE_VALUE_STRING && (value.as.string || std::is_pointer_v<Type>)) return Type(value.as.string);
    } else if constexpr (std::is_pointer_v<Type>) {
      if (value.kind == TROUPE_VALUE_POINTER) return static_cast<Type>(value.as.pointer);
    } else {
      if (value.kind == TROUPE_VALUE_DOUBLE) return number<Type>(value.as.float64);
      if (value.kind == TROUPE_VALUE_UINT64) return number<Type>(value.as.uint64);
      if (value.kind == TROUPE_VALUE_INT64 || value.kind == TROUPE_VALUE_BOOL) return number<Type>(value.as.int64);
    }
    throw std::invalid_argument("the value is of another kind");
  }

private:
  template <class Type, class Number> static Type number(Number value) {
    if constexpr (std::is_floating_point_v<Type> && std::is_floating_point_v<Number>) {
      return static_cast<Type>(value);
    } else {
      bool fits = true;
      if constexpr (std::is_floating_point_v<Number> && std::is_integral_v<Type>) fits = value >= -9.2e18 && value <= 9.2e18;
      Type result = fits ? static_cast<Type>(value) : Type();
      bool negative = value < Number(), negativeResult = result < Type();
      if (!fits || static_cast<Number>(result) != value || negative != negativeResult)
        throw std::invalid_argument("the number does not fit into the type");
      return result;
    }
  }

  troupe_call_value value_{};
};

namespace detail {

/* Returns an argument of a call, whose memory is borrowed. */
template <class Type> troupe_call_value argument(const Type &given) {
  troupe_call_value value{};
  if constexpr (std::is_same_v<Type, Value>) {
    value = given.get();
  } else if constexpr (std::is_same_v<Type, troupe_call_value>) {
    value = given;
  } else if constexpr (std::is_same_v<Type, troupe_callback>) {
    value.kind = TROUPE_VALUE_CALLBACK;
    value.as.callback = &given;
  } else if constexpr (std::is_same_v<Type, troupe_object *>) {
    value.kind = TROUPE_VALUE_OBJECT;
    value.as.object = given;
  } else if constexpr (std::is_base_of_v<Object, Type>) {
    value.kind = TROUPE_VALUE_OBJECT;
    value.as.object = given.get();
  } else if constexpr (std::is_same_v<Type, bool>) {
    value.kind = TROUPE_VALUE_BOOL;
    value.as.int64 = given;
  } else if constexpr (std::is_enum_v<Type>) {
    value = argument(static_cast<std::underlying_type_t<Type>>(given));
  } else if constexpr (std::is_integral_v<Type> && std::is_signed_v<Type>) {
    value.kind = TROUPE_VALUE_INT64;
    value.as.int64 = given;
  } else if constexpr (std::is_integral_v<Type>) {
    value.kind = TROUPE_VALUE_UINT64;
    value.as.uint64 = given;
  } else if constexpr (std::is_floating_point_v<Type>) {
    static_assert(sizeof(Type) <= sizeof(double), "pass a long double as memory");
    value.kind = TROUPE_VALUE_DOUBLE;
    value.as.float64 = given;
  } else if constexpr (std::is_same_v<Type, std::string_view>) {
    static_assert(never<Type>, "pass a std::string: a std::string_view does not end with a NUL");
  } else if constexpr (std::is_same_v<Type, std::string>) {
    value.kind = TROUPE_VALUE_STRING;
    value.as.string = given.c_str();
  } else if constexpr (std::is_convertible_v<Type, const char *> && !std::is_null_pointer_v<Type>) {
    value.kind = TROUPE_VALUE_STRING;
    value.as.string = given;
  } else if constexpr (IsContainer<Type>::value) {
    value.kind = TROUPE_VALUE_MEMORY;
    value.as.memory = const_cast<void *>(static_cast<const void *>(given.data()));
    value.count = given.size();
  } else if constexpr (std::is_null_pointer_v<Type>) {
    value.kind = TROUPE_VALUE_POINTER;
  } else if constexpr (std::is_pointer_v<Type>) {
    value.kind = TROUPE_VALUE_POINTER;
    if constexpr (std::is_function_v<std::remove_pointer_t<Type>>) value.as.pointer = reinterpret_cast<void *>(given);
    else value.as.pointer = const_cast<void *>(static_cast<const void *>(given));
  } else {
    static_assert(std::is_trivially_copyable_v<Type>, "pass a number, a text, a pointer, a std::vector, a Span or a plain struct");
    value.kind = TROUPE_VALUE_MEMORY;
    value.as.memory = const_cast<void *>(static_cast<const void *>(&given));
    value.count = 1;
  }
  return value;
}

} // namespace detail

/* What a pointer leads to, for as long as this object exists: a struct to which a call returned a pointer, Memory, or a Callback. It is an
 * argument of calls and of `write`. Structs that a signature defines are objects with `other.has_references` of Options.
 *
 *     troupe::Object list = host.function("node_new").call(nullptr, 1).object();
 *     list.write("next.value", 2);
 *     int value = list.read<int>("next.value");
 */
class Object {
public:
  /* Takes ownership of an object. */
  explicit Object(troupe_object *object) : object_(object) {}
  troupe_object *get() const { return object_.get(); }
  /* Returns nullptr after the library has released the object, and for an object in a worker. */
  void *address() const { return troupe_object_address(get()); }
  const troupe_type &type() const { return *troupe_object_type(get()); }

  /* Reads a member or an element, such as "next.value" or "[2].x", or all of them. A member that is a pointer to a struct is an object,
   * which keeps this one. */
  Value read(const std::string &path = "") const {
    troupe_call_value value;
    detail::Check check;
    check(troupe_object_read(get(), path.c_str(), &value, check));
    return Value(value);
  }
  /* Reads a number, a boolean, a pointer or a std::string. */
  template <class Type> Type read(const std::string &path) const {
    static_assert(!std::is_same_v<Type, const char *> && !std::is_same_v<Type, std::string_view>, "read a std::string, which is a copy");
    return read(path).template as<Type>();
  }
  /* Writes a member or an element, or all of them: what `Function::call` takes. The object keeps a text or object that it then points to. */
  template <class Type> void write(const std::string &path, const Type &given) {
    const troupe_call_value value = detail::argument(given);
    detail::Check check;
    check(troupe_object_write(get(), path.c_str(), &value, check));
  }

private:
  detail::Owned<troupe_object, troupe_object_free> object_;
};

inline Object Value::object() {
  if (value_.kind != TROUPE_VALUE_OBJECT && value_.kind != TROUPE_VALUE_REFERENCE)
    throw std::invalid_argument("the value is no pointer to a struct");
  value_.kind = TROUPE_VALUE_VOID;
  return Object(value_.as.object);
}

/* Memory of a C type, zero at first, for a library that keeps the pointer beyond a call.
 *
 *     troupe::Memory state("struct state { int x; double sum[4]; }");
 */
class Memory : public Object {
public:
  explicit Memory(const std::string &type, std::size_t count = 1) : Object(make(type, count)) {}

private:
  static troupe_object *make(const std::string &type, std::size_t count) {
    detail::Check check;
    return check(troupe_memory_new(type.c_str(), count, check));
  }
};

/* A C function of a plugin. */
class Function {
public:
  explicit Function(troupe_function_t *function) : function_(function) {}
  troupe_function_t *get() const { return function_.get(); }
  std::string_view name() const { return troupe_function_name(get()); }
  const troupe_signature &signature() const { return *troupe_function_signature(get()); }

  /* Calls the function. Arguments are numbers, booleans, texts, pointers, std::vector and Span for buffers, which are not copied, plain
   * structs, troupe_callback, objects, and results of other calls. Throws std::invalid_argument for elements or structs of another kind or size
   * than the parameter's. */
  template <class... Arguments> Value call(const Arguments &...arguments) const {
    [[maybe_unused]] std::size_t index = 0;
    (checkMemory<Arguments>(index++), ...);
    const troupe_call_value values[] = {detail::argument(arguments)..., troupe_call_value{}};
    troupe_call_value result;
    detail::Check check;
    check(troupe_function_call(get(), values, sizeof...(Arguments), &result, check));
    return Value(result);
  }

  /* Calls the function once for each row. A std::vector or a Span is a column with the parameter's type; one element, and any other
   * argument, is repeated for all rows; a buffer goes to all rows as a whole. Returns the results. Unlike `call`, does not convert values:
   * the types of the arguments and Result must be those of the parameters and the result. For example, pass `3.0` to a parameter of type
   * double. For `3`, an int, `map` throws an Error with the code invalidData. Throws std::invalid_argument for columns of different
   * lengths. */
  template <class Result, class... Arguments> std::vector<Result> map(const Arguments &...arguments) const {
    troupe_column columns[] = {detail::column(arguments)..., troupe_column{}};
    std::vector<Result> results(rowCount(columns, sizeof...(Arguments)));
    map(columns, sizeof...(Arguments), Span<Result>(results.data(), results.size()));
    return results;
  }
  /* Calls the function once for each row, and stores the results in memory of the caller, one element for each row. */
  template <class Result, class... Arguments> void map(Span<Result> results, const Arguments &...arguments) const {
    troupe_column columns[] = {detail::column(arguments)..., troupe_column{}};
    std::size_t rows = rowCount(columns, sizeof...(Arguments));
    if (rows != 1 && rows != results.size()) throw std::invalid_argument(lengths(rows, results.size()));
    map(columns, sizeof...(Arguments), results);
  }

private:
  template <class Result> void map(const troupe_column *columns, std::size_t count, Span<Result> results) const {
    std::vector<const troupe_column *> addresses;
    for (std::size_t index = 0; index < count; index++) addresses.push_back(&columns[index]);
    troupe_output_column output{};
    output.struct_size = sizeof output;
    output.kind = detail::kind<Result>();
    output.data = results.data();
    output.stride = static_cast<std::intptr_t>(sizeof(Result));
    output.element_size = sizeof(Result);
    troupe_output_column *outputs[] = {&output};
    detail::Check check;
    check(troupe_function_map(get(), addresses.data(), count, results.size(), outputs, 1, nullptr, check));
  }

  /* Returns the parameter of an argument, or nullptr. */
  const troupe_parameter *parameter(std::size_t argument) const {
    for (std::size_t index = 0; index < signature().parameter_count; index++)
      if (signature().parameters[index]->takes_argument && argument-- == 0) return signature().parameters[index];
    return nullptr;
  }

  /* Returns the number of rows of some columns, and makes those of one element repeat it. */
  std::size_t rowCount(troupe_column *columns, std::size_t count) const {
    std::size_t rows = 1;
    for (std::size_t index = 0; index < count; index++) {
      const troupe_parameter *known = parameter(index);
      if (known && known->passing == TROUPE_PASSING_BUFFER) continue;
      if (columns[index].count == 1) {
        columns[index].stride = 0;
        continue;
      }
      if (rows != 1 && rows != columns[index].count) throw std::invalid_argument(lengths(rows, columns[index].count));
      rows = columns[index].count;
    }
    return rows;
  }

  static std::string lengths(std::size_t first, std::size_t second) {
    return "columns of " + std::to_string(first) + " and of " + std::to_string(second) + " rows; give columns of one length";
  }

  template <class Argument> void checkMemory(std::size_t index) const {
    using Element = typename detail::ElementOf<Argument>::type;
    constexpr bool isValue = std::is_same_v<Argument, Value> || std::is_same_v<Argument, troupe_call_value> ||
                             std::is_same_v<Argument, troupe_callback> || std::is_base_of_v<Object, Argument> ||
                             std::is_same_v<Argument, std::string> ||
                             std::is_same_v<Argument, std::nullptr_t> || std::is_convertible_v<Argument, const char *>;
    if constexpr (detail::IsContainer<Argument>::value || (std::is_class_v<Argument> && !isValue)) {
      const troupe_parameter *known = parameter(index);
      if (known && !detail::hasMemoryOf<Element>(known->type))
        throw std::invalid_argument("argument " + std::to_string(index + 1) + " has elements of another type than " + known->type->name);
    }
  }

  detail::Owned<troupe_function_t, troupe_function_free> function_;
};

/* A C function that calls a function of the program, for a library that keeps the pointer beyond a call. The plugin decides on which threads
 * it runs. An exception gives C zero, and fails the call that has the callback as an argument. C that calls it after the end of this object
 * gets zero.
 *
 *     troupe::Function keep = host.function("keep");
 *     troupe::Callback<int(int)> twice(keep, [](int number) { return 2 * number; });
 *     keep.call(twice);
 */
template <class Type> class Callback;
template <class Result, class... Arguments> class Callback<Result(Arguments...)> : public Object {
  static_assert(std::is_void_v<Result> || std::is_arithmetic_v<Result> || std::is_enum_v<Result> || std::is_pointer_v<Result>,
                "a callback returns a number or a pointer");

public:
  using Body = std::function<Result(Arguments...)>;

  /* Takes the type in C from the only callback among the parameters of a function. Throws std::invalid_argument unless there is one. */
  Callback(const Function &function, Body body) : Callback(typeOf(function), std::move(body)) {}
  /* Takes the type in C as text, such as "int (int number)". An argument is a number, a boolean, a pointer, a text that lasts for the call, or
   * `const troupe_call_value &` for any other type. */
  Callback(const std::string &signature, Body body) : Object(make(signature, std::make_unique<Body>(std::move(body)))) {}

private:
  static std::string typeOf(const Function &function) {
    const troupe_type *found = nullptr;
    for (std::size_t index = 0; index < function.signature().parameter_count; index++) {
      const troupe_type *type = function.signature().parameters[index]->type;
      if (type->kind != TROUPE_TYPE_CALLBACK) continue;
      if (found) throw std::invalid_argument(std::string(function.name()) + " takes several callbacks; pass the signature of one");
      found = type;
    }
    if (!found) throw std::invalid_argument(std::string(function.name()) + " takes no callback; pass a signature");
    return found->signature->text;
  }

  static troupe_object *make(const std::string &signature, std::unique_ptr<Body> body) {
    auto invoke = [](void *context, const troupe_call_value *arguments, std::size_t,
                     troupe_call_value *result) noexcept -> troupe_status {
      try {
        call(*static_cast<Body *>(context), arguments, result, std::index_sequence_for<Arguments...>());
        return TROUPE_OK;
      } catch (...) {
        return TROUPE_FAILED;
      }
    };
    const troupe_callback callback{invoke, body.get()};
    detail::Check check;
    auto *object = check(troupe_callback_new(
      signature.c_str(), &callback, [](void *context) noexcept { delete static_cast<Body *>(context); }, check));
    body.release();
    return object;
  }

  template <std::size_t... index>
  static void call(Body &body, [[maybe_unused]] const troupe_call_value *arguments, troupe_call_value *result,
                   std::index_sequence<index...>) {
    if constexpr (std::is_void_v<Result>) {
      body(argument<Arguments>(arguments[index])...);
      *result = troupe_call_value{};
      result->kind = TROUPE_VALUE_VOID;
    } else {
      *result = detail::argument(body(argument<Arguments>(arguments[index])...));
    }
  }

  template <class Argument> static decltype(auto) argument(const troupe_call_value &value) {
    if constexpr (std::is_same_v<Argument, const troupe_call_value &>) return (value);
    else return Value::as<Argument>(value);
  }
};

/* A C function of a plugin with a C++ type, which was compared with the function's. A call is a direct call, so that the function must be
 * thread-safe; see troupe_function_is_thread_safe. */
template <class Type> class TypedFunction;
template <class Result, class... Arguments> class TypedFunction<Result(Arguments...)> {
public:
  TypedFunction(Function function, const std::string &signature) : function_(std::move(function)) {
    detail::Check check;
    address_ = reinterpret_cast<Result (*)(Arguments...)>(check(troupe_function_address(function_.get(), signature.c_str(), check)));
  }
  Result operator()(Arguments... arguments) const { return address_(arguments...); }
  Result (*address() const)(Arguments...) { return address_; }
  const Function &function() const { return function_; }

private:
  Function function_;
  Result (*address_)(Arguments...);
};

/* Plugins, registrations or workers, to be used in a range-based `for`. */
template <class List, class Item, void (*release)(List *)> class Items {
public:
  class Iterator {
  public:
    explicit Iterator(const Item *const *item) : item_(item) {}
    const Item &operator*() const { return **item_; }
    const Item *operator->() const { return *item_; }
    Iterator &operator++() {
      ++item_;
      return *this;
    }
    bool operator!=(const Iterator &other) const { return item_ != other.item_; }

  private:
    const Item *const *item_;
  };

  explicit Items(List *list) : list_(list) {}
  std::size_t size() const { return list_->count; }
  const Item &operator[](std::size_t index) const { return *list_->items[index]; }
  Iterator begin() const { return Iterator(list_->items); }
  Iterator end() const { return Iterator(list_->items + list_->count); }

private:
  detail::Owned<List, release> list_;
};
using Plugins = Items<troupe_plugin_list, troupe_plugin, troupe_plugin_list_free>;
using Registrations = Items<troupe_registration_list, troupe_registration, troupe_registration_list_free>;
using Workers = Items<troupe_worker_list, troupe_worker, troupe_worker_list_free>;

/* An instance that a factory made. */
class Instance {
public:
  Instance(std::shared_ptr<troupe_instance_list> list, std::size_t index) : list_(std::move(list)), instance_(list_->items[index]) {}
  Instance(Instance &&) = default;
  Instance &operator=(Instance &&) = default;
  troupe_instance_t *get() const { return instance_; }
  const troupe_registration &registration() const { return *troupe_instance_registration(instance_); }
  bool isTransform() const { return troupe_instance_is_transform(instance_) != 0; }
  /* Returns the object and the contract's table. */
  template <class Table> std::pair<void *, const Table *> object() const {
    const void *table = nullptr;
    void *object = troupe_instance_object(instance_, &table);
    return {object, static_cast<const Table *>(table)};
  }

private:
  std::shared_ptr<troupe_instance_list> list_;
  troupe_instance_t *instance_;
};

/* An instance that transforms bytes. */
class Transform : public Instance {
public:
  using Instance::Instance;

  /* Passes bytes to the transform, and its output to `sink(std::string_view)`. An exception of the sink ends the transform and is thrown
   * again. */
  template <class Sink> void feed(std::string_view bytes, Sink &&sink) {
    run(sink, [&](troupe_write write, void *context, troupe_error **error) {
      return troupe_transform_feed(get(), bytes.data(), bytes.size(), write, context, error);
    });
  }
  /* Ends the input, and passes the rest of the output to the sink. */
  template <class Sink> void finish(Sink &&sink) {
    run(sink, [&](troupe_write write, void *context, troupe_error **error) {
      return troupe_transform_finish(get(), write, context, error);
    });
  }
  /* Makes the transform as new for another input; false if its stage cannot, so that another one has to be resolved. */
  bool reset() { return troupe_transform_reset(get()) != 0; }
  /* Transforms a whole text. */
  std::string run(std::string_view input) {
    std::string output;
    auto sink = [&](std::string_view bytes) { output.append(bytes); };
    feed(input, sink);
    finish(sink);
    return output;
  }

private:
  template <class Sink> struct Context {
    Sink &sink;
    std::exception_ptr failure;
  };

  template <class Sink, class Step> static void run(Sink &sink, Step step) {
    Context<Sink> context{sink, nullptr};
    detail::Check check;
    troupe_write write = [](void *pointer, const void *bytes, std::size_t count) -> troupe_status {
      auto *context = static_cast<Context<Sink> *>(pointer);
      try {
        context->sink(std::string_view(static_cast<const char *>(bytes), count));
        return TROUPE_OK;
      } catch (...) {
        context->failure = std::current_exception();
        return TROUPE_FAILED;
      }
    };
    troupe_status status = step(write, &context, check);
    if (context.failure) std::rethrow_exception(context.failure);
    check(status);
  }
};

/* A lifetime of instances with TROUPE_SCOPED. */
class Scope {
public:
  explicit Scope(troupe_scope *scope) : scope_(scope) {}
  troupe_scope *get() const { return scope_.get(); }

private:
  detail::Owned<troupe_scope, troupe_scope_free> scope_;
};

/* A FIFO of a host's events with a file descriptor, for a program that polls. */
class EventQueue {
public:
  explicit EventQueue(troupe_event_queue *queue) : queue_(queue) {}
  int descriptor() const { return troupe_event_queue_descriptor(queue_.get()); }
  /* Returns the oldest event, which is valid until the next call, or nullptr. */
  const troupe_event *next() { return troupe_event_queue_next(queue_.get()); }
  bool hasEnded() const { return troupe_event_queue_has_ended(queue_.get()) != 0; }

private:
  detail::Owned<troupe_event_queue, troupe_event_queue_free> queue_;
};

/* The calls of a function with the events of a host. The function must not throw; an exception ends the program. */
class EventListener {
public:
  using Callback = std::function<void(const troupe_event &)>;
  EventListener(troupe_host_t *host, Callback callback) : callback_(std::make_unique<Callback>(std::move(callback))) {
    detail::Check check;
    // An exception must not unwind into the library.
    auto call = [](void *context, const troupe_event *event) noexcept { (*static_cast<Callback *>(context))(*event); };
    listener_.reset(check(troupe_event_listener_new(host, call, callback_.get(), check)));
  }
  EventListener(EventListener &&) = default;
  EventListener &operator=(EventListener &&other) noexcept {
    // In this order, since the old listener may still be calling the old callback.
    listener_ = std::move(other.listener_);
    callback_ = std::move(other.callback_);
    return *this;
  }

private:
  // Released after the listener, which waits for the call under way.
  std::unique_ptr<Callback> callback_;
  detail::Owned<troupe_event_listener, troupe_event_listener_free> listener_;
};

/* The options of a host; see troupe_host_options. */
struct Options {
  struct Setting {
    std::string plugin, key, value;
  };
  /* Where the code of a plugin runs; see troupe_host_isolation. */
  struct Isolation {
    /* The plugin's id; empty for all plugins without an entry of their own. */
    std::string plugin;
    /* The policy of the worker, empty for the strict one; no value for the process of the host. */
    std::optional<std::string> policy;
  };
  std::vector<std::string> directories;
  std::vector<std::string> files;
  std::vector<Setting> settings;
  std::string pins;
  std::vector<Isolation> isolations;
  /* The options that have no member above. Its directories, files, settings and isolations are ignored, and its pins unless `pins` is
   * empty. */
  troupe_host_options other{};
};

/* A host: the plugins of some directories, and their registrations. */
class Host {
public:
  explicit Host(std::vector<std::string> directories) : Host(Options{std::move(directories), {}, {}, {}, {}, {}}) {}
  explicit Host(const Options &options) {
    auto directories = detail::pointers(options.directories), files = detail::pointers(options.files);
    std::vector<troupe_host_setting> settings;
    for (const auto &setting : options.settings)
      settings.push_back({setting.plugin.c_str(), setting.key.c_str(), setting.value.c_str()});
    std::vector<troupe_host_isolation> isolations;
    for (const auto &isolation : options.isolations)
      isolations.push_back({isolation.plugin.empty() ? nullptr : isolation.plugin.c_str(),
                            isolation.policy ? isolation.policy->c_str() : nullptr});
    troupe_host_options given = options.other;
    given.struct_size = sizeof given;
    given.directories = directories.data();
    given.directory_count = directories.size();
    given.files = files.data();
    given.file_count = files.size();
    given.settings = settings.data();
    given.setting_count = settings.size();
    given.isolations = isolations.data();
    given.isolation_count = isolations.size();
    if (!options.pins.empty()) given.pins = options.pins.c_str();
    detail::Check check;
    host_.reset(check(troupe_host_start(&given, check)));
  }

  troupe_host_t *get() const { return host_.get(); }
  Plugins plugins() const { return Plugins(troupe_host_plugins(get())); }
  Registrations registrations() const { return Registrations(troupe_host_registrations(get())); }
  Workers workers() const {
    detail::Check check;
    return Workers(check(troupe_host_workers(get(), check)));
  }

  /* Returns the function with a name or UUID. */
  Function function(const std::string &name) const {
    detail::Check check;
    return Function(check(troupe_host_function(get(), name.c_str(), check)));
  }
  /* Returns the function with a C++ type, such as double(double, double). */
  template <class Type> TypedFunction<Type> function(const std::string &name) const {
    return TypedFunction<Type>(function(name), detail::Signature<Type>::text());
  }
  /* Returns a function with structs, whose C++ type has no signature: `signature` is its type in C. */
  template <class Type> TypedFunction<Type> function(const std::string &name, const std::string &signature) const {
    return TypedFunction<Type>(function(name), signature);
  }

  Scope scope() const { return Scope(troupe_scope_new(get())); }

  /* Returns an instance of each registration with all of the tags. */
  std::vector<Instance> resolve(const std::vector<std::string> &tags, const char *contract = nullptr,
                                const Scope *scope = nullptr, const std::vector<troupe_call_value> &arguments = {}) const {
    return instances<Instance>(tags, contract, scope, arguments);
  }
  /* Returns a transform of each registration with all of the tags. */
  std::vector<Transform> transforms(const std::vector<std::string> &tags, const Scope *scope = nullptr,
                                    const std::vector<troupe_call_value> &arguments = {}) const {
    return instances<Transform>(tags, "troupe.transform/1", scope, arguments);
  }

  /* Returns true if the plugin's file has changed. */
  bool reload(const std::string &id) {
    std::int32_t isReplaced = 0;
    detail::Check check;
    check(troupe_host_reload(get(), id.c_str(), &isReplaced, check));
    return isReplaced != 0;
  }
  bool refresh() { return troupe_host_refresh(get()) != 0; }
  void retire(const std::string &id) {
    detail::Check check;
    check(troupe_host_retire(get(), id.c_str(), check));
  }
  void shutdown() { troupe_host_shutdown(get()); }

  EventQueue events() const {
    detail::Check check;
    return EventQueue(check(troupe_event_queue_new(get(), check)));
  }
  EventListener listen(EventListener::Callback callback) const { return EventListener(get(), std::move(callback)); }

private:
  template <class Type>
  std::vector<Type> instances(const std::vector<std::string> &tags, const char *contract, const Scope *scope,
                              const std::vector<troupe_call_value> &arguments) const {
    auto texts = detail::pointers(tags);
    troupe_request request{};
    request.struct_size = sizeof request;
    request.tags = texts.data();
    request.tag_count = texts.size();
    request.contract = contract;
    request.arguments = arguments.data();
    request.argument_count = arguments.size();
    request.scope = scope ? scope->get() : nullptr;
    detail::Check check;
    std::shared_ptr<troupe_instance_list> list(check(troupe_host_resolve(get(), &request, check)), troupe_instance_list_free);
    std::vector<Type> instances;
    for (std::size_t index = 0; index < list->count; index++) instances.emplace_back(list, index);
    return instances;
  }

  detail::Owned<troupe_host_t, troupe_host_free> host_;
};

} // namespace troupe

#endif /* TROUPE_HOST_HPP */
