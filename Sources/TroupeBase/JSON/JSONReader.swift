/// Parses JSON (RFC 8259) that a person wrote, into a tree of ``JSONNode``s with locations.
///
/// It is stricter than Foundation's decoder, which has no locations either: a byte order mark, bytes that are not UTF-8, a name that occurs
/// twice in one object, and text after the value are errors. Accepts any bytes; the cost is linear in their number.
///
/// JSON that programs wrote and that has to be read fast, such as manifests, is read with ``JSONScanner``.
package struct JSONReader {
  private typealias SyntaxError = JSONScanner.SyntaxError

  private let bytes: [UInt8]
  private var scanner: JSONScanner
  /// The path to the current value.
  private var path = JSONPath.whole

  private let packsNumbers: Bool

  /// - Parameters:
  ///   - maximumDepth: The largest depth of nested values.
  ///   - packsNumbers: An array of numbers alone becomes `.numbers`.
  package static func read(
    _ bytes: [UInt8], maximumDepth: Int = 64, packsNumbers: Bool = false
  ) throws(JSONError) -> JSONNode {
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) || bytes.starts(with: [0xFE, 0xFF]) || bytes.starts(with: [0xFF, 0xFE]) {
      throw JSONError(path: .whole, offset: 0, problem: "begins with a byte order mark", remedy: "save it as UTF-8 without one")
    }
    do {
      _ = try UTF8Span(validating: bytes.span)
    } catch {
      throw JSONError(path: .whole, offset: error.byteOffsets.lowerBound, problem: "is not UTF-8", remedy: "save it as UTF-8")
    }
    let scanner = JSONScanner(bytes, maximumDepth: maximumDepth)
    guard scanner.next != nil else {
      throw JSONError(path: .whole, offset: scanner.position, problem: "is empty; expected a value", remedy: "write one")
    }
    var reader = JSONReader(bytes: bytes, scanner: scanner, packsNumbers: packsNumbers)
    do {
      let node = try reader.value()
      try reader.scanner.skipEnd()
      return node
    } catch {
      throw reader.error(error, maximumDepth)
    }
  }

  private init(bytes: [UInt8], scanner: JSONScanner, packsNumbers: Bool) {
    self.bytes = bytes
    self.scanner = scanner
    self.packsNumbers = packsNumbers
  }

  private mutating func value() throws(SyntaxError) -> JSONNode {
    let location = JSONLocation(path: path, offset: scanner.position)
    return JSONNode(content: try content(), location: location)
  }

  private mutating func content() throws(SyntaxError) -> JSONNode.Content {
    let first = scanner.next
    switch first {
    case UInt8(ascii: "{"): return .object(try members())
    case UInt8(ascii: "["): return try array()
    case UInt8(ascii: "\""): return .string(try scanner.scanString())
    default:
      let text = try scanner.scanScalar()
      return switch first {
      case UInt8(ascii: "t"): .boolean(true)
      case UInt8(ascii: "f"): .boolean(false)
      case UInt8(ascii: "n"): .null
      default: .number(text)
      }
    }
  }

  private mutating func members() throws(SyntaxError) -> [JSONMember] {
    let path = path
    var members: [JSONMember] = []
    // Swift would consider two spellings of an accented letter equal, so names are compared as bytes.
    var names: Set<ArraySlice<UInt8>> = []
    var hasMember = try scanner.enter(.object)
    while hasMember {
      let start = scanner.position
      let bytes = try scanner.scanName()
      let name = String(decoding: bytes, as: UTF8.self)
      self.path = path.member(name)
      guard names.insert(bytes).inserted else { throw SyntaxError(offset: start, problem: .repeatedName) }
      try scanner.skipColon()
      members.append(JSONMember(name: name, value: try value()))
      self.path = path
      hasMember = try scanner.advance(in: .object)
    }
    return members
  }

  private mutating func array() throws(SyntaxError) -> JSONNode.Content {
    guard try scanner.enter(.array) else { return .array([]) }
    if packsNumbers, let numbers = numbers() { return .numbers(numbers) }
    return .array(try elements())
  }

  /// Returns nil, and reads nothing, unless the array has valid numbers alone.
  private mutating func numbers() -> JSONNumbers? {
    var ahead = scanner
    var starts: [UInt32] = []
    do throws(SyntaxError) {
      repeat {
        guard let offset = UInt32(exactly: ahead.position) else { return nil }
        try ahead.skipNumber()
        starts.append(offset)
      } while try ahead.advance(in: .array)
    } catch {
      return nil
    }
    scanner = ahead
    return JSONNumbers(bytes, starts, path)
  }

  private mutating func elements() throws(SyntaxError) -> [JSONNode] {
    let path = path
    var elements: [JSONNode] = []
    repeat {
      self.path = path.element(elements.count)
      elements.append(try value())
      self.path = path
    } while try scanner.advance(in: .array)
    return elements
  }

  /// Adds the path and the found character to an error of the scanner.
  private func error(_ error: SyntaxError, _ maximumDepth: Int) -> JSONError {
    switch error.problem {
    case .expected(let expectation):
      JSONError(
        path: path, offset: error.offset, problem: "\(found(at: error.offset)); expected \(expectation)",
        remedy: "correct it there")
    case .tooDeep:
      JSONError(
        path: .whole, offset: error.offset, problem: "has values nested more than \(maximumDepth) deep",
        remedy: "make it flatter")
    case .repeatedName:
      JSONError(
        path: path, offset: error.offset, problem: "occurs twice; expected another name", remedy: "remove one of the two")
    }
  }

  /// Describes the character at an offset, or the end of the text.
  private func found(at offset: Int) -> String {
    guard offset < bytes.count else { return "ends here" }
    return switch bytes[offset] {
    case UInt8(ascii: "\n"): "has the end of the line here"
    case 0..<0x20: "has a control character here"
    case 0x21...0x7E: "has \(Unicode.Scalar(bytes[offset])) here"
    default: "has another character here"
    }
  }
}
