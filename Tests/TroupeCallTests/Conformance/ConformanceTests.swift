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
    var state = SplitMix64(seed: ConformanceValues.hash(arguments))
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
          if !member.name.isEmpty { numbers.append(start + member.offset) }
          if case .flexible = member.type { continue }
          if !member.name.isEmpty { numbers.append(member.type.size) }
          append(member.type, from: start + member.offset)
        }
      }
      append(layout.type, from: 0)
      let c = try suite.library.function("layout_" + layout.name).assumingMemoryBound(to: Int.self)
      #expect(numbers == Array(UnsafeBufferPointer(start: c, count: numbers.count)), "\(layout.type)")
    }
    #expect(Set(ConformanceTypes.sizes).isSubset(of: suite.layouts.map(\.type.size)))
  }

  @Test("A call returns C's result, through registers and through libffi", arguments: parts)
  func fixed(part number: Int) throws {
    let suite = try ConformanceLibrary.shared.get()
    var generator = SplitMix64(seed: UInt64(number))
    var (failures, skipped) = ([String](), 0)
    let functions = part(suite.fixed, number)
    for function in functions {
      let address = try suite.library.function(function.name)
      let signature = function.signature
      for backend in [PreparedCall.Backend.automatic, .libffi] {
        if backend == .libffi, signature.isWrongInLibFFI {
          skipped += 1
          continue
        }
        let call = try PreparedCall(signature: signature, function: address, backend: backend)
        for _ in 0..<2 {
          let types = signature.callerParameters.map(\.type)
          let arguments = types.map { ConformanceValues.random($0, &generator) }
          let given = bytes(arguments, types)
          let outcome = try call.call(arguments)
          if signature.result == .void {
            let hash = Value.integer(Int128(ConformanceValues.hash(given)))
            if outcome["output"] != hash { failures.append("\(backend): \(signature): got other arguments") }
          } else if bytes([outcome], [signature.result]) != expected(given, signature.result) {
            failures.append("\(backend): \(signature) gave \(outcome)")
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
    var generator = SplitMix64(seed: UInt64(number))
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

  @Test("A callback gets the arguments of C and returns its result to C", arguments: parts)
  func callbacks(part number: Int) throws {
    let suite = try ConformanceLibrary.shared.get()
    var generator = SplitMix64(seed: UInt64(number))
    var failures: [String] = []
    for function in part(suite.callbacks, number) {
      let signature = function.signature
      let call = try PreparedCall(signature: signature, function: suite.library.function(function.name))
      guard case .function(let type) = signature.parameters[0].type else { throw CLibrary.TestError("no callback") }
      let types = type.parameters.map(\.type)
      let arguments = types.map { ConformanceValues.random($0, &generator) }
      let result = ConformanceValues.random(type.result, &generator)
      let given = bytes(arguments, types)
      let callback = try Callback(signature: type) { (values: [Value]) in
        guard bytes(values, types) == given else { throw CLibrary.TestError("the callback got \(values)") }
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

  @Test("A random function gets its arguments, and a call returns its outputs or reports its failure")
  func random() throws {
    let suite = try ConformanceLibrary.shared.get()
    var failures: [String] = []
    for (index, function) in suite.random.enumerated() {
      var faults: [String]
      do {
        faults = try function.faults(suite.library, seed: UInt64(index))
      } catch {
        faults = ["\(error)"]
      }
      failures += faults.prefix(1).map { "\($0)\n\(function.signature)\n\(function.source)" }
    }
    // The shortest function is the easiest to debug.
    let shortest = failures.min { $0.utf8.count < $1.utf8.count } ?? ""
    #expect(
      failures.isEmpty,
      "seed \(ConformanceLibrary.seed): \(failures.count) in \(suite.random.count) functions, such as \(shortest)")
  }

  @Test("Swift and C read each other's values in memory of every record")
  func memory() throws {
    let suite = try ConformanceLibrary.shared.get()
    var generator = SplitMix64(seed: 6)
    for layout in suite.layouts {
      let memory = try ConformanceMemory(layout, suite.library)
      let faults = try (0..<3).flatMap { _ in try memory.faults(&generator) }
      #expect(faults.isEmpty, "\(layout.type)")
    }
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
  var isWrongInLibFFI: Bool {
    let types = parameters.map { $0.isPointerInC ? .pointer(.toVoid) : $0.type }
    guard let plan = RegisterPlan(result: result, parameters: types) else { return false }
    return plan.moves.contains { $0.source % 16 == 0 && $0.destination == 40 }
  }
}
