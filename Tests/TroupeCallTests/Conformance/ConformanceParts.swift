import TestSupport
@testable import TroupeCall

/// Makes random parts of functions.
struct ConformanceParts {
  typealias Spelled = ConformanceTypes.Spelled
  typealias Part = ConformancePart
  typealias Parameter = ConformancePart.Parameter

  var types: ConformanceTypes
  let definitions: ConformanceDefinitions
  private var names = 0
  /// Whether the result is the number of elements of an output.
  var hasUsedResult = false

  init(types: ConformanceTypes, definitions: ConformanceDefinitions) { (self.types, self.definitions) = (types, definitions) }

  /// Starts another function.
  mutating func reset() { (names, hasUsedResult) = (0, false) }

  mutating func name() -> String {
    names += 1
    return "a\(names)"
  }

  /// The kinds of parts besides plain values.
  private static let kinds: [@Sendable (inout ConformanceParts) throws -> Part] = [
    { try $0.constant() }, { try $0.pointer(isInput: false) }, { try $0.pointer(isInput: true) },
    { try $0.buffer(isOutput: false) }, { try $0.buffer(isOutput: true) }, { try $0.rows() },
    { try $0.output() }, { try $0.usedOutput() }, { try $0.ownedOutput() }, { try $0.ownedText() }, { try $0.ownedTexts() },
    { $0.reference() }, { $0.newReference() }, { try $0.keptValue() }, { try $0.keptElements() }, { try $0.callback() },
  ]

  /// Plain values in up to 30 parameters, or fewer parts of all kinds.
  mutating func parts() throws -> [Part] {
    if types.chance(2, of: 5) {
      return try types.parameters(types.number(0...30), types.number(0...5)).map { try value($0) }
    }
    return try (0..<types.pick([1, 1, 2, 3, 4, 6, 10])).map { _ in try random() }
  }

  private mutating func random() throws -> Part {
    if types.chance(1, of: 3) { return try value(argument()) }
    return try types.pick(Self.kinds)(&self)
  }

  // MARK: Types

  /// A type that a call passes as it is.
  mutating func argument() -> Spelled {
    types.pick(
      ConformanceTypes.scalars + ConformanceTypes.wideTexts + types.records.map(\.spelled)
        + types.linked.filter { !$0.isFlexible }.map(\.spelled))
  }

  /// A type that C writes.
  mutating func element() -> Spelled {
    types.chance(1, of: 2) ? types.pick(ConformanceTypes.scalars) : argument()
  }

  func type(_ spelled: Spelled) throws -> CType { try definitions.type(spelled) }

  // MARK: Values

  func value(_ spelled: Spelled, _ name: String) throws -> Part {
    let type = try type(spelled)
    return Part(
      parameters: [Parameter("\(spelled.text) \(name)")], body: ConformanceStatements.hash.value(type, name), uses: [spelled],
      follow: { [[$0.input(type)]] })
  }

  mutating func value(_ spelled: Spelled) throws -> Part { try value(spelled, name()) }

  /// A struct behind a constant pointer, given as a value or as memory.
  mutating func constant() throws -> Part {
    let record = types.pick(types.linked + Array(types.records.prefix(50)))
    let spelled = Spelled(text: "const \(record.spelled.text) *", size: 8, alignment: 8)
    var part = try value(spelled)
    let type = try type(record.spelled)
    part.uses = [record.spelled]
    if record.isFlexible {
      part.follow = { call in
        let value = call.input(type)
        if call.chance(1, of: 2) { return [[value]] }
        let memory = try ForeignMemory(type, flexibleCount: 4)
        try memory.write(value)
        return [[.memory(memory)]]
      }
    }
    return part
  }

  /// `out T *x` or `inout T *x`.
  private mutating func pointer(isInput: Bool) throws -> Part {
    let (spelled, name) = (element(), name())
    let type = try type(spelled)
    let hash = isInput ? ConformanceStatements.hash.value(type, "(*\(name))") : ""
    return Part(
      parameters: [Parameter("\(isInput ? "inout" : "out") \(spelled.text) *\(name)", c: "\(spelled.text) *\(name)")],
      body: hash + ConformanceStatements.fill.value(type, "(*\(name))"), uses: [spelled],
      follow: { call in
        let arguments = isInput ? [call.input(type)] : []
        call.expect(name, type)
        return [arguments]
      })
  }

  /// Arguments behind "...", which the signature lists or not. They are the last parameters, and have one in front of them.
  mutating func tail() throws -> Part {
    let isListed = types.chance(2, of: 3)
    let spelled =
      isListed
      ? types.parameters(types.number(1...11), types.number(0...5))
      : (0..<types.number(0...11)).map { _ in types.pick(Self.open) }
    let listed = try spelled.map { (name: name(), spelled: $0, type: try type($0)) }
    let readings = listed.map { ConformanceStatements.nextArgument($0.spelled.text, $0.type, $0.name) }.joined(separator: " ")
    let hashing = listed.map { ConformanceStatements.hash.value($0.type, $0.name) }.joined(separator: " ")
    let list = ["..."] + (isListed ? listed.map { "\($0.spelled.text) \($0.name)" } : [])
    return Part(
      parameters: [Parameter("int last"), Parameter(list.joined(separator: ", "), c: "...")],
      body: "va_list list; va_start(list, last); \(readings) va_end(list); hash(state, &last, sizeof last); \(hashing)",
      uses: spelled,
      follow: { call in
        let last = call.input(.integer(.int))
        return [[last], listed.map { isListed ? call.input($0.type, isVariadic: true) : call.open($0.type) }]
      })
  }

  /// The types that values behind "..." have without a list.
  private static let open = ["int", "long", "unsigned long", "double", "const char *", "void *"]
    .map { Spelled(text: $0, size: 8, alignment: 8) }
}

extension CType.Integer {
  static var size: CType.Integer { typedefs.first { $0.name == "size_t" }.unsafelyUnwrapped }
}
