import TestSupport
@testable import TroupeCall

/// A Swift type that typed calls accept, with values of it.
protocol ConformanceScalar: CScalar {
  /// The spelling in C and in signatures.
  static var spelling: String { get }
  /// Conversions to and from `Value`.
  var value: Value { get }
  init(_ value: Value)
}

extension ConformanceScalar {
  /// A random value, sometimes an extreme one.
  static func random(_ generator: inout SplitMix64) throws -> Self {
    let type = try Signature(parsing: "\(spelling) (void)").result
    return Self(ConformanceValues.random(type, &generator))
  }
}

extension ConformanceScalar where Self: FixedWidthInteger {
  static var spelling: String { (isSigned ? "int" : "uint") + "\(bitWidth)_t" }
  var value: Value { .integer(Int128(self)) }
  init(_ value: Value) { if case .integer(let integer) = value { self = Self(integer) } else { self = 0 } }
}

extension Int8: ConformanceScalar {}
extension Int16: ConformanceScalar {}
extension Int32: ConformanceScalar {}
extension Int64: ConformanceScalar {}
extension UInt8: ConformanceScalar {}
extension UInt16: ConformanceScalar {}
extension UInt32: ConformanceScalar {}
extension UInt64: ConformanceScalar {}
extension Int: ConformanceScalar { static var spelling: String { "ssize_t" } }
extension UInt: ConformanceScalar { static var spelling: String { "size_t" } }

extension Bool: ConformanceScalar {
  static var spelling: String { "bool" }
  var value: Value { .bool(self) }
  init(_ value: Value) { self = value == .bool(true) }
}

extension Float: ConformanceScalar {
  static var spelling: String { "float" }
  var value: Value { .float(self) }
  init(_ value: Value) { if case .float(let float) = value { self = float } else { self = 0 } }
}

extension Double: ConformanceScalar {
  static var spelling: String { "double" }
  var value: Value { .double(self) }
  init(_ value: Value) { if case .double(let double) = value { self = double } else { self = 0 } }
}

extension Value.Pointer: ConformanceScalar {
  static var spelling: String { "void *" }
  var value: Value { .pointer(self) }
  init(_ value: Value) { if case .pointer(let pointer) = value { self = pointer } else { self = .null } }
}

/// The typed calls of the conformance suite.
struct ConformanceTyped {
  static let types: [any ConformanceScalar.Type] = [
    Int8.self, Int16.self, Int32.self, Int64.self, Int.self, UInt8.self, UInt16.self, UInt32.self, UInt64.self, UInt.self,
    Bool.self, Float.self, Double.self, Value.Pointer.self,
  ]
  static var spellings: [String] { types.map { $0.spelling } }

  let suite: ConformanceLibrary
  var generator = SplitMix64(seed: 8)
  /// The number of called signatures.
  private(set) var count = 0
  private(set) var failures: [String] = []

  init(suite: ConformanceLibrary) { self.suite = suite }

  /// Prepares a call and returns the location of the hash if the function has no result.
  private func prepare(_ result: String, _ parameters: [String]) throws -> (call: PreparedCall, hash: UnsafeRawPointer?) {
    let list = parameters.isEmpty ? "void" : parameters.joined(separator: ", ")
    let signature = try Signature(parsing: "\(result) (\(list))")
    guard let function = suite.typed[signature.description] else { throw CLibrary.TestError("no function is \(signature)") }
    let call = try PreparedCall(signature: signature, function: suite.library.function(function.name))
    return (call, result == "void" ? try suite.library.function("output_\(function.name)") : nil)
  }

  private mutating func compare(_ call: PreparedCall, _ arguments: [Value], _ result: Value?, _ hash: UnsafeRawPointer?) {
    count += 1
    var bytes: [UInt8] = []
    for (parameter, value) in zip(call.signature.parameters, arguments) {
      ConformanceValues.append(value, parameter.type, to: &bytes)
    }
    let expected = ConformanceValues.hash(bytes)
    if let hash {
      if hash.load(as: UInt64.self) != expected { failures.append("\(call.signature) got other arguments") }
    } else if let result {
      var (given, filled): ([UInt8], [UInt8]) = ([], [])
      var state = SplitMix64(seed: expected)
      ConformanceValues.append(result, call.signature.result, to: &given)
      ConformanceValues.appendFilled(call.signature.result, &state, to: &filled)
      if given != filled { failures.append("\(call.signature) gave \(result)") }
    }
  }

  /// Calls functions of 0 to 8 arguments of one type.
  mutating func checkAll<T: ConformanceScalar>(_: T.Type) throws {
    let text = T.spelling
    func list(_ count: Int) -> [String] { Array(repeating: text, count: count) }
    let v = try (0..<8).map { _ in try T.random(&generator) }
    let values = v.map(\.value)
    let calls = try (0...8).map { try prepare(text, list($0)).call }
    let results: [T] = [
      try calls[0].typed(as: (() -> T).self)(),
      try calls[1].typed(as: ((T) -> T).self)(v[0]),
      try calls[2].typed(as: ((T, T) -> T).self)(v[0], v[1]),
      try calls[3].typed(as: ((T, T, T) -> T).self)(v[0], v[1], v[2]),
      try calls[4].typed(as: ((T, T, T, T) -> T).self)(v[0], v[1], v[2], v[3]),
      try calls[5].typed(as: ((T, T, T, T, T) -> T).self)(v[0], v[1], v[2], v[3], v[4]),
      try calls[6].typed(as: ((T, T, T, T, T, T) -> T).self)(v[0], v[1], v[2], v[3], v[4], v[5]),
      try calls[7].typed(as: ((T, T, T, T, T, T, T) -> T).self)(v[0], v[1], v[2], v[3], v[4], v[5], v[6]),
      try calls[8].typed(as: ((T, T, T, T, T, T, T, T) -> T).self)(v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7]),
    ]
    for (call, result) in zip(calls, results) { compare(call, values, result.value, nil) }

    let voids = try (0...8).map { try prepare("void", list($0)) }
    try voids[0].call.typed(as: (() -> Void).self)()
    try voids[1].call.typed(as: ((T) -> Void).self)(v[0])
    try voids[2].call.typed(as: ((T, T) -> Void).self)(v[0], v[1])
    try voids[3].call.typed(as: ((T, T, T) -> Void).self)(v[0], v[1], v[2])
    try voids[4].call.typed(as: ((T, T, T, T) -> Void).self)(v[0], v[1], v[2], v[3])
    try voids[5].call.typed(as: ((T, T, T, T, T) -> Void).self)(v[0], v[1], v[2], v[3], v[4])
    try voids[6].call.typed(as: ((T, T, T, T, T, T) -> Void).self)(v[0], v[1], v[2], v[3], v[4], v[5])
    try voids[7].call.typed(as: ((T, T, T, T, T, T, T) -> Void).self)(v[0], v[1], v[2], v[3], v[4], v[5], v[6])
    try voids[8].call.typed(as: ((T, T, T, T, T, T, T, T) -> Void).self)(v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7])
    for (call, hash) in voids { compare(call, values, nil, hash) }
  }

  /// Calls a function with alternating parameters of two types.
  mutating func checkPair<A: ConformanceScalar, B: ConformanceScalar>(_: A.Type, _: B.Type) throws {
    let call = try prepare(B.spelling, (0..<8).map { $0.isMultiple(of: 2) ? A.spelling : B.spelling }).call
    let a = try (0..<4).map { _ in try A.random(&generator) }
    let b = try (0..<4).map { _ in try B.random(&generator) }
    let result = try call.typed(as: ((A, B, A, B, A, B, A, B) -> B).self)(a[0], b[0], a[1], b[1], a[2], b[2], a[3], b[3])
    compare(call, zip(a, b).flatMap { [$0.value, $1.value] }, result.value, nil)
  }
}
