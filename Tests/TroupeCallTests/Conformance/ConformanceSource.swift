@testable import TroupeCall

/// Writes the C side of the conformance suite.
enum ConformanceSource {
  /// The beginning of every file.
  static let prelude = """
    #include <complex.h>
    #include <stdarg.h>
    #include <stdbool.h>
    #include <stddef.h>
    #include <stdint.h>
    #include <string.h>
    #include <sys/types.h>
    #include <uchar.h>
    #include <wchar.h>
    #define packed __attribute__((packed))
    struct opaque;
    #define START 0xcbf29ce484222325u
    __attribute__((visibility("hidden"))) void hash(uint64_t *state, const void *bytes, size_t size);
    __attribute__((visibility("hidden"))) void hash_text(uint64_t *state, const char *text);
    __attribute__((visibility("hidden"))) void fill(uint64_t *state, void *bytes, size_t size);
    __attribute__((visibility("hidden"))) bool fill_bool(uint64_t *state);
    __attribute__((visibility("hidden"))) const char *fill_text(uint64_t *state);
    __attribute__((visibility("hidden"))) void fill_long(uint64_t *state, void *bytes);
    \(ConformanceTypes.enumerations.map { $0.c + ";" }.joined(separator: "\n"))

    """

  /// The functions used by all others.
  static let support = """
    void hash(uint64_t *state, const void *bytes, size_t size) {
      for (size_t i = 0; i < size; i++) *state = (*state ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3u;
    }
    void hash_text(uint64_t *state, const char *text) {
      if (text) hash(state, text, strlen(text) + 1); else hash(state, "\\xff", 1);
    }
    static uint64_t next(uint64_t *state) {
      uint64_t z = *state += 0x9e3779b97f4a7c15u;
      z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
      z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
      return z ^ (z >> 31);
    }
    void fill(uint64_t *state, void *bytes, size_t size) {
      uint64_t word = next(state);
      memcpy(bytes, &word, size);
    }
    bool fill_bool(uint64_t *state) { return next(state) & 1; }
    const char *fill_text(uint64_t *state) {
      static const char *const texts[] = {
        \(ConformanceValues.texts.map { $0.map { "\"\($0)\"" } ?? "NULL" }.joined(separator: ", "))
      };
      return texts[next(state) % 5];
    }
    void fill_long(uint64_t *state, void *bytes) {
      uint64_t significand = next(state) | (uint64_t)1 << 63, bits = next(state);
      uint16_t exponent = (uint16_t)(bits % 32766 + 1 + (bits >> 63 << 15));
      memcpy(bytes, &significand, 8);
      memcpy((char *)bytes + 8, &exponent, 2);
    }

    """

  /// The declarations and definitions for a record.
  static func record(_ record: ConformanceTypes.Record, _ type: CType) -> (declaration: String, definition: String) {
    let tag = record.spelled.text.split(separator: " ")[1]
    let prototypes = [
      "void hash_\(tag)(uint64_t *state, const \(record.spelled.text) *v)",
      "void fill_\(tag)(uint64_t *state, \(record.spelled.text) *v)",
    ]
    let declaration =
      record.definition + ";\n"
      + prototypes.map { "__attribute__((visibility(\"hidden\"))) \($0);\n" }.joined()
    let definition = """
      \(prototypes[0]) { \(members(of: type, "(*v)", hashing)) }
      \(prototypes[1]) { \(members(of: type, "(*v)", filling)) }
      const size_t layout_\(tag)[] = { sizeof(\(record.spelled.text)), _Alignof(\(record.spelled.text))\
      \(offsets(type, "", record.spelled.text)) };

      """
    return (declaration, definition)
  }

  /// The offsets of all members, including nested ones, as C computes them.
  private static func offsets(_ type: CType, _ path: String, _ record: String) -> String {
    guard case .record(let inner) = type else { return "" }
    return inner.members.map { member in
      let name = path + member.name
      return ", offsetof(\(record), \(name)), sizeof(((\(record) *)0)->\(name))" + offsets(member.type, name + ".", record)
    }.joined()
  }

  /// Returns a statement for each scalar in a value.
  private static func each(_ type: CType, _ place: String, _ statement: (CType, String) -> String, depth: Int = 0) -> String {
    switch type {
    case .record: members(of: type, place, statement, depth: depth)
    case .array(let element, let count):
      "for (int i\(depth) = 0; i\(depth) < \(count); i\(depth)++) { "
        + each(element, "\(place)[i\(depth)]", statement, depth: depth + 1) + " }"
    case .complex(let real):
      // C reports an array of two.
      ["0", "1"].map { statement(real.type, "((\(real.rawValue) *)&\(place))[\($0)]") }.joined(separator: " ")
    default: statement(type, place)
    }
  }

  private static func members(
    of type: CType, _ place: String, _ statement: (CType, String) -> String, depth: Int = 0
  ) -> String {
    guard case .record(let record) = type else { return "" }
    let members = record.kind == .union ? [ConformanceValues.active(record)] : record.members
    return members.map { each($0.type, "\(place).\($0.name)", statement, depth: depth) }.joined(separator: " ")
  }

  private static func hashing(_ type: CType, _ place: String) -> String {
    switch type {
    case .string: "hash_text(state, \(place));"
    case .longDouble: "hash(state, &\(place), 10);"
    default: "hash(state, &\(place), sizeof \(place));"
    }
  }

  private static func filling(_ type: CType, _ place: String) -> String {
    switch type {
    case .bool: "\(place) = fill_bool(state);"
    case .string: "\(place) = fill_text(state);"
    case .longDouble: "fill_long(state, &\(place));"
    default: "fill(state, &\(place), sizeof \(place));"
    }
  }

  /// Returns statements that hash a variable of a type.
  static func hash(_ type: CType, _ name: String) -> String {
    if case .record(let record) = type, let tag = record.name { return "hash_\(tag)(state, &\(name));" }
    return each(type, name, hashing)
  }

  /// Returns statements that fill a variable of a type.
  static func fill(_ type: CType, _ name: String) -> String {
    if case .record(let record) = type, let tag = record.name { return "fill_\(tag)(state, &\(name));" }
    return each(type, name, filling)
  }
}
