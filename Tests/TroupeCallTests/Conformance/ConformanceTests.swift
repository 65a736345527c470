import TestSupport
import Testing

@testable import TroupeCall

@Suite("Conformance with C")
struct ConformanceTests {
  /// The parts of the functions that run in parallel.
  static let parts = Array(0..<4)

  private func part<Element>(_ list: [Element], _ part: Int) -> [Element] {
    stride(from: part, to: list.count, by: Self.parts.count).map { list[$0] }
  }

  private func bytes(_ values: [Value], _ types: [CType]) -> [UInt8] {
    var bytes: [UInt8] = []
    for (value, type) in zip(values, types) { ConformanceValues.append(value, type, to: &bytes) }
    return bytes
  }

  /// The expected result of C for some arguments.
  private func expected(_ arguments: [UInt8], _ result: CType) -> [UInt8] {
    var state = Generator(seed: ConformanceValues.hash(arguments))
    var bytes: [UInt8] = []
    ConformanceValues.appendFilled(result, &state, to: &bytes)
    return bytes
  }

  @Test("Every record has the memory layout of C")
  func layouts() throws {
    let suite = try ConformanceLibrary.shared.get()
    for layout in suite.layouts {
      var numbers = [layout.type.size, layout.type.alignment]
      // `offsetof` counts from the outermost record.
      func append(_ type: CType, from start: Int) {
        guard case .record(let record) = type else { return }
        for member in record.members {
          numbers += [start + member.offset, member.type.size]
          append(member.type, from: start + member.offset)
        }
      }
      append(layout.type, from: 0)
      let c = try suite.library.function(layout.name).assumingMemoryBound(to: Int.self)
      #expect(numbers == Array(UnsafeBufferPointer(start: c, count: numbers.count)), "\(layout.type)")
    }
    let sizes = Set(suite.layouts.map(\.type.size))
    #expect(sizes == Set(ConformanceTypes.sizes))
  }

  @Test("A call returns C's result, through registers and through libffi", arguments: parts)
  func fixed(part number: Int) throws {
    let suite = try ConformanceLibrary.shared.get()
    var generator = Generator(seed: UInt64(number))
    var (failures, skipped) = ([String](), 0)
    let functions = part(suite.fixed, number)
    for function in functions {
      let address = try suite.library.function(function.name)
      let signature = function.signature
      for way in [PreparedCall.Way.automatic, .foreign] {
        if way == .foreign, signature.isWrongInLibFFI {
          skipped += 1
          continue
        }
        let call = try PreparedCall(signature: signature, function: address, way: way)
        for _ in 0..<2 {
          let types = signature.callerParameters.map(\.type)
          let arguments = types.map { ConformanceValues.random($0, &generator) }
          let given = bytes(arguments, types)
          let outcome = try call.call(arguments)
          if signature.result == .void {
            let hash = Value.integer(Int128(ConformanceValues.hash(given)))
            if outcome["output"] != hash { failures.append("\(way): \(signature): got other arguments") }
          } else if bytes([outcome], [signature.result]) != expected(given, signature.result) {
            failures.append("\(way): \(signature) gave \(outcome)")
          }
        }
      }
    }
    #expect(failures.isEmpty, "\(failures.count) of \(functions.count), such as \(failures.prefix(3))")
    #expect(skipped < functions.count / 5)
  }

  @Test("A variadic function gets the listed arguments, promoted", arguments: parts)
  func variadic(part number: Int) throws {
    let suite = try ConformanceLibrary.shared.get()
    var generator = Generator(seed: UInt64(number))
    var failures: [String] = []
    for function in part(suite.variadic, number) {
      let signature = function.signature
      let call = try PreparedCall(signature: signature, function: suite.library.function(function.name))
      let types = signature.parameters.map(\.type)
      let fixed = signature.fixedCount ?? 0
      let arguments = types.enumerated().map { ConformanceValues.random($1, isVariadic: $0 >= fixed, &generator) }
      let outcome = try call.call(arguments)
      if bytes([outcome], [signature.result]) != expected(bytes(arguments, types), signature.result) {
        failures.append("\(signature) gave \(outcome)")
      }
    }
    #expect(failures.isEmpty, "\(failures.count), such as \(failures.prefix(3))")
  }

  @Test("A function with an open end gets each argument in the type of its value")
  func open() throws {
    let suite = try ConformanceLibrary.shared.get()
    var generator = Generator(seed: 11)
    for function in suite.open {
      let signature = function.signature
      let call = try PreparedCall(signature: signature, function: suite.library.function(function.name))
      let types = signature.parameters.map(\.type) + function.open
      let arguments = types.enumerated().map { index, type -> Value in
        let value = ConformanceValues.random(type, &generator)
        guard index >= signature.parameters.count, let integer = type.integer, case .integer(let given) = value else {
          return value
        }
        // A number that fits no smaller type, because the value decides the type.
        switch integer.name {
        case "long": return .integer(given | 1 << 40 as Int128)
        case "unsigned long": return .integer(given | 1 << 63 as Int128)
        default: return value
        }
      }
      let outcome = try call.call(arguments)
      #expect(
        bytes([outcome], [signature.result]) == expected(bytes(arguments, types), signature.result), "\(signature)")
    }
  }

  @Test("A callback gets the arguments of C and returns its result to C", arguments: parts)
  func callbacks(part number: Int) throws {
    let suite = try ConformanceLibrary.shared.get()
    var generator = Generator(seed: UInt64(number))
    var failures: [String] = []
    for function in part(suite.callbacks, number) {
      let signature = function.signature
      let call = try PreparedCall(signature: signature, function: suite.library.function(function.name))
      guard case .function(let type) = signature.parameters[0].type else { throw CLibrary.Failure("no callback") }
      let types = type.parameters.map(\.type)
      let arguments = types.map { ConformanceValues.random($0, &generator) }
      let result = ConformanceValues.random(type.result, &generator)
      let given = bytes(arguments, types)
      let callback = try Callback(signature: type) { (values: [Value]) in
        guard bytes(values, types) == given else { throw CLibrary.Failure("the callback got \(values)") }
        return result
      }
      do {
        let outcome = try call.call([.callback(callback)] + arguments)
        if bytes([outcome], [type.result]) != bytes([result], [type.result]) { failures.append("\(signature) gave \(outcome)") }
      } catch {
        failures.append("\(signature): \(error)")
      }
    }
    #expect(failures.isEmpty, "\(failures.count), such as \(failures.prefix(3))")
  }

  @Test("A typed call of 0 to 8 arguments returns C's result")
  func typed() throws {
    var suite = ConformanceTyped(suite: try ConformanceLibrary.shared.get())
    for one in ConformanceTyped.types {
      try suite.checkAll(one)
      for other in ConformanceTyped.types where other.spelling != one.spelling { try suite.checkPair(one, other) }
    }
    #expect(suite.failures.isEmpty, "\(suite.failures.count), such as \(suite.failures.prefix(3))")
    #expect(suite.count == 14 * 18 + 14 * 13)
  }
}

extension Signature {
  /// Whether libffi 3.4 passes an argument wrongly on x86-64: it copies the whole struct to the last integer register and so
  /// overwrites the first floating-point register.
  fileprivate var isWrongInLibFFI: Bool {
    let types = parameters.map { $0.isPointerInC ? .pointer(.toVoid) : $0.type }
    guard let plan = RegisterPlan(result: result, parameters: types) else { return false }
    return plan.moves.contains { $0.source % 16 == 0 && $0.destination == 40 }
  }
}
