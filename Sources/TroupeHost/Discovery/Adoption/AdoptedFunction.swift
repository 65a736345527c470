/// The functions that a file `NAME.troupe.json` takes from the library that it adopts.
struct AdoptedFunctions: Sendable {
  let functions: [AdoptedFunction]
  /// Whether one function that cannot be registered rejects the plugin.
  let isStrict: Bool
  /// The faults of the refused functions: for each a sentence with the function, the location, the problem and the remedy.
  let refusals: [String]
}

/// One of these functions.
struct AdoptedFunction: Sendable {
  /// The index in the file's array `functions`.
  let index: Int
  /// The registration.
  let declaration: FactoryDeclaration
  /// The function's symbol in the library.
  let symbol: String
  /// The symbol of the function that ends an instance of a contract; nil for none.
  let destroy: String?

  /// The beginning of a refusal, by the name of the function if it can be read.
  static func subject(_ name: String?) -> String { name.map { "the function \"\($0)\"" } ?? "a function" }
}
