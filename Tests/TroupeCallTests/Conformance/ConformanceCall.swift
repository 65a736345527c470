import TestSupport
@testable import TroupeCall

/// One call of a random function: its arguments and the expected results.
struct ConformanceCall {
  /// An expected result or output.
  struct Expected {
    let type: CType
    let bytes: [UInt8]
  }

  var generator: SplitMix64
  let library: CLibrary
  /// Whether the call asks the function to fail.
  let isFailing: Bool
  /// The state of the function: a hash of its inputs, from which its outputs derive.
  private var state = ConformanceValues.hash([])
  private(set) var outputs: [(name: String, expected: Expected)] = []
  var result: Expected?
  /// The number of elements that the function reports as its result.
  var used = 0
  /// Checks after the call, each of which returns a fault.
  var checks: [(_ outcome: Value?) -> String?] = []

  init(_ generator: SplitMix64, _ library: CLibrary, isFailing: Bool) {
    (self.generator, self.library, self.isFailing) = (generator, library, isFailing)
  }

  static func bytes(_ value: Value, _ type: CType) -> [UInt8] {
    var bytes: [UInt8] = []
    ConformanceValues.append(value, type, to: &bytes)
    return bytes
  }

  // MARK: What the function reads

  mutating func hash(_ bytes: [UInt8]) { state = ConformanceValues.hash(bytes, from: state) }

  /// Returns a value that the function hashes.
  mutating func input(_ value: Value, _ type: CType) -> Value {
    hash(Self.bytes(value, type))
    return value
  }

  /// Returns a random value that the function hashes.
  mutating func input(_ type: CType, isVariadic: Bool = false) -> Value {
    input(ConformanceValues.random(type, isVariadic: isVariadic, &generator), type)
  }

  /// Returns a random value whose own kind makes the type that it is passed as behind "...".
  mutating func open(_ type: CType) -> Value {
    let value = ConformanceValues.random(type, isVariadic: true, &generator)
    guard let integer = type.integer, case .integer(let given) = value else { return input(value, type) }
    // A number that fits no smaller type.
    switch integer.name {
    case "long": return input(.integer(given | 1 << 40 as Int128), type)
    case "unsigned long": return input(.integer(given | 1 << 63 as Int128), type)
    default: return input(value, type)
    }
  }

  mutating func random(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }

  mutating func chance(_ parts: Int, of whole: Int) -> Bool { random(1...whole) <= parts }

  /// Returns a new object that `release_handle` releases; the function hashes it.
  mutating func reference(_ type: String) throws -> ForeignReference {
    let signature = try Signature(parsing: "\(type); owned(release_handle) \(type) *(uint64_t state)")
    let library = library
    let make = try PreparedCall(
      signature: signature, function: library.function("make_handle"), symbols: { try? library.function($0) })
    guard let reference = try make.call([.integer(Int128(generator.next() >> 1))]).reference else {
      throw CLibrary.TestError("no reference")
    }
    hash(Self.bytes(.reference(reference), signature.result))
    return reference
  }

  // MARK: What the function writes

  /// Lets the state advance as the function's statements do.
  mutating func fill<Result>(_ body: (inout SplitMix64) -> Result) -> Result {
    var generator = SplitMix64(seed: state)
    defer { state = generator.state }
    return body(&generator)
  }

  mutating func fill(_ type: CType) -> [UInt8] {
    fill { state in
      var bytes: [UInt8] = []
      ConformanceValues.appendFilled(type, &state, to: &bytes)
      return bytes
    }
  }

  /// Follows `fill_count`.
  mutating func count(below limit: Int) -> Int { fill { Int($0.next() % UInt64(limit)) } }

  mutating func elements(_ type: CType, _ count: Int, areNonzero: Bool) -> Expected {
    let bytes = fill { state in
      var bytes: [UInt8] = []
      ConformanceValues.appendFilled(type, count, areNonzero: areNonzero, &state, to: &bytes)
      return bytes
    }
    return Expected(type: .array(type, count: count), bytes: bytes)
  }

  mutating func expect(_ name: String, _ expected: Expected) { outputs.append((name, expected)) }

  mutating func expect(_ name: String, _ type: CType) { expect(name, Expected(type: type, bytes: fill(type))) }

  // MARK: After the call

  /// Returns the results of an outcome that differ from the expected ones.
  func faults(of outcome: Value) -> [String] {
    var faults: [String] = []
    func check(_ name: String, _ value: Value, _ expected: Expected) {
      if Self.bytes(value, expected.type) != expected.bytes { faults.append("\(name) is \(value)") }
    }
    if let result { check("the result", outputs.isEmpty ? outcome : outcome["return"] ?? .void, result) }
    for output in outputs { check(output.name, outcome[output.name] ?? .void, output.expected) }
    return faults
  }
}
