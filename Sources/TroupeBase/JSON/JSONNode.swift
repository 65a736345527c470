/// A value of a JSON text that remembers where it is, so that an error about it can name the line and the member.
///
/// `JSONReader` makes a tree of nodes. `JSONObject` reads the members of an object by name and type, with an error for each that is missing or
/// wrong. A number is kept as text: a reader converts it to the type that it expects, without a detour through `Double`.
///
/// ```swift
/// let file = try JSONObject(JSONReader.read(bytes))
/// let id = try file.string("id", expecting: "a string such as \"org.example.zlib\"")
/// ```
package struct JSONNode: Sendable {
  package enum Content: Sendable {
    case object([JSONMember])
    case array([JSONNode])
    /// An array of numbers, if the reader packs them. ``JSONNode/elements`` hides the difference.
    case numbers(JSONNumbers)
    case string(String)
    case number(String)
    case boolean(Bool)
    case null
  }

  package let content: Content
  package let location: JSONLocation
}

/// A member of an object. No two members of one object have names of the same bytes.
package struct JSONMember: Sendable {
  package let name: String
  package let value: JSONNode
}

package struct JSONLocation: Sendable {
  package let path: JSONPath
  /// The offset of the first byte of the value.
  package let offset: Int
}

extension JSONNode {
  /// Nil for a value that is no array.
  package var elements: [JSONNode]? {
    switch content {
    case .array(let elements): elements
    case .numbers(let numbers): numbers.nodes
    default: nil
    }
  }

  /// The type of the value, for messages.
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

  /// JSON on one line. Numbers keep their text, and members their order.
  package var text: String {
    switch content {
    case .object(let members): "{" + members.map { $0.name.inJSON + ": " + $0.value.text }.joined(separator: ", ") + "}"
    case .array(let elements): "[" + elements.map(\.text).joined(separator: ", ") + "]"
    case .numbers(let numbers): "[" + numbers.joined(separator: ", ") + "]"
    case .string(let text): text.inJSON
    case .number(let text): text
    case .boolean(let value): value.description
    case .null: "null"
    }
  }
}

extension String {
  /// A JSON string with escaped control characters.
  package var inJSON: String {
    let isPlain = utf8.allSatisfy { 0x20...0x7E ~= $0 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
    if isPlain { return "\"\(self)\"" }
    var result = "\""
    for scalar in unicodeScalars {
      switch scalar {
      case "\"", "\\": result += "\\" + String(scalar)
      case "\n": result += "\\n"
      case "\t": result += "\\t"
      case _ where scalar.properties.generalCategory == .control:
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}

// MARK: - Packed numbers

/// The elements of an array of numbers as offsets in the text. An element takes 4 bytes besides the text; a node takes about 100.
package struct JSONNumbers: RandomAccessCollection, Sendable {
  private let text: [UInt8]
  private let starts: [UInt32]
  private let path: JSONPath

  /// - Parameter starts: The offsets of valid numbers.
  init(_ text: [UInt8], _ starts: [UInt32], _ path: JSONPath) { (self.text, self.starts, self.path) = (text, starts, path) }

  package var startIndex: Int { 0 }
  package var endIndex: Int { starts.count }

  package subscript(position: Int) -> String {
    let number = text[Int(starts[position])...].prefix { byte in
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."), UInt8(ascii: "e"),
        UInt8(ascii: "E"):
        true
      default: false
      }
    }
    return String(decoding: number, as: UTF8.self)
  }

  var nodes: [JSONNode] {
    indices.map { index in
      JSONNode(content: .number(self[index]), location: JSONLocation(path: path.element(index), offset: Int(starts[index])))
    }
  }
}
