import Foundation
import TestSupport
@testable import TroupeCall

/// Several thousand C functions with their signatures, compiled once by several compilers.
struct ConformanceLibrary: Sendable {
  typealias Spelled = ConformanceTypes.Spelled

  /// The number that decides which types, functions and values are made.
  static let seed = number("TROUPE_SEED") ?? 4
  /// The number of random functions.
  private static let count = number("TROUPE_SIGNATURES") ?? 1000

  private static func number(_ name: String) -> Int? { ProcessInfo.processInfo.environment[name].flatMap { Int($0) } }

  /// The compilers of this machine, each with and without optimization.
  private static var compilers: [[String]] {
    let compilers = ["gcc", "clang"].filter { program in
      let isFound = CLibrary.hasProgram(program)
      if !isFound { print("\(program) is not on the PATH; conformance is tested with the other compiler alone") }
      return isFound
    }
    return (compilers.isEmpty ? ["cc"] : compilers).flatMap { [[$0, "-O0"], [$0, "-O2"]] }
  }

  /// A function that hashes all its arguments and derives its result from the hash.
  struct Function: Sendable {
    let name: String
    let signature: Signature
  }

  /// A record with the numbers that C computes for it: size and alignment, and offset and size of each member and of each
  /// member's member.
  struct Layout: Sendable {
    /// The tag.
    let name: String
    let type: CType
  }

  private(set) var layouts: [Layout] = []
  /// Functions with a fixed number of parameters.
  private(set) var fixed: [Function] = []
  /// Functions with `...`, whose arguments are listed.
  private(set) var variadic: [Function] = []
  /// Functions that call a callback with their own arguments and return its result.
  private(set) var callbacks: [Function] = []
  /// Functions of scalars only, by their canonical signature.
  private(set) var typed: [String: Function] = [:]
  /// Functions of all kinds.
  private(set) var random: [ConformanceFunction] = []
  let library: CLibrary

  static let shared = Result { try ConformanceLibrary() }

  private init() throws {
    var writer = try Writer(types: ConformanceTypes(seed: UInt64(bitPattern: Int64(Self.seed))))
    try writer.writeRecords(&layouts)
    try writer.writeFixed(&fixed)
    try writer.writeVariadic(&variadic)
    try writer.writeCallbacks(&callbacks)
    try writer.writeTyped(&typed)
    random = try writer.writeRandom(Self.count)
    library = try CLibrary(sources: writer.sources, compilers: Self.compilers)
  }
}

/// Writes the functions and their declarations.
private struct Writer {
  typealias Spelled = ConformanceTypes.Spelled
  typealias Function = ConformanceLibrary.Function

  var types: ConformanceTypes
  private var declarations: String
  private var definitions: String
  private var functions: [String] = []
  private let parser: ConformanceDefinitions

  init(types: ConformanceTypes) throws {
    (self.types, parser) = (types, ConformanceDefinitions(types))
    (declarations, definitions) = (try ConformanceSource.prelude(), try ConformanceSource.support())
  }

  /// One file of common code, and several for each compiler.
  var sources: [String] {
    let parts = 4 * max(1, functions.count / 4000)
    let files = (0..<parts).map { part in
      stride(from: part, to: functions.count, by: parts).map { functions[$0] }.joined(separator: "\n")
    }
    return ([definitions] + files).map { declarations + $0 + "\n" }
  }

  mutating func writeRecords(_ layouts: inout [ConformanceLibrary.Layout]) throws {
    for record in types.records + types.linked {
      let type = try parser.type(record.spelled)
      let (declaration, definition) = ConformanceSource.record(record, type)
      declarations += declaration
      definitions += definition
      let tag = record.spelled.text.split(separator: " ")[1]
      layouts.append(.init(name: String(tag), type: type))
    }
  }

  // MARK: Signatures

  private func signature(result: Spelled?, parameters: [String], using types: [Spelled]) throws -> Signature {
    try parser.signature("\(result?.text ?? "void") (@)", parameters, using: types + [result].compactMap { $0 })
  }

  private func list(_ parameters: [String]) -> String { parameters.isEmpty ? "void" : parameters.joined(separator: ", ") }

  /// The body of a function that hashes its arguments and derives the result from the hash.
  private func body(_ signature: Signature, _ result: Spelled?, hashing types: [CType]) -> String {
    let hashing = types.enumerated().map { ConformanceStatements.hash.value($1, "a\($0)") }.joined(separator: " ")
    guard let result else { return "BEGIN \(hashing) *output = start;" }
    let filling = ConformanceStatements.fill.value(signature.result, "result")
    return "BEGIN \(hashing) \(result.text) result; \(filling) return result;"
  }

  /// Writes a function with a fixed number of parameters. A function without a result has an output.
  private mutating func function(_ name: String, _ result: Spelled?, _ parameters: [Spelled]) throws -> Function {
    let list = parameters.enumerated().map { "\($1.text) a\($0)" }
    let signature = try signature(
      result: result, parameters: list + (result == nil ? ["out uint64_t *output"] : []), using: parameters)
    let types = signature.parameters.prefix(parameters.count).map(\.type)
    let c = self.list(list + (result == nil ? ["uint64_t *output"] : []))
    functions.append("\(result?.text ?? "void") \(name)(\(c)) { \(body(signature, result, hashing: types)) }")
    return Function(name: name, signature: signature)
  }

  // MARK: Kinds of functions

  /// Parameter lists in which a record takes the last registers, or exceeds them by one.
  private func boundaries(of record: Spelled) -> [[Spelled]] {
    [(3, 1), (4, 1), (5, 0), (5, 1), (5, 7), (5, 8), (6, 0), (6, 1), (0, 6), (0, 7), (0, 8)].map { integers, doubles in
      Array(repeating: ConformanceTypes.floats[1], count: doubles) + Array(repeating: ConformanceTypes.long, count: integers)
        + [record]
    }
  }

  mutating func writeFixed(_ functions: inout [Function]) throws {
    let records = types.records.map(\.spelled)
    for scalar in ConformanceTypes.scalars {
      functions.append(try function("f\(functions.count)", scalar, [scalar]))
      functions.append(try function("f\(functions.count)", scalar, []))
    }
    for record in records {
      functions.append(try function("f\(functions.count)", record, [record]))
      // Goes to the stack, with registers left or used up.
      let before = types.parameters(types.number(1...9), 2)
      functions.append(try function("f\(functions.count)", types.pick(ConformanceTypes.scalars), before + [record] + before))
    }
    for corner in types.cornerRecords {
      for list in boundaries(of: corner) {
        // More than 16 words of the stack follow it.
        let behind = Array(repeating: ConformanceTypes.long, count: types.chance(1, of: 2) ? 20 : 0)
        functions.append(try function("f\(functions.count)", corner, list + behind))
      }
    }
  }

  mutating func writeVariadic(_ functions: inout [Function]) throws {
    for corner in types.cornerRecords {
      for list in boundaries(of: corner) {
        // Lists all types after the first parameter, or only the record.
        let fixedCount = types.chance(1, of: 2) ? 1 : list.count - 1
        try variadic(&functions, corner, Array(list.prefix(fixedCount)), Array(list.dropFirst(fixedCount)) + [corner])
      }
    }
  }

  private mutating func variadic(
    _ functions: inout [Function], _ result: Spelled, _ fixed: [Spelled], _ listed: [Spelled]
  ) throws {
    let all = fixed + listed
    let texts = all.enumerated().map { "\($1.text) a\($0)" }
    let signature = try signature(
      result: result, parameters: texts.prefix(fixed.count) + ["..."] + texts.suffix(listed.count), using: all)
    let parameterTypes = signature.parameters.map(\.type)
    let reading = (fixed.count..<all.count).map {
      ConformanceStatements.nextArgument(all[$0].text, parameterTypes[$0], "a\($0)")
    }.joined(separator: " ")
    let name = "v\(functions.count)"
    self.functions.append(
      """
      \(result.text) \(name)(\(texts.prefix(fixed.count).joined(separator: ", ")), ...) { \
      va_list list; va_start(list, a\(fixed.count - 1)); \(reading) va_end(list); \
      \(body(signature, result, hashing: parameterTypes)) }
      """)
    functions.append(Function(name: name, signature: signature))
  }

  mutating func writeCallbacks(_ functions: inout [Function]) throws {
    let scalars = ConformanceTypes.scalars
    var lists: [(parameters: [Spelled], result: Spelled?)] = scalars.map { ([$0], $0.isPlain ? $0 : nil) }
    lists += types.cornerRecords.flatMap { corner in boundaries(of: corner).map { ($0, corner) } }
    for (index, (parameters, result)) in lists.enumerated() {
      let list = parameters.enumerated().map { "\($1.text) a\($0)" }
      let callback = "\(result?.text ?? "void") (*callback)(\(self.list(list)))"
      let all = [callback] + list
      let signature = try signature(result: result, parameters: all, using: parameters)
      let name = "c\(index)"
      let call = "callback(\(parameters.indices.map { "a\($0)" }.joined(separator: ", ")));"
      self.functions.append(
        "\(result?.text ?? "void") \(name)(\(all.joined(separator: ", "))) { \(result == nil ? "" : "return ")\(call) }")
      functions.append(Function(name: name, signature: signature))
    }
  }

  /// For each type, functions of 0 to 8 parameters of it; for each pair of types, functions of 8 alternating parameters.
  mutating func writeTyped(_ functions: inout [String: Function]) throws {
    let kinds = ConformanceTyped.spellings.map { Spelled(text: $0, size: 8, alignment: 8) }
    for one in kinds {
      for count in 0...8 {
        for result in [one, nil] {
          let function = try plain("t\(self.functions.count)", result, Array(repeating: one, count: count))
          functions[function.signature.description] = function
        }
      }
      for other in kinds where other.text != one.text {
        let function = try plain("t\(self.functions.count)", other, (0..<8).map { $0.isMultiple(of: 2) ? one : other })
        functions[function.signature.description] = function
      }
    }
  }

  /// A function without parameter names. A function without a result writes the hash to a variable of its own.
  private mutating func plain(_ name: String, _ result: Spelled?, _ parameters: [Spelled]) throws -> Function {
    let signature = try signature(result: result, parameters: parameters.map(\.text), using: parameters)
    let list = parameters.enumerated().map { "\($1.text) a\($0)" }
    let types = signature.parameters.map(\.type)
    let output = result == nil ? "uint64_t output_\(name);\n" : ""
    let body = body(signature, result, hashing: types).replacing("*output =", with: "output_\(name) =")
    functions.append("\(output)\(result?.text ?? "void") \(name)(\(self.list(list))) { \(body) }")
    return Function(name: name, signature: signature)
  }

  mutating func writeRandom(_ count: Int) throws -> [ConformanceFunction] {
    var parts = ConformanceParts(types: types, definitions: parser)
    let functions = try (0..<count).map { try ConformanceFunction("x\($0)", &parts) }
    self.functions += functions.map(\.source)
    return functions
  }
}
