internal import Troupe
public import TroupeCall
internal import TroupeFiles

/// Arguments for factories whose parameters the caller does not know.
public enum FactoryArguments: Sendable {
  /// Texts, converted to the types of each factory's parameters.
  case text([String])
  /// The text of a JSON array, whose elements are converted to the types of each factory's parameters.
  case json(String)
  /// Values, converted to the types of each factory's parameters.
  case values([Value])

  /// No arguments.
  public static let none = FactoryArguments.values([])

  /// Whether there are no arguments.
  public var isEmpty: Bool {
    switch self {
    case .text(let texts): texts.isEmpty
    case .json: false
    case .values(let values): values.isEmpty
    }
  }
}

extension FactoryArguments {
  /// Returns the arguments for a C function. Throws a `CallError`.
  ///
  /// - Parameter functions: Looks up the functions that arguments for callbacks name.
  func values(
    for signature: Signature, functions: Signature.FunctionLookup = Signature.noFunctions
  ) throws -> [Value] {
    switch self {
    case .text(let texts): try signature.arguments(parsing: texts, functions: functions)
    case .json(let text): try signature.arguments(json: text, functions: functions)
    case .values(let values): values
    }
  }

  /// Returns the arguments for a Swift factory. Throws a `Diagnosis`, or a `CallError` for a text that is not a JSON array.
  package func values(for types: [any Any.Type]) throws -> [Any] {
    if case .json(let text) = self { return try Self.values(Value.array(json: text)).values(for: types) }
    let count =
      switch self {
      case .text(let texts): texts.count
      case .values(let values): values.count
      case .json: 0
      }
    guard count == types.count else {
      let list = types.map { "\($0)" }.joined(separator: ", ")
      throw Diagnosis(
        .usage, problem: "\(count) argument\(count == 1 ? "" : "s") given, \(types.count) expected",
        remedy: types.isEmpty ? "give none" : "give one for each of (\(list)), in the command with --arg")
    }
    return switch self {
    case .text(let texts): try zip(texts, types).enumerated().map { try Self.read($1.0, as: $1.1, index: $0) }
    case .json: []
    case .values(let values): try zip(values, types).enumerated().map { try Self.convert($1.0, to: $1.1, index: $0) }
    }
  }

  /// Converts Swift values to arguments for C. Throws a `Diagnosis` with the first value whose type C lacks.
  static func values(of arguments: [Any]) throws -> [Value] {
    try arguments.enumerated().map { index, argument in
      if let value = argument as? Value ?? Value(argument) { return value }
      throw Self.diagnosis(
        index, "is a \(type(of: argument)), for which C has no type", "give a number, a Bool, a String or a pointer")
    }
  }

  /// Returns the diagnosis of an argument, which counts from 1.
  private static func diagnosis(_ index: Int, _ problem: String, _ remedy: String) -> Diagnosis {
    Diagnosis(.invalidData, "argument \(index + 1)", problem: problem, remedy: remedy)
  }

  private static func read(_ text: String, as type: any Any.Type, index: Int) throws -> Any {
    guard let readable = type as? any LosslessStringConvertible.Type else {
      throw diagnosis(index, "is a \(type), which cannot be read from text", "give it as a value, in a program")
    }
    guard let value = readable.init(text) else {
      throw diagnosis(index, "is \"\(text)\", expected \(type)", "give a value of the type \(type)")
    }
    return value
  }

  private static func convert(_ value: Value, to type: any Any.Type, index: Int) throws -> Any {
    if type == Value.self { return value }
    let converted: Any? =
      switch value {
      case .integer(let integer): number(integer, as: type)
      case .double(let number): floating(number, as: type)
      case .float(let number): floating(Double(number), as: type)
      case .bool(let bool): type == Bool.self ? bool : nil
      case .null: type == String?.self ? String?.none as Any : nil
      case .string(let text): type == String.self ? text : type == String?.self ? text as Any : nil
      default: nil
      }
    guard let converted else {
      throw diagnosis(index, "is \(value.shown), expected \(type)", "give a value of the type \(type)")
    }
    return converted
  }

  private static func number(_ value: some BinaryInteger, as type: any Any.Type) -> Any? {
    if let integer = type as? any BinaryInteger.Type { return exactly(value, integer) }
    if let floating = type as? any BinaryFloatingPoint.Type { return exactly(value, floating) }
    return nil
  }

  private static func floating(_ value: Double, as type: any Any.Type) -> Any? {
    if type == Double.self { return value }
    // A conversion to Float may round, but a finite number must not become infinite.
    if type == Float.self { return Float(value).isInfinite && value.isFinite ? nil : Float(value) }
    if let integer = type as? any BinaryInteger.Type { return exactly(value, integer) }
    return nil
  }

  private static func exactly<I: BinaryInteger>(_ value: some BinaryInteger, _ type: I.Type) -> Any? { I(exactly: value) }
  private static func exactly<I: BinaryInteger>(_ value: Double, _ type: I.Type) -> Any? { I(exactly: value) }
  private static func exactly<F: BinaryFloatingPoint>(_ value: some BinaryInteger, _ type: F.Type) -> Any? { F(exactly: value) }
}
