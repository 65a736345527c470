internal import TroupeBase

/// Reads JSON that a person wrote for a C type.
///
/// A decoder does not know the type and reads each number as a `Double` or an integer of 64 bits. This reads a number exactly as its type
/// holds it, and makes the name of a function a callback. `JSONReader` refuses an object with a repeated member.
extension Value {
  /// Reads an argument of a command line. For malformed text that begins like an array or an object, the error shows the place.
  ///
  /// - Parameters:
  ///   - functions: Finds the functions that texts for callbacks name.
  ///   - notJSON: The error for other text that is not JSON.
  static func json(
    _ text: String, _ type: CType, _ functions: Signature.FunctionLookup, notJSON: @autoclosure () -> CallError
  ) throws(CallError) -> Value {
    let node: JSONNode
    do {
      node = try JSONReader.read(Array(text.utf8), maximumDepth: Value.maximumDepth, packsNumbers: true)
    } catch {
      let first = text.utf8.first { !" \t\r\n".utf8.contains($0) }
      guard let first, "{[".utf8.contains(first) else { throw notJSON() }
      throw .badJSON(error, text, text.quoted(around: error.offset))
    }
    return try Value(node, for: type, functions)
  }

  /// An integer may be out of the range of its type, up to 127 bits; the call checks it.
  ///
  /// - Parameter type: Nil for an argument behind the parameters.
  init(_ node: JSONNode, for type: CType?, _ functions: Signature.FunctionLookup) throws(CallError) {
    switch node.content {
    case .null: self = .null
    case .boolean(let bool): self = .bool(bool)
    case .number(let text): self = try Self.number(text, for: type)
    case .string(let text):
      guard case .function(let signature) = type, let function = try functions(text, signature) else {
        // The call rejects the name of an unknown function.
        self = .string(text)
        return
      }
      self = function
    case .numbers(let numbers):
      let type = type?.arrayBehindPointer(areObjects: false, count: numbers.count) ?? type
      if case .array(let element, _)? = type, element.isNumber, type?.isBytes == false {
        self = .packedArray(try Self.packed(numbers, element))
        return
      }
      fallthrough
    case .array:
      let nodes = node.elements ?? []
      let areObjects = nodes.allSatisfy { if case .object = $0.content { true } else { false } }
      let type = type?.arrayBehindPointer(areObjects: areObjects, count: nodes.count) ?? type
      var elements: [Value] = []
      for (index, node) in nodes.enumerated() {
        let type = type?.element(at: index)
        elements.append(try Self.within("[\(index)]") { () throws(CallError) in try Value(node, for: type, functions) })
      }
      self = .array(elements)
    case .object(let members):
      // A struct with a member of this name gets it back in the call.
      if members.count == 1, members[0].name == Self.base64Name, case .string(let text) = members[0].value.content,
        let bytes = Self.bytes(base64: text)
      {
        self = .bytes(bytes)
        return
      }
      let types = type?.memberTypes ?? [:]
      var fields: [Field] = []
      for member in members {
        let type = types[member.name]
        let value = try Self.within(member.name) { () throws(CallError) in try Value(member.value, for: type, functions) }
        fields.append(Field(member.name, value))
      }
      self = .structure(fields)
    }
  }

  private static func packed(_ numbers: JSONNumbers, _ type: CType) throws(CallError) -> PackedArray {
    // Numbers allocate nothing in the arena.
    var arena = CallArena()
    return try PackedArray(type, count: numbers.count) { (place, index) throws(CallError) in
      try number(numbers[index], for: type).write(as: type, to: place, &arena)
    }
  }

  /// Reads a number. A number without a fraction and an exponent must be exact for its type. Another one is rounded for a floating-point type
  /// and must be exact for an integer type.
  private static func number(_ text: String, for type: CType?) throws(CallError) -> Value {
    switch type {
    case let type? where type == .bool || type.integer != nil:
      guard let integer = Int128(exactlyJSON: text) else { throw .outOfRange(shown(number: text), type) }
      return .integer(integer)
    case .float: return .float(try floating(text, .float))
    case .double: return .double(try floating(text, .double))
    case .longDouble: return .longDouble(LongDouble(number: try floating(text, .longDouble)))
    case .complex(let real): return try number(text, for: real.type)
    default:
      // The type is unknown or not that of a number. A negative zero needs a floating-point number.
      if let integer = Int128(text), text != "-0" { return .integer(integer) }
      guard let number: Double = try number(text, .double) else { throw .wrongType(shown(number: text), .double) }
      return .double(number)
    }
  }

  /// A number in a message. A long one is cut.
  private static func shown(number text: String) -> String {
    text.utf8.count <= 80 ? text : "\(text.prefix(40))… (\(text.utf8.count) characters)"
  }

  private static func floating<Number: BinaryFloatingPoint & LosslessStringConvertible>(
    _ text: String, _ type: CType
  ) throws(CallError) -> Number {
    guard let number: Number = try number(text, type) else { throw .wrongType(shown(number: text), type) }
    let isInteger = text.utf8.allSatisfy { $0 == UInt8(ascii: "-") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    if isInteger {
      guard let integer = Int128(text), Number(exactly: integer) != nil else {
        throw .inexact(shown(number: text), type, nearest: number.description)
      }
    }
    return number
  }
}

extension Int128 {
  /// Reads an integer that may have a fraction of zeros and an exponent. Returns nil for any other number, and for more than 127 bits. Cost:
  /// linear in the text, whatever the exponent.
  init?(exactlyJSON text: String) {
    var rest = text.utf8[...]
    let isNegative = rest.first == UInt8(ascii: "-")
    if isNegative { rest.removeFirst() }
    let isExponent = { (byte: UInt8) in byte == UInt8(ascii: "e") || byte == UInt8(ascii: "E") }
    let mantissa = rest.prefix { !isExponent($0) }
    let whole = mantissa.prefix { $0 != UInt8(ascii: ".") }
    let fraction = mantissa.dropFirst(whole.count + 1)
    var digits = Array(whole) + Array(fraction)
    let trailing = digits.reversed().prefix { $0 == UInt8(ascii: "0") }.count
    guard trailing < digits.count else {
      self = 0
      return
    }
    digits.removeLast(trailing)
    // No text is long enough to compensate for an exponent beyond Int.
    let exponentText = rest.dropFirst(mantissa.count + 1)
    guard let exponent = exponentText.isEmpty ? 0 : Int(String(Substring(exponentText))) else { return nil }
    let (zeros, overflow) = exponent.addingReportingOverflow(trailing - fraction.count)
    // Int128 has at most 39 digits.
    guard !overflow, 0...39 ~= zeros else { return nil }
    let number = String(decoding: digits, as: UTF8.self) + String(repeating: "0", count: zeros)
    guard let integer = Int128((isNegative ? "-" : "") + number) else { return nil }
    self = integer
  }
}

extension CType {
  /// The type of an element of a JSON array.
  package func element(at index: Int) -> CType? {
    switch self {
    case .array(let element, _), .sequence(let element, _), .flexible(let element, _): element
    case .complex(let real): real.type
    case .record(let record) where record.kind == .structure && index < record.members.count: record.members[index].type
    default: nil
    }
  }

  /// The array that a call allocates for a JSON array, or the struct whose members it has; nil for a type that is no such pointer.
  package func arrayBehindPointer(areObjects: Bool, count: Int) -> CType? {
    switch self {
    case .pointer(let pointer):
      guard let target = pointer.target else { return nil }
      // C declares text that it does not change as `char **`, too.
      return .array(target == .pointer(.toChar) ? .string : target, count: 0)
    case .reference(let reference):
      guard let record = reference.record.map(CType.record) else { return nil }
      return areObjects && count > 0 && !record.consistsOfRecords(count) ? .array(record, count: 0) : record
    default: return nil
    }
  }

  /// The types of the members of a JSON object.
  package var memberTypes: [String: CType] {
    switch self {
    case .reference(let reference): return reference.record.map(CType.record)?.memberTypes ?? [:]
    case .record(let record):
      return record.members.reduce(into: [:]) { types, member in
        let own = member.name.isEmpty ? member.type.memberTypes : [member.name: member.type]
        types.merge(own) { first, _ in first }
      }
    default: return [:]
    }
  }
}

extension Signature {
  /// Reads the arguments that a person wrote as a JSON array, one for each of ``callerParameters``.
  ///
  ///     let signature = try Signature(parsing: "double (double x, const int32_t values[count], int count)")
  ///     let arguments = try signature.arguments(json: "[0.5, [1, 2, 3]]")
  ///
  /// The parameter decides how an argument is read: an integer, also `1e3`, is exact, and a number with a fraction or an exponent is the
  /// nearest of a floating-point type. Other values have the form of their `Codable` conformance.
  ///
  /// - Parameter functions: Finds the functions that texts for callbacks name. By default there are none.
  /// - Throws: A `CallError`: `argumentCount`, `argumentType` or `argumentRange` with the argument, or `argumentType` for a text that is not a
  ///   JSON array.
  public func arguments(
    json text: String, functions: FunctionLookup = noFunctions
  ) throws(CallError) -> [Value] {
    let node: JSONNode
    do {
      node = try JSONReader.read(Array(text.utf8), maximumDepth: Value.maximumDepth, packsNumbers: true)
    } catch {
      throw .badJSON(error, text, "the text \(text.quoted(around: error.offset)) is not a JSON array of arguments; it")
    }
    guard let nodes = node.elements else {
      throw CallError(
        .argumentType, "the text is not a JSON array of arguments but \(node.kind)",
        remedy: "write one, such as [3, \"text\", null]")
    }
    return try values(nodes) { node, parameter throws(CallError) in
      let value = try Value(node, for: parameter?.typeInJSON, functions)
      try parameter?.checkPointer(value)
      return value
    }
  }
}

extension Value {
  /// Reads a JSON array without types. A number is an integer if it has no fraction, no exponent and at most 127 bits, and else the
  /// nearest `Double`.
  ///
  /// - Throws: A `CallError` with the code `argumentType` or `argumentRange`.
  package static func array(json text: String) throws(CallError) -> [Value] {
    let signature = Signature(result: .void, parameters: [], fixedCount: 0)
    return try signature.arguments(json: text)
  }
}

extension Signature.Parameter {
  /// The type of an argument in JSON. A buffer is an array of any length.
  package var typeInJSON: CType { isBuffer ? .array(type, count: 0) : type }

  /// True for an array or buffer of single bytes, which the content of a file can fill.
  package var takesBytes: Bool { typeInJSON.isBytes }
}

extension CallError {
  fileprivate static func badJSON(_ error: JSONError, _ text: String, _ subject: String) -> CallError {
    CallError(.argumentType, "\(subject) \(error.sentence(in: JSONLines(text.utf8)))", remedy: error.remedy)
  }
}
