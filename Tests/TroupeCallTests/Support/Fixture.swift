import TroupeCall

/// The C functions that the tests call.
enum Fixture {
  static let library = Result { try CLibrary(source: source()) }

  /// Prepares a call of a function of the fixture.
  static func call(_ name: String, _ signature: String) throws -> PreparedCall {
    try PreparedCall(signature: Signature(parsing: signature), function: library.get().function(name))
  }

  /// Prepares a call of a function of libc or libm.
  static func systemCall(_ name: String, _ signature: String) throws -> PreparedCall {
    try PreparedCall(signature: Signature(parsing: signature), function: CLibrary.systemFunction(name))
  }

  /// The integer types, each with the name of the function that returns its argument.
  static let echoes = CType.Integer.all.map { ($0, "echo_" + $0.name.replacing(" ", with: "_")) }

  /// The parameter counts of the functions `sum_N`, `weigh_N` and `mix_N`.
  static let counts = [0, 1, 6, 7, 9, 24, 300, 1024]

  private static func source() throws -> String {
    let functions =
      echoes.map { type, name in "\(type.name) \(name)(\(type.name) x) { return x; }" }
      + counts.map { function("sum", "uint64_t", $0) { i in "uint64_t x\(i)" } }
      + counts.map { function("weigh", "double", $0) { i in "double x\(i)" } }
      + counts.map { function("mix", "double", $0) { i in "\(mixedType(i)) x\(i)" } }
    return try CLibrary.fixture("values.c") + functions.joined(separator: "\n") + "\n"
  }

  /// The parameter type at each position. The mixed functions use all sizes and both kinds of register.
  static func mixedType(_ index: Int) -> String {
    ["double", "int8_t", "float", "uint32_t", "int64_t", "uint16_t", "bool"][index % 7]
  }

  /// A function that adds up its parameters, each multiplied by its position from 1.
  private static func function(_ name: String, _ type: String, _ count: Int, _ parameter: (Int) -> String) -> String {
    let parameters = count == 0 ? "void" : (0..<count).map(parameter).joined(separator: ", ")
    let sum = (0..<count).map { "+ (\(type))x\($0) * \($0 + 1)" }.joined(separator: " ")
    return "\(type) \(name)_\(count)(\(parameters)) { return 0 \(sum); }"
  }
}
