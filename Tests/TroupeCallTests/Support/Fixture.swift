import TroupeCall

/// The C functions that the tests call.
enum Fixture {
  static let library = Result { try CLibrary(source: source) }

  /// Prepares a call of a function of the fixture.
  static func call(_ name: String, _ signature: String) throws -> PreparedCall {
    try PreparedCall(signature: Signature(parsing: signature), function: library.get().function(name))
  }

  /// Prepares a call of a function of libc or libm.
  static func systemCall(_ name: String, _ signature: String) throws -> PreparedCall {
    try PreparedCall(signature: Signature(parsing: signature), function: CLibrary.systemFunction(name))
  }

  /// The integer types, each with the name of the function that returns its argument.
  static let echoes = CType.Integer.all.map { ($0, "echo_" + $0.name.replacing(" ", with: "_")) }

  /// The parameter counts of the functions `sum_N`, `weigh_N` and `mix_N`.
  static let counts = [0, 1, 6, 7, 9, 24, 300, 1024]

  private static var source: String {
    """
    #include <stdbool.h>
    #include <stddef.h>
    #include <stdint.h>
    #include <uchar.h>
    #include <wchar.h>
    #include <string.h>
    #include <sys/types.h>

    \(echoes.map { type, name in "\(type.name) \(name)(\(type.name) x) { return x; }" }.joined(separator: "\n"))
    bool echo_bool(bool x) { return x; }
    float echo_float(float x) { return x; }
    double echo_double(double x) { return x; }
    void *echo_pointer(void *x) { return x; }
    const char *echo_string(const char *x) { return x; }

    bool is_not(bool x) { return !x; }
    uint64_t bits_of_double(double x) { uint64_t bits; memcpy(&bits, &x, sizeof bits); return bits; }
    uint32_t bits_of_float(float x) { uint32_t bits; memcpy(&bits, &x, sizeof bits); return bits; }
    double double_of_bits(uint64_t bits) { double x; memcpy(&x, &bits, sizeof x); return x; }
    float float_of_bits(uint32_t bits) { float x; memcpy(&x, &bits, sizeof x); return x; }
    void store(int32_t *place, int32_t x) { *place = x; }
    bool is_null(const void *x) { return x == NULL; }
    const char *no_string(void) { return NULL; }
    const char *not_utf8(void) { return "caf\\xe9"; }
    void *no_pointer(void) { return NULL; }
    const void *first(const void *resolver, int x, const void *again) { return x && resolver == again ? resolver : NULL; }
    size_t lengths(const char *a, const char *b, const char *c) { return strlen(a) * 10000 + strlen(b) * 100 + strlen(c); }
    int eight_bits(int8_t a, uint8_t b, int8_t c, uint8_t d, int8_t e, uint8_t f, int8_t g, uint8_t h) {
      return a == -128 && b == 255 && c == 127 && d == 0 && e == -1 && f == 128 && g == 1 && h == 254;
    }

    \(counts.map { function("sum", "uint64_t", $0) { i in "uint64_t x\(i)" } }.joined(separator: "\n"))
    \(counts.map { function("weigh", "double", $0) { i in "double x\(i)" } }.joined(separator: "\n"))
    \(counts.map { function("mix", "double", $0) { i in "\(mixedType(i)) x\(i)" } }.joined(separator: "\n"))
    """
  }

  /// The parameter type at each position. The mixed functions use all sizes and both kinds of register.
  static func mixedType(_ index: Int) -> String {
    ["double", "int8_t", "float", "uint32_t", "int64_t", "uint16_t", "bool"][index % 7]
  }

  /// A function that adds up its parameters, each multiplied by its position from 1.
  private static func function(_ name: String, _ type: String, _ count: Int, _ parameter: (Int) -> String) -> String {
    let parameters = count == 0 ? "void" : (0..<count).map(parameter).joined(separator: ", ")
    let sum = (0..<count).map { "+ (\(type))x\($0) * \($0 + 1)" }.joined(separator: " ")
    return "\(type) \(name)_\(count)(\(parameters)) { return 0 \(sum); }"
  }
}
