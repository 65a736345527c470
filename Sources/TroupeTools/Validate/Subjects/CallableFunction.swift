internal import TroupeCall
internal import TroupeHost

/// A C function that a check can call with arguments of its own: simple, extreme or generated ones.
///
/// All parameters are numbers, or buffers of numbers whose lengths are single parameters, so that no argument breaks a condition that the
/// signature does not express.
struct CallableFunction: Sendable {
  enum ArgumentKind: Sendable {
    case number(CType)
    /// A number that is the length of a buffer, which the check keeps small.
    case length(CType)
    case buffer(CType)
  }

  let name: String
  let kinds: [ArgumentKind]
  private let function: ForeignFunction

  /// Returns nil if a check cannot choose arguments for all parameters.
  ///
  /// - Parameter function: Returns the function of the registration.
  init?(_ registration: RegistrationDescription, _ function: () throws -> ForeignFunction) rethrows {
    guard let signature = registration.function, signature.fixedCount == nil else { return nil }
    // The lengths that are formulas of several parameters have conditions of their own.
    var lengths: Set<Int> = []
    for parameter in signature.parameters {
      guard case .buffer(_, let length, _) = parameter.passing else { continue }
      guard let index = length.parameter else { return nil }
      lengths.insert(index)
    }
    var kinds: [ArgumentKind] = []
    for (index, parameter) in signature.parameters.enumerated() where signature.takesArgument[index] {
      switch parameter.passing {
      case .value, .pointer:
        guard parameter.type.isNumber else { return nil }
        kinds.append(lengths.contains(index) ? .length(parameter.type) : .number(parameter.type))
      case .buffer:
        guard parameter.type.isNumber else { return nil }
        kinds.append(.buffer(parameter.type))
      }
    }
    // Other parameters, such as outputs that are texts, would be read without an argument.
    guard signature.parameters.allSatisfy({ $0.type.isNumber || $0.type == .resolver }) else { return nil }
    (name, self.kinds) = (registration.name, kinds)
    self.function = try function()
  }

  var hasBuffer: Bool {
    kinds.contains { if case .buffer = $0 { true } else { false } }
  }

  /// Calls the function. Returns nil if the signature takes the result for a failure.
  @discardableResult
  func call(_ arguments: [Value]) throws -> Value? {
    do {
      return try function.call(arguments)
    } catch is CallError {
      return nil
    }
  }

  // MARK: Arguments

  /// Small numbers, and buffers of three elements or of none.
  func simpleArguments(emptyBuffers: Bool = false) -> [Value] {
    kinds.map { kind in
      switch kind {
      case .number(let type): type.value(1)
      case .length(let type): type.value(emptyBuffers ? 0 : 3)
      case .buffer(let type): .array(emptyBuffers ? [] : (1...3).map { type.value($0) })
      }
    }
  }

  /// Returns for each argument the extreme of its type with an index below `CType.extremeCount`.
  func extremeArguments(_ index: Int) -> [Value] {
    kinds.map { kind in
      switch kind {
      case .number(let type): type.extreme(index)
      case .length(let type): type.value(3)
      case .buffer(let type): .array(Array(repeating: type.extreme(index), count: 3))
      }
    }
  }

  func generatedArguments(_ generator: inout some RandomNumberGenerator) -> [Value] {
    kinds.map { kind in
      switch kind {
      case .number(let type): type.generated(&generator)
      case .length(let type): type.value(.random(in: 0...64, using: &generator))
      case .buffer(let type):
        .array((0..<Int.random(in: 0...64, using: &generator)).map { _ in type.generated(&generator) })
      }
    }
  }
}

extension CType {
  /// The number of extremes of a type: the least, the greatest, zero and others.
  static let extremeCount = 6

  fileprivate func extreme(_ index: Int) -> Value {
    switch self {
    case .bool: .bool(index % 2 == 0)
    case .float: .float([-.greatestFiniteMagnitude, .greatestFiniteMagnitude, 0, -0.0, .infinity, .nan][index])
    case .double: .double([-.greatestFiniteMagnitude, .greatestFiniteMagnitude, 0, -0.0, .infinity, .nan][index])
    case .integer(let integer):
      .integer(
        [integer.range.lowerBound, integer.range.upperBound, 0, integer.isSigned ? -1 : integer.range.upperBound, 1, 2][index])
    default: .null
    }
  }

  fileprivate func generated(_ generator: inout some RandomNumberGenerator) -> Value {
    // Every fourth is an extreme, and every fourth a small number.
    switch Int.random(in: 0..<4, using: &generator) {
    case 0: return extreme(.random(in: 0..<Self.extremeCount, using: &generator))
    case 1: return value(.random(in: 0...4, using: &generator))
    default: break
    }
    switch self {
    case .bool: return .bool(.random(using: &generator))
    case .float: return .float(Float(bitPattern: .random(in: 0...UInt32.max, using: &generator)))
    case .double: return .double(Double(bitPattern: generator.next()))
    case .integer(let integer): return .integer(.random(in: integer.range, using: &generator))
    default: return .null
    }
  }
}
