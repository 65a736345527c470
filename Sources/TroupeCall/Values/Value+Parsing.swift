internal import TroupeBase

/// Reads arguments from a command line. The type of the parameter decides how a text is read, since `5` is a number for `int` and text for
/// `const char *`.
extension Value {
  /// Reads an argument that a person typed.
  ///
  /// - An integer is decimal, hexadecimal behind `0x` or binary behind `0b`, with or without a sign. A leading zero does not make it octal.
  ///   The `char` types are integers, too.
  /// - A floating-point number is decimal, hexadecimal with a binary exponent behind `0x`, or one of `inf` and `nan`, with or without a sign.
  ///   It is rounded to the nearest number of the type.
  /// - A `bool` is `true`, `false`, `1` or `0`.
  /// - A string is the text itself.
  /// - An enumeration is one of its names or an integer.
  /// - A pointer is `null`, or what the call allocates for it: JSON such as `[0, 0]` or `{"bytes": 64}`, and for bytes also text.
  /// - A callback is `null`. `Signature.arguments(parsing:functions:)` takes names of functions, too.
  /// - A struct, an array or the elements of a buffer are JSON, as in `Signature.arguments(json:functions:)`.
  ///
  /// White space belongs to a string, and cannot surround anything else.
  ///
  /// - Throws: A `CallError` with the code `argumentType` if the text is not of the type, `argumentRange` if the type cannot hold the number.
  public init(parsing text: String, as type: CType) throws(CallError) {
    try self.init(parsing: text, as: type, Signature.noFunctions)
  }

  /// - Parameter functions: Finds the functions of callbacks.
  init(parsing text: String, as type: CType, _ functions: Signature.FunctionLookup) throws(CallError) {
    let value: Value? =
      switch type {
      case .bool: Self.bool(text)
      case .integer: try Self.integer(text, type)
      case .float: try Self.number(text, type).map(Value.float)
      case .double: try Self.number(text, type).map(Value.double)
      case .string, .wideString: .string(text)
      case .reference(let reference) where text != "null" && (reference.record != nil || text.first == "{"):
        try Self.json(text, type, functions, notJSON: .wrongType(text.quoted(), type))
      case .pointer(let pointer) where text != "null": try Self.allocated(text, type, pointer, functions)
      case .pointer, .reference: text == "null" ? .null : nil
      case .longDouble: try Self.number(text, type).map { .longDouble(LongDouble(number: $0)) }
      case .enumeration: try Self.integer(text, type) ?? .string(text)
      case .function(let signature): text == "null" ? .null : try functions(text, signature)
      case .complex, .record, .array, .sequence, .flexible:
        try Self.json(text, type, functions, notJSON: .wrongType(text.quoted(), type))
      case .void, .resolver: nil
      }
    guard let value else { throw .wrongType(text.quoted(), type) }
    self = try value.converted(to: type)
  }

  /// Reads what a call allocates for a plain pointer: JSON for elements and sizes, and for a pointer to bytes also text.
  private static func allocated(
    _ text: String, _ type: CType, _ pointer: CType.Pointer, _ functions: Signature.FunctionLookup
  ) throws(CallError) -> Value {
    // A library for JSON gets constant text that begins like JSON.
    let mayBeText = pointer.isConstant && pointer.target?.isByte ?? true
    if text.first.map({ "[{".contains($0) }) ?? false {
      do throws(CallError) {
        let value = try json(text, type, functions, notJSON: .wrongType(text.quoted(), type))
        // Numbers have no quotes.
        let isArray = text.first == "[" && !text.contains("\"") && value.elements?.isEmpty == false
        if !mayBeText || isArray || value.byteCount != nil { return value }
        switch value {
        case .bytes: return value
        case .structure(let fields) where fields.count == 1 && [sizeName, base64Name].contains(fields[0].name): return value
        default: break
        }
      } catch {
        let numbers = pointer.target == nil ? nil : try? array(json: text)
        guard mayBeText, numbers?.allSatisfy({ $0.variadicType?.isNumber == true }) != true else { throw error }
      }
      return .string(text)
    }
    // A 0 for `void *` is rather meant to be null.
    let isNumber =
      pointer.target == nil && (text.isEmpty || Double(text)?.isFinite == true || (try? integer(text, .integer(.long))) != nil)
    guard !isNumber, Value.string(text).canBeAllocated(for: pointer) else { throw .notNull(text.quoted(), pointer) }
    return .string(text)
  }

  private static func bool(_ text: String) -> Value? {
    switch text {
    case "true", "1": .bool(true)
    case "false", "0": .bool(false)
    default: nil
    }
  }

  /// Returns nil for text that is no integer.
  fileprivate static func integer(_ text: String, _ type: CType) throws(CallError) -> Value? {
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

  /// Returns nil for text that is no floating-point number. Throws if it overflows the type.
  static func number<Number: BinaryFloatingPoint & LosslessStringConvertible>(
    _ text: String, _ type: CType
  ) throws(CallError) -> Number? {
    guard let number = Number(text) else { return nil }
    // "inf" and "infinity" are meant to be infinite; what contains a digit is not.
    if number.isInfinite, text.contains(where: \.isNumber) { throw .overflow(text.quoted(), type) }
    return number
  }
}

extension Signature {
  /// Finds a function by the name that a person wrote for a callback. Returns a pointer to a function of the type, or a callback, either valid
  /// for as long as C may call it. Returns nil for an unknown name.
  public typealias FunctionLookup = (_ name: String, _ type: Signature) throws(CallError) -> Value?

  /// Knows no names.
  public static func noFunctions(_ name: String, _ type: Signature) throws(CallError) -> Value? { nil }

  /// Reads the arguments that a person typed, one for each of ``callerParameters``.
  ///
  /// - Parameters:
  ///   - texts: The arguments in the form of ``Value/init(parsing:as:)``. A buffer is JSON. The bytes of a text that is no JSON array or
  ///     object are a buffer of single bytes. Behind the parameters of a signature with `...`, an argument is a number if it reads as one, and
  ///     otherwise text.
  ///   - functions: Finds the functions that texts for callbacks name. By default there are none.
  /// - Throws: A `CallError` with the code `argumentCount`, or one of ``Value/init(parsing:as:)`` with the argument.
  public func arguments(
    parsing texts: [String], functions: FunctionLookup = noFunctions
  ) throws(CallError) -> [Value] {
    try arguments(reading: texts.map(UnreadArgument.text), functions: functions)
  }

  /// An argument from a command line, which its parameter says how to read.
  package enum UnreadArgument {
    case text(String)
    /// The bytes of a buffer.
    case bytes([UInt8])
    /// The result of an earlier call.
    case value(Value)
  }

  /// Reads texts as `arguments(parsing:functions:)` does, and takes bytes and values as they are.
  package func arguments(
    reading arguments: [UnreadArgument], functions: FunctionLookup = noFunctions
  ) throws(CallError) -> [Value] {
    try values(arguments) { argument, parameter throws(CallError) in
      try parameter?.parse(argument, functions) ?? argument.value
    }
  }

  /// Reads each argument with a closure, which gets nil for an argument behind the parameters.
  func values<Argument>(
    _ arguments: [Argument], _ read: (Argument, Parameter?) throws(CallError) -> Value
  ) throws(CallError) -> [Value] {
    try checkCount(arguments.count)
    let parameters = callerParameters
    var values: [Value] = []
    for (index, argument) in arguments.enumerated() {
      let parameter = index < parameters.count ? parameters[index] : nil
      do {
        values.append(try read(argument, parameter))
      } catch {
        throw error.about(argument: index, name: parameter?.name)
      }
    }
    return values
  }

  /// Throws for too few or too many arguments.
  func checkCount(_ count: Int) throws(CallError) {
    let expected = takesArgument.count { $0 }
    guard count == expected || isOpenEnded && count > expected else { throw .wrongCount(count, self) }
  }
}

extension Signature.UnreadArgument {
  /// The argument without a parameter.
  fileprivate var value: Value {
    switch self {
    case .text(let text):
      (try? Value.integer(text, .integer(.unsignedLong))) ?? (try? Value.integer(text, .integer(.long)))
        ?? Double(text).flatMap { $0.isFinite ? .double($0) : nil } ?? .string(text)
    case .bytes(let bytes): .bytes(bytes)
    case .value(let value): value
    }
  }
}

extension Signature.Parameter {
  fileprivate func parse(_ argument: Signature.UnreadArgument, _ functions: Signature.FunctionLookup) throws(CallError) -> Value
  {
    let text: String
    switch argument {
    case .bytes(let bytes):
      if isBuffer { return .bytes(bytes) }
      try checkPointer(.bytes(bytes))
      return try Value.bytes(bytes).converted(to: type)
    case .value(let value): return value
    case .text(let given): text = given
    }
    guard isBuffer else {
      return try Value(parsing: text, as: type, functions)
    }
    let array = typeInJSON
    let isJSON = text.first.map { "[{".contains($0) } ?? false || text == "null"
    if array.isBytes, !isJSON { return .bytes(Array(text.utf8)) }
    return try Value.json(text, array, functions, notJSON: .wrongBuffer(text.quoted(), type))
  }

  /// Throws if the parameter is a plain pointer and the value is neither null nor something that a call allocates memory for, since no text contains a
  /// pointer.
  func checkPointer(_ value: Value) throws(CallError) {
    guard passing == .value, case .pointer(let pointer) = type, value != .null, !value.canBeAllocated(for: pointer) else {
      return
    }
    throw .notNull(value.shown, pointer)
  }
}
