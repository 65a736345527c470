/// A value in a JSON text, with its location.
package struct JSONNode: Sendable {
  /// The kind of a value and its content. A number is kept as text, since no user of this module calculates with it.
  package enum Content: Sendable {
    case object([JSONMember])
    case array([JSONNode])
    /// An array of numbers, if the reader packs them; see ``JSONNode/elements``.
    case numbers(JSONNumbers)
    case string(String)
    case number(String)
    case boolean(Bool)
    case null
  }

  /// The value.
  package let content: Content
  /// The location of the value.
  package let location: JSONLocation
}

/// A member of an object.
package struct JSONMember: Sendable {
  /// The name; no two members of an object have the same bytes as their names.
  package let name: String
  /// The value.
  package let value: JSONNode
}

/// The location of a value: its path, and the offset of its first byte.
package struct JSONLocation: Sendable {
  /// The path through objects and arrays.
  package let path: JSONPath
  /// The offset in bytes from the start of the text.
  package let offset: Int
}

extension JSONNode {
  /// The elements of an array; nil for any other value.
  package var elements: [JSONNode]? {
    switch content {
    case .array(let elements): elements
    case .numbers(let numbers): numbers.nodes
    default: nil
    }
  }

  /// The name of the kind of value, for messages.
  package var kind: String {
    switch content {
    case .object: "an object"
    case .array, .numbers: "an array"
    case .string: "a string"
    case .number: "a number"
    case .boolean(let value): "\(value)"
    case .null: "null"
    }
  }
}
