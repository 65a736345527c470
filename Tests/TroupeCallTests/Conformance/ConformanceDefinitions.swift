@testable import TroupeCall

/// Parses types and signatures with the definitions that they need.
struct ConformanceDefinitions: Sendable {
  typealias Spelled = ConformanceTypes.Spelled

  private let records: [String: ConformanceTypes.Record]

  init(_ types: ConformanceTypes) {
    records = Dictionary(uniqueKeysWithValues: (types.records + types.linked).map { ($0.spelled.text, $0) })
  }

  /// The definitions of enumerations and records that some types mention, and the declarations of references.
  private func text(_ types: [Spelled]) -> String {
    let used = types.compactMap { records[$0.text.replacing("const ", with: "").replacing(" *", with: "")] }
    let mentioned = Set(used.flatMap(\.uses).map(\.text) + used.map(\.spelled.text))
    // A record follows the records that it mentions.
    let sorted = mentioned.sorted().compactMap { records[$0] }
    let definitions = sorted.filter(\.uses.isEmpty) + sorted.filter { !$0.uses.isEmpty }
    let whole = definitions.map(\.definition).joined() + types.map(\.text).joined(separator: ";")
    let enumerations = ConformanceTypes.enumerations.filter { whole.contains("enum \($0.tag)") }.map(\.signature)
    return (ConformanceTypes.references + enumerations + definitions.map(\.definition)).map { $0 + "; " }.joined()
  }

  func type(_ spelled: Spelled) throws -> CType { try CType(parsing: text([spelled]) + spelled.text) }

  /// Parses a signature with the parameters in place of "@".
  func signature(_ signature: String, _ parameters: [String], using types: [Spelled]) throws -> Signature {
    let list = parameters.isEmpty ? "void" : parameters.joined(separator: ", ")
    return try Signature(parsing: text(types) + signature.replacing("@", with: list))
  }
}
