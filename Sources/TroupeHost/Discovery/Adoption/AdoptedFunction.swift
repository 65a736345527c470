/// The functions that a file `NAME.troupe.json` takes from the library that it adopts.
struct AdoptedFunctions: Sendable {
  let functions: [AdoptedFunction]
  /// Whether one function that cannot be registered rejects the plugin.
  let isStrict: Bool
  /// The functions of the file that are left out: for each a sentence with the location, the fault and the remedy.
  let refusals: [String]
}

/// One of these functions.
struct AdoptedFunction: Sendable {
  /// The index in the file's array `functions`.
  let index: Int
  /// What is registered.
  let declaration: FactoryDeclaration
  /// The function's symbol in the library.
  let symbol: String
  /// The symbol of the function that ends an instance, for a contract's factory; nil if there is nothing to end.
  let destroy: String?
}
