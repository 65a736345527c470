internal import TroupeHost
internal import TroupeBase

/// A fault of the text of an example.
struct ExampleError: Error {
  /// The problem, as a relative clause.
  let problem: String
  /// The remedy, as a sentence without its first capital letter.
  let remedy: String
}

/// An example with its parsed arguments and result.
struct ParsedExample: Sendable {
  /// The text of the input of a transform; nil for any other registration.
  let input: String?
  /// The arguments of the function or factory.
  let values: [JSONNode]
  /// The result of the function, or the output of the transform as a string.
  let result: JSONNode

  /// Parses an example of a registration. Throws an `ExampleError`.
  init(_ example: Documentation.Example, of item: CatalogItem) throws(ExampleError) {
    let arguments = try Self.read("[\(example.arguments)]", "list of arguments").elements ?? []
    result = try Self.read(example.result, "result")
    let isTransform = item.kind == .transform
    let expected = item.parameters.count + (isTransform ? 1 : 0)
    let isOpenEnded = item.signature?.isOpenEnded ?? false
    guard arguments.count == expected || isOpenEnded && arguments.count > expected else {
      let subject = isTransform ? "the input and \(counted(expected - 1, "argument"))" : counted(expected, "argument")
      throw ExampleError(problem: "which has \(counted(arguments.count, "value"))", remedy: "write \(subject)")
    }
    guard isTransform else {
      (input, values) = (nil, arguments)
      return
    }
    guard case .string(let text) = arguments[0].content, case .string = result.content else {
      throw ExampleError(
        problem: "whose input or output is no string", remedy: "write both as JSON strings, such as \"one\\ntwo\\n\"")
    }
    (input, values) = (text, Array(arguments.dropFirst()))
  }

  /// The arguments of the function or factory as a JSON array.
  var json: String { "[" + values.map(\.text).joined(separator: ", ") + "]" }

  private static func read(_ text: String, _ subject: String) throws(ExampleError) -> JSONNode {
    do throws(JSONError) {
      return try JSONReader.read(Array(text.utf8))
    } catch {
      throw ExampleError(problem: "whose \(subject) is malformed: it \(error.problem)", remedy: error.remedy)
    }
  }
}

extension JSONNode {
  /// Returns whether two values are equal. Members may have another order, and numbers with a fraction another last digit, since the
  /// functions of C libraries differ in it.
  func isEqual(to other: JSONNode) -> Bool {
    if let elements, let others = other.elements {
      return elements.count == others.count && zip(elements, others).allSatisfy { $0.isEqual(to: $1) }
    }
    switch (content, other.content) {
    case (.object(let members), .object(let others)):
      return members.count == others.count
        && members.allSatisfy { member in others.contains { $0.name == member.name && $0.value.isEqual(to: member.value) } }
    case (.string(let text), .string(let other)): return Array(text.utf8) == Array(other.utf8)
    case (.number(let text), .number(let other)): return Self.isEqual(text, other)
    case (.boolean(let value), .boolean(let other)): return value == other
    case (.null, .null): return true
    default: return false
    }
  }

  private static func isEqual(_ number: String, _ other: String) -> Bool {
    if let number = Int128(number), let other = Int128(other) { return number == other }
    guard let number = Double(number), let other = Double(other) else { return false }
    return number == other || abs(number - other) <= 1e-12 * max(abs(number), abs(other))
  }
}
