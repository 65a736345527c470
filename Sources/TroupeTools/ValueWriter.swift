internal import FoundationEssentials
package import TroupeHost
internal import TroupeBase

/// Writes values as JSON in pieces, so that the text of a large array needs no memory.
package struct ValueWriter {
  package enum Style {
    /// One line that `troupe call` accepts as an argument. Members keep their order in C.
    case line
    /// The form of `Terminal.writeJSON`: a line for each element, and sorted members.
    case indented
  }

  /// A multiple of three bytes.
  private static let pieceSize = 3 << 14

  private let style: Style
  private let write: (String) throws -> Void

  package init(style: Style, write: @escaping (String) throws -> Void) { (self.style, self.write) = (style, write) }

  /// Writes a value.
  ///
  /// - Parameter level: The nesting depth.
  package func write(_ value: Value, level: Int = 0) throws {
    switch value {
    case .array(let elements): try write(elements, "[", "]", level) { try write($0, level: level + 1) }
    case .packedArray(let elements): try write(elements, "[", "]", level) { try write($0, level: level + 1) }
    case .structure(let fields):
      let fields = style == .line ? fields : fields.sorted { $0.name < $1.name }
      try write(fields, "{", "}", level) { field in
        try write(field.name.inJSON + (style == .line ? ": " : " : "))
        try write(field.value, level: level + 1)
      }
    case .bytes(let bytes):
      try write(CollectionOfOne("base64"), "{", "}", level) { name in
        try write("\(name.inJSON)\(style == .line ? ": " : " : ")\"")
        // Three bytes are four characters.
        for start in stride(from: 0, to: bytes.count, by: Self.pieceSize) {
          try write(Data(bytes[start..<min(start + Self.pieceSize, bytes.count)]).base64EncodedString())
        }
        try write("\"")
      }
    default: try write(scalar(value))
    }
  }

  private func write<List: Collection>(
    _ list: List, _ start: String, _ end: String, _ level: Int, _ body: (List.Element) throws -> Void
  ) throws {
    let (newLine, comma) =
      style == .line
      ? ("", ", ") : ("\n" + String(repeating: "  ", count: level), ",\n" + String(repeating: "  ", count: level + 1))
    try write(start + (style == .line ? "" : String(comma.dropFirst())))
    var isFirst = true
    for element in list {
      if !isFirst { try write(comma) }
      isFirst = false
      try body(element)
    }
    try write(newLine + end)
  }

  private func scalar(_ value: Value) -> String {
    switch value {
    case .bool, .integer: value.description
    case .float, .double, .longDouble: number(value)
    case .string(let text?): text.inJSON
    case .pointer(let pointer) where pointer != .null: pointer.description.inJSON
    case .reference(let reference): reference.description.inJSON
    case .memory(let memory): memory.address.description.inJSON
    case .void, .callback, .string, .pointer, .array, .packedArray, .structure, .bytes: "null"
    }
  }

  private func number(_ value: Value) -> String {
    if style == .line {
      // JSON has no number for infinity and NaN.
      return value.description.contains { $0 == "n" } ? value.description.inJSON : value.description
    }
    return switch value.numberInJSON {
    case .signed(let integer): integer.description
    case .unsigned(let integer): integer.description
    case .float(let float): float.description
    case .double(let double): double.description
    case .text(let text): text.inJSON
    case nil: "null"
    }
  }
}

extension Value {
  /// One line: text without quotes, an empty line for `void`, and JSON for structs, arrays and bytes.
  package var line: String {
    var line = ""
    do {
      try writeLine { line += $0 }
    } catch {
      preconditionFailure("writing to text does not fail: \(error)")
    }
    return line
  }

  package func writeLine(_ write: @escaping (String) throws -> Void) throws {
    switch self {
    case .array, .packedArray, .structure, .bytes: try ValueWriter(style: .line, write: write).write(self)
    default: try write(description)
    }
  }
}
