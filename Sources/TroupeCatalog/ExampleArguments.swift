internal import TroupeHost
internal import TroupeJSON

/// The parsed arguments of an example.
struct ExampleArguments {
  /// A fault of the arguments.
  enum Fault: Error {
    /// They are not the elements of a JSON array.
    case malformed(String)
    /// They are too few or too many.
    case count(Int, expected: Int)
    /// The first one of a transform is not a text.
    case input
  }

  /// The text of the input of a transform; nil for any other registration.
  let input: String?
  /// The arguments of the function or factory.
  let values: [JSONNode]
  /// The arguments of the function or factory as a JSON array.
  let json: String

  /// Parses the arguments of an example. Throws a `Fault`.
  init(_ example: Documentation.Example, of item: CatalogItem) throws(Fault) {
    let text = "[\(example.arguments)]"
    let node: JSONNode
    do {
      node = try JSONReader.read(Array(text.utf8))
    } catch {
      throw .malformed(error.problem)
    }
    // A text such as "1], [2" would be something else than elements.
    guard let elements = node.elements else { throw .malformed("is not a list of values") }
    let isTransform = item.kind == .transform
    let expected = item.parameters.count + (isTransform ? 1 : 0)
    let isOpenEnded = item.signature?.isOpenEnded ?? false
    guard elements.count == expected || isOpenEnded && elements.count > expected else {
      throw .count(elements.count, expected: expected)
    }
    guard isTransform else {
      (input, values, json) = (nil, elements, text)
      return
    }
    guard case .string(let given) = elements[0].content else { throw .input }
    (input, values) = (given, Array(elements.dropFirst()))
    let rest = elements.dropFirst().first.map { Array(text.utf8)[$0.place.offset...] }
    json = rest.map { "[" + String(decoding: $0, as: UTF8.self) } ?? "[]"
  }
}
