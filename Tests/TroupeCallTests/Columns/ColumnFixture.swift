import TroupeCall

/// The C functions that the tests of calls over columns call.
enum ColumnFixture {
  static let library = Result { try CLibrary(sources: [source()], compilers: [["cc", "-O1"]]) }

  /// Prepares a call of a function.
  static func call(_ name: String, _ signature: String) throws -> PreparedCall {
    try PreparedCall(signature: Signature(parsing: signature), function: library.get().function(name))
  }

  /// The types of numbers, each as C spells it.
  static let types = [
    "bool", "int8_t", "int16_t", "int32_t", "int64_t", "uint8_t", "uint16_t", "uint32_t", "uint64_t", "float", "double",
  ]
  /// The number of functions of each of the lists below.
  static let signatureCount = 80

  /// The parameters of one of the functions `sum_N`: of mixed types, all `float` or all `double`, and from 0 to 12 of them.
  static func parameters(_ index: Int) -> [String] {
    let count = index % 13
    switch index / 13 {
    case 0: return Array(repeating: "double", count: count)
    case 1: return Array(repeating: "float", count: count)
    default: return (0..<count).map { types[(index * 7 + $0 * (1 + index % 5)) % types.count] }
    }
  }

  /// The result of one of the functions `sum_N`.
  static func result(_ index: Int) -> String {
    switch index / 13 {
    case 0: "double"
    case 1: "float"
    default: types[index % types.count]
    }
  }

  private static func source() throws -> String {
    try CLibrary.fixture("columns.c") + (0..<signatureCount).map(sum).joined(separator: "\n") + "\n"
  }

  /// A function that adds up its parameters, each multiplied by its position from 1, without overflow of signed numbers.
  private static func sum(_ index: Int) -> String {
    let parameters = parameters(index)
    let list = parameters.isEmpty ? "void" : parameters.enumerated().map { "\($1) x\($0)" }.joined(separator: ", ")
    let isReal = ["float", "double"].contains(result(index))
    let terms = parameters.enumerated().map { position, type in
      let isRealParameter = ["float", "double"].contains(type)
      let value =
        isReal ? "(double)x\(position)" : isRealParameter ? "(uint64_t)(int64_t)x\(position)" : "(uint64_t)x\(position)"
      return " + \(value) * \(position + 1)"
    }
    return "\(result(index)) sum_\(index)(\(list)) { return (\(result(index)))(3\(terms.joined())); }"
  }
}
