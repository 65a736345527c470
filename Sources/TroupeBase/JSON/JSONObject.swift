/// Reads the members of an object by name and type. A missing member, or one of another type, throws an error that says what was expected.
///
/// The parameter `expecting` completes "expected …", and has an example: `a string such as "zlib"`.
package struct JSONObject: Sendable {
  package struct Text: Sendable {
    package let text: String
    package let location: JSONLocation
  }

  package struct List: Sendable {
    package let elements: [JSONNode]
    package let location: JSONLocation
  }

  /// In the order of the text.
  package let members: [JSONMember]
  package let location: JSONLocation

  package init(_ node: JSONNode) throws(JSONError) {
    guard case .object(let members) = node.content else { throw Self.mismatch(node, "an object") }
    self.members = members
    location = node.location
  }

  // MARK: Required members

  /// The string must not be empty or have control characters.
  package func string(_ name: String, expecting example: String) throws(JSONError) -> Text {
    guard let text = try optionalString(name, expecting: example) else { throw missing(name, example) }
    return text
  }

  /// The string must not be empty. It may have line breaks and other control characters.
  package func multilineString(_ name: String, expecting example: String) throws(JSONError) -> Text {
    guard let text = try optionalMultilineString(name, expecting: example) else { throw missing(name, example) }
    return text
  }

  // MARK: Optional members

  package func optionalString(_ name: String, expecting example: String) throws(JSONError) -> Text? {
    guard let node = node(name) else { return nil }
    return try Self.text(node, expecting: example)
  }

  package func optionalMultilineString(_ name: String, expecting example: String) throws(JSONError) -> Text? {
    guard let node = node(name) else { return nil }
    return try Self.text(node, expecting: example, mayBeMultiline: true)
  }

  package func array(_ name: String, expecting example: String) throws(JSONError) -> List {
    guard let list = try optionalArray(name, expecting: example) else { throw missing(name, example) }
    return list
  }

  package func optionalArray(_ name: String, expecting example: String) throws(JSONError) -> List? {
    guard let node = node(name) else { return nil }
    guard case .array(let elements) = node.content else { throw Self.mismatch(node, example) }
    return List(elements: elements, location: node.location)
  }

  package func optionalBoolean(_ name: String) throws(JSONError) -> Bool? {
    guard let node = node(name) else { return nil }
    guard case .boolean(let value) = node.content else { throw Self.mismatch(node, "true or false") }
    return value
  }

  package func optionalObject(_ name: String, expecting example: String) throws(JSONError) -> JSONObject? {
    guard let node = node(name) else { return nil }
    guard case .object = node.content else { throw Self.mismatch(node, example) }
    return try JSONObject(node)
  }

  // MARK: Values

  package static func text(
    _ node: JSONNode, expecting example: String, mayBeEmpty: Bool = false, mayBeMultiline: Bool = false
  ) throws(JSONError) -> Text {
    guard case .string(let text) = node.content else { throw mismatch(node, example) }
    guard mayBeEmpty || !text.isEmpty else {
      throw JSONError(node.location, "is empty; expected \(example)", remedy: "write a value")
    }
    guard mayBeMultiline || !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
      throw JSONError(node.location, "has control characters; expected \(example)", remedy: "write it without them")
    }
    return Text(text: text, location: node.location)
  }

  private func node(_ name: String) -> JSONNode? {
    // Compares bytes, as the reader does for duplicate names.
    members.first { $0.name.utf8.elementsEqual(name.utf8) }?.value
  }

  private func missing(_ name: String, _ example: String) -> JSONError {
    JSONError(
      path: location.path.member(name), offset: location.offset, problem: "is missing; expected \(example)", remedy: "add it")
  }

  private static func mismatch(_ node: JSONNode, _ example: String) -> JSONError {
    JSONError(node.location, "is \(node.kind); expected \(example)", remedy: "correct it")
  }
}
