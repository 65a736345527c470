@testable import TroupeCall

/// Several thousand C functions with their signatures, compiled once.
struct ConformanceLibrary {
  typealias Spelled = ConformanceTypes.Spelled

  /// A function that hashes all its arguments and derives its result from the hash.
  struct Function {
    let name: String
    let signature: Signature
    /// The types that a function with an open end reads after its parameters.
    var open: [CType] = []
  }

  /// A record with the numbers that C computes for it: size and alignment, and offset and size of each member and of each
  /// member's member.
  struct Layout {
    let name: String
    let type: CType
    let isPacked: Bool
    let hasUnion: Bool
  }

  private(set) var layouts: [Layout] = []
  /// Functions with a fixed number of parameters.
  private(set) var fixed: [Function] = []
  /// Functions with `...`, whose arguments are listed.
  private(set) var variadic: [Function] = []
  /// Functions with `...` and no listed arguments.
  private(set) var open: [Function] = []
  /// Functions that call a callback with their own arguments and return its result.
  private(set) var callbacks: [Function] = []
  /// Functions of scalars only, by their canonical signature.
  private(set) var typed: [String: Function] = [:]
  let library: CLibrary

  static let shared = Result { try ConformanceLibrary(seed: 4) }

  private init(seed: UInt64) throws {
    var writer = Writer(types: ConformanceTypes(seed: seed))
    try writer.writeRecords(&layouts)
    try writer.writeFixed(&fixed)
    try writer.writeVariadic(&variadic)
    try writer.writeOpen(&open)
    try writer.writeCallbacks(&callbacks)
    try writer.writeTyped(&typed)
    library = try CLibrary(sources: writer.sources)
  }
}

/// Writes the functions and their declarations.
private struct Writer {
  typealias Spelled = ConformanceTypes.Spelled
  typealias Function = ConformanceLibrary.Function

  var types: ConformanceTypes
  private var declarations = ConformanceSource.prelude
  private var definitions = ConformanceSource.support
  private var functions: [String] = []
  private var recordDefinitions: [String: String] = [:]

  init(types: ConformanceTypes) {
    self.types = types
    for record in types.records { recordDefinitions[record.spelled.text] = record.definition }
  }

  /// One file of common code and a few files of functions, so that several compilers can run in parallel.
  var sources: [String] {
    let parts = 6
    let files = (0..<parts).map { part in
      stride(from: part, to: functions.count, by: parts).map { functions[$0] }.joined(separator: "\n")
    }
    return ([definitions] + files).map { declarations + $0 + "\n" }
  }

  mutating func writeRecords(_ layouts: inout [ConformanceLibrary.Layout]) throws {
    for record in types.records {
      let type = try signature(result: nil, parameters: [record.spelled.text], using: [record.spelled]).parameters[0].type
      let (declaration, definition) = ConformanceSource.record(record, type)
      declarations += declaration
      definitions += definition
      let tag = record.spelled.text.split(separator: " ")[1]
      layouts.append(
        .init(name: "layout_\(tag)", type: type, isPacked: record.isPacked, hasUnion: record.hasUnion))
    }
  }

  // MARK: Signatures

  /// A signature with its definitions.
  private func signature(result: Spelled?, parameters: [String], using types: [Spelled]) throws -> Signature {
    let spelled = Set((types + [result].compactMap { $0 }).map(\.text))
    let records = spelled.sorted().compactMap { recordDefinitions[$0] }
    let whole = records.joined() + spelled.joined(separator: ";")
    let enumerations = ConformanceTypes.enumerations.filter { whole.contains("enum \($0.tag)") }.map(\.signature)
    let text = (enumerations + records).map { $0 + "; " }.joined()
    return try Signature(parsing: "\(text)\(result?.text ?? "void") (\(parameters.joined(separator: ", ")))")
  }

  private func list(_ parameters: [String]) -> String { parameters.isEmpty ? "void" : parameters.joined(separator: ", ") }

  /// The body of a function that hashes its arguments and derives the result from the hash.
  private func body(_ signature: Signature, _ result: Spelled?, hashing types: [CType]) -> String {
    let hashing = types.enumerated().map { ConformanceSource.hash($1, "a\($0)") }.joined(separator: " ")
    guard let result else { return "uint64_t start = START, *state = &start; \(hashing) *output = start;" }
    let filling = ConformanceSource.fill(signature.result, "result")
    return "uint64_t start = START, *state = &start; \(hashing) \(result.text) result; \(filling) return result;"
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

  /// Types that use integer registers, floating-point registers or both, and types that are passed in several ways.
  private mutating func parameters(_ count: Int, _ profile: Int) -> [Spelled] {
    let records = types.records.map(\.spelled)
    return (0..<count).map { index in
      switch profile {
      case 0: types.pick(ConformanceTypes.integers)
      case 1: types.pick(ConformanceTypes.floats)
      case 2: types.pick(index.isMultiple(of: 2) ? ConformanceTypes.integers : ConformanceTypes.floats)
      case 3: types.pick(ConformanceTypes.scalars)
      // Mostly types that are passed in registers, so at most 16 bytes.
      case 4: types.chance(1, of: 2) ? types.pick(types.smallRecords) : types.pick(ConformanceTypes.scalars)
      default: types.pick(records)
      }
    }
  }

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
      let before = parameters(types.number(1...9), 2)
      functions.append(try function("f\(functions.count)", types.pick(ConformanceTypes.scalars), before + [record] + before))
    }
    for corner in types.cornerRecords {
      for list in boundaries(of: corner) {
        // More than 16 words of the stack follow it.
        let behind = Array(repeating: ConformanceTypes.long, count: types.chance(1, of: 2) ? 20 : 0)
        functions.append(try function("f\(functions.count)", corner, list + behind))
      }
    }
    for index in 0..<2500 {
      let parameters = parameters(index % 25, index / 25 % 6)
      let result: Spelled? =
        switch index % 8 {
        case 0: nil
        case 1...3: types.pick(records)
        case 4: types.pick(types.smallRecords)
        default: types.pick(ConformanceTypes.scalars)
        }
      functions.append(try function("f\(functions.count)", result, parameters))
    }
  }

  /// The statement that reads a variadic argument: reads the promoted type and converts it to the listed one.
  private func reading(_ spelled: String, _ type: CType, _ index: Int) -> String {
    let promoted =
      switch type {
      case .bool: "int"
      case .float: "double"
      case .integer, .enumeration: type.size < 4 ? "int" : spelled
      default: spelled
      }
    return "\(spelled) a\(index) = va_arg(list, \(promoted));"
  }

  mutating func writeVariadic(_ functions: inout [Function]) throws {
    for corner in types.cornerRecords {
      for list in boundaries(of: corner) {
        // Lists all types after the first parameter, or only the record.
        let fixedCount = types.chance(1, of: 2) ? 1 : list.count - 1
        try variadic(&functions, corner, Array(list.prefix(fixedCount)), Array(list.dropFirst(fixedCount)) + [corner])
      }
    }
    for index in 0..<400 {
      let fixed = parameters(index % 4, 3) + [Spelled(text: "int", size: 4, alignment: 4)]
      let listed = parameters(index % 11 + 1, index / 11 % 6)
      try variadic(&functions, types.pick(ConformanceTypes.scalars + types.smallRecords), fixed, listed)
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
    let reading = (fixed.count..<all.count).map { self.reading(all[$0].text, parameterTypes[$0], $0) }.joined(separator: " ")
    let name = "v\(functions.count)"
    self.functions.append(
      """
      \(result.text) \(name)(\(texts.prefix(fixed.count).joined(separator: ", ")), ...) { \
      va_list list; va_start(list, a\(fixed.count - 1)); \(reading) va_end(list); \
      \(body(signature, result, hashing: parameterTypes)) }
      """)
    functions.append(Function(name: name, signature: signature))
  }

  mutating func writeOpen(_ functions: inout [Function]) throws {
    let kinds = ["int", "long", "unsigned long", "double", "const char *", "void *"]
      .map { Spelled(text: $0, size: 8, alignment: 8) }
    for index in 0..<200 {
      let fixed = parameters(index % 3, 3) + [Spelled(text: "int", size: 4, alignment: 4)]
      let extra = (0..<index % 12).map { _ in types.pick(kinds) }
      let all = fixed + extra
      let texts = all.enumerated().map { "\($1.text) a\($0)" }
      let result = types.pick(ConformanceTypes.scalars)
      let whole = try signature(result: result, parameters: texts, using: all).parameters.map(\.type)
      let signature = try signature(
        result: result, parameters: texts.prefix(fixed.count) + ["..."], using: fixed)
      let reading = (fixed.count..<all.count).map { self.reading(all[$0].text, whole[$0], $0) }.joined(separator: " ")
      let name = "o\(index)"
      self.functions.append(
        """
        \(result.text) \(name)(\(texts.prefix(fixed.count).joined(separator: ", ")), ...) { \
        va_list list; va_start(list, a\(fixed.count - 1)); \(reading) va_end(list); \
        \(body(signature, result, hashing: whole)) }
        """)
      functions.append(Function(name: name, signature: signature, open: Array(whole.dropFirst(fixed.count))))
    }
  }

  mutating func writeCallbacks(_ functions: inout [Function]) throws {
    let plain = types.records.map(\.spelled).filter(\.isPlain)
    let scalars = ConformanceTypes.scalars
    var lists: [(parameters: [Spelled], result: Spelled?)] = scalars.map { ([$0], $0.isPlain ? $0 : nil) }
    lists += types.cornerRecords.flatMap { corner in boundaries(of: corner).map { ($0, corner) } }
    for index in 0..<600 {
      let parameters = self.parameters(index % 13, index % 6).filter { $0.isPlain || $0.text == "const char *" }
      let results = index.isMultiple(of: 2) ? plain : scalars.filter(\.isPlain)
      lists.append((parameters, index.isMultiple(of: 5) ? nil : types.pick(results)))
    }
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
}
