import TroupeCall

/// The C functions that the tests of calls over columns call.
enum ColumnFixture {
  static let library = Result { try CLibrary(sources: [source], compilers: [["cc", "-O1"]]) }

  /// Prepares a call of a function.
  static func call(_ name: String, _ signature: String) throws -> PreparedCall {
    try PreparedCall(signature: Signature(parsing: signature), function: library.get().function(name))
  }

  /// The types of numbers, each as C spells it.
  static let types = [
    "bool", "int8_t", "int16_t", "int32_t", "int64_t", "uint8_t", "uint16_t", "uint32_t", "uint64_t", "float", "double",
  ]
  /// The number of functions of each of the lists below.
  static let signatureCount = 80

  /// The parameters of one of the functions `sum_N`: of mixed types, all `float` or all `double`, and from 0 to 12 of them.
  static func parameters(_ index: Int) -> [String] {
    let count = index % 13
    switch index / 13 {
    case 0: return Array(repeating: "double", count: count)
    case 1: return Array(repeating: "float", count: count)
    default: return (0..<count).map { types[(index * 7 + $0 * (1 + index % 5)) % types.count] }
    }
  }

  /// The result of one of the functions `sum_N`.
  static func result(_ index: Int) -> String {
    switch index / 13 {
    case 0: "double"
    case 1: "float"
    default: types[index % types.count]
    }
  }

  private static var source: String {
    """
    #include <complex.h>
    #include <errno.h>
    #include <stdbool.h>
    #include <stddef.h>
    #include <stdint.h>
    #include <string.h>

    \((0..<signatureCount).map(sum).joined(separator: "\n"))

    double area(double width, double height) { return width * height; }
    struct point { double x, y; };
    struct mixed { int32_t count; float ratio; double weights[3]; };
    struct point middle(struct point a, struct point b) { return (struct point){(a.x + b.x) / 2, (a.y + b.y) / 2}; }
    struct mixed scaled(struct mixed value, int8_t factor) {
      value.count *= factor;
      for (int i = 0; i < 3; i++) value.weights[i] *= factor;
      return value;
    }
    double norm(const struct point *point) { return point->x * point->x + point->y * point->y; }
    long double longer(long double x, int y) { return x + y; }
    double _Complex turned(double _Complex x) { return x * I; }
    int divided(int a, int b, int *rest) {
      if (b == 0) { errno = EDOM; return -1; }
      *rest += a % b;
      return a / b;
    }
    int checked(int x) { return x == 13 ? 1 : 0; }
    void counted(int *count, double step, double *total) { (*count)++; *total += step; }
    int length(const char *text) { return text ? (int)strlen(text) : -1; }
    const char *unchanged(const char *text) { return text; }
    double polynomial(const double factors[], size_t count, double x) {
      double sum = 0;
      for (size_t i = count; i > 0; i--) sum = sum * x + factors[i - 1];
      return sum;
    }
    const void *address(const double factors[], size_t count, double x) { return factors; }
    double element(const double *values, int rows, int columns, int row, int column) { return values[row * columns + column]; }
    int words(const char *const list[]) { int n = 0; while (list[n]) n++; return n; }
    enum color { red, green = 7 };
    enum color next_color(enum color color) { return color == red ? green : red; }
    static _Thread_local int calls;
    int count_calls(void) { return ++calls; }
    void silent(int x) { calls += x; }
    int apply(int (*function)(int), int x) { return function(x); }
    double seen[4];
    const void *seen_columns[3];
    void area_map(char **args, const intptr_t *dimensions, const intptr_t *steps, void *data) {
      for (int i = 0; i < 3; i++) seen_columns[i] = args[i];
      for (intptr_t i = 0; i < dimensions[0]; i++)
        *(double *)(args[2] + i * steps[2]) = *(double *)(args[0] + i * steps[0]) * *(double *)(args[1] + i * steps[1]) + 1000;
    }
    """
  }

  /// A function that adds up its parameters, each multiplied by its position from 1, without overflow of signed numbers.
  private static func sum(_ index: Int) -> String {
    let parameters = parameters(index)
    let list = parameters.isEmpty ? "void" : parameters.enumerated().map { "\($1) x\($0)" }.joined(separator: ", ")
    let isReal = ["float", "double"].contains(result(index))
    let terms = parameters.enumerated().map { position, type in
      let isRealParameter = ["float", "double"].contains(type)
      let value =
        isReal ? "(double)x\(position)" : isRealParameter ? "(uint64_t)(int64_t)x\(position)" : "(uint64_t)x\(position)"
      return " + \(value) * \(position + 1)"
    }
    return "\(result(index)) sum_\(index)(\(list)) { return (\(result(index)))(3\(terms.joined())); }"
  }
}
