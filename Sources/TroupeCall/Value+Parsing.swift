extension Value {
  /// Reads an argument that a person typed.
  ///
  /// - An integer is decimal, or hexadecimal behind `0x`, or binary behind `0b`, with or without a sign before it. A leading
  ///   zero does not make it octal. The `char` types are integers as well.
  /// - A floating-point number is decimal or, behind `0x`, hexadecimal with a binary exponent, or one of `inf` and `nan`, with
  ///   or without a sign; it is rounded to the nearest that the type holds.
  /// - A `bool` is `true`, `false`, `1` or `0`.
  /// - A string is taken as it is.
  /// - A pointer is `null` and nothing else.
  ///
  /// There is no white space around anything but a string.
  ///
  /// - Parameters:
  ///   - text: What was typed.
  ///   - type: The type of the parameter it is for.
  /// - Throws: A `CallError` with the code `argumentType` if the text is not of the type, `argumentRange` if the type cannot
  ///   hold the number; it shows the text and what the type takes.
  public init(parsing text: String, as type: CType) throws(CallError) {
    let value: Value? =
      switch type {
      case .bool: Self.bool(text)
      case .integer: try Self.integer(text, type)
      case .float: try Self.number(text, type).map(Value.float)
      case .double: try Self.number(text, type).map(Value.double)
      case .string: .string(text)
      case .pointer: text == "null" ? .null : nil
      case .void, .resolver: nil
      }
    guard let value else { throw .wrongType(text.quoted(), type) }
    self = try value.converted(to: type)
  }

  private static func bool(_ text: String) -> Value? {
    switch text {
    case "true", "1": .bool(true)
    case "false", "0": .bool(false)
    default: nil
    }
  }

  /// The integer that `text` writes, or nil if it does not write one.
  private static func integer(_ text: String, _ type: CType) throws(CallError) -> Value? {
    var digits = text[...]
    let sign = digits.first == "-" || digits.first == "+" ? String(digits.removeFirst()) : ""
    var radix = 10
    if digits.hasPrefix("0x") || digits.hasPrefix("0X") { radix = 16 }
    if digits.hasPrefix("0b") || digits.hasPrefix("0B") { radix = 2 }
    if radix != 10 { digits = digits.dropFirst(2) }
    guard !digits.isEmpty, digits.allSatisfy({ $0.isASCII && $0.hexDigitValue.map { $0 < radix } ?? false }) else { return nil }
    // There are only digits now, so that nil means that there are too many of them.
    guard let integer = Int128(sign + digits, radix: radix) else { throw .outOfRange(text.quoted(), type) }
    return .integer(integer)
  }

  /// The floating-point number that `text` writes, or nil if it does not write one.
  private static func number<Number: BinaryFloatingPoint & LosslessStringConvertible>(
    _ text: String, _ type: CType
  ) throws(CallError) -> Number? {
    guard let number = Number(text) else { return nil }
    // "inf" and "infinity" are meant to be infinite; what contains a digit is not.
    if number.isInfinite, text.contains(where: \.isNumber) { throw .overflow(text.quoted(), type) }
    return number
  }
}

extension Signature {
  /// Reads the arguments that a person typed, one for each of ``callerParameters``.
  ///
  /// - Parameter texts: What was typed, in the form that ``Value/init(parsing:as:)`` takes.
  /// - Throws: A `CallError` that names the argument; the code is `argumentCount` if there are too few or too many, else one
  ///   of those of ``Value/init(parsing:as:)``.
  public func arguments(parsing texts: [String]) throws(CallError) -> [Value] {
    try checkCount(texts.count)
    var values: [Value] = []
    for (index, parameter) in callerParameters.enumerated() {
      do {
        values.append(try Value(parsing: texts[index], as: parameter.type))
      } catch {
        throw error.about(argument: index, name: parameter.name)
      }
    }
    return values
  }

  /// Throws if `count` arguments are too few or too many.
  func checkCount(_ count: Int) throws(CallError) {
    guard count == parameters.count(where: { $0.type != .resolver }) else { throw .wrongCount(count, self) }
  }
}
