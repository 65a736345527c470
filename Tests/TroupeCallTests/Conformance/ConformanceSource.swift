@testable import TroupeCall

/// Writes the C side of the conformance suite.
enum ConformanceSource {
  /// The beginning of every file.
  static func prelude() throws -> String {
    try CLibrary.fixture("conformance.h") + ConformanceTypes.enumerations.map { $0.c + ";\n" }.joined()
  }

  /// The functions used by all others.
  static func support() throws -> String {
    let texts = ConformanceValues.texts.map { $0.map { "prefix##\"\($0)\"" } ?? "NULL" }.joined(separator: ", ")
    let macros = "#define MARK \(ConformanceValues.mark)u\n#define TEXTS(prefix) \(texts)\n"
    return try macros + CLibrary.fixture("conformance.c")
  }

  /// The declarations and definitions for a record.
  static func record(_ record: ConformanceTypes.Record, _ type: CType) -> (declaration: String, definition: String) {
    guard case .record(let members) = type, let tag = members.name else { return ("", "") }
    let name = record.spelled.text
    let prototypes = [
      "void hash_\(tag)(uint64_t *state, const \(name) *v)", "void fill_\(tag)(uint64_t *state, \(name) *v)",
    ]
    let definition = """
      \(prototypes[0]) { \(ConformanceStatements.hash.members(of: members, "(*v)")) }
      \(prototypes[1]) { \(ConformanceStatements.fill.members(of: members, "(*v)")) }
      const size_t layout_\(tag)[] = { sizeof(\(name)), _Alignof(\(name))\(offsets(type, "", name)) };

      """
    return (record.c + ";\n" + prototypes.map { $0 + ";\n" }.joined(), definition)
  }

  /// The offsets of all members, including nested ones, as C computes them.
  private static func offsets(_ type: CType, _ path: String, _ record: String) -> String {
    guard case .record(let inner) = type else { return "" }
    return inner.members.map { member in
      if member.name.isEmpty { return offsets(member.type, path, record) }
      let name = path + member.name
      if case .flexible = member.type { return ", offsetof(\(record), \(name))" }
      return ", offsetof(\(record), \(name)), sizeof(((\(record) *)0)->\(name))" + offsets(member.type, name + ".", record)
    }.joined()
  }
}
