/// A function that a file `NAME.troupe.json` takes from the library that it adopts.
struct AdoptedFunction: Sendable {
  /// What is registered.
  let declaration: FactoryDeclaration
  /// The function's symbol in the library.
  let symbol: String
  /// The symbol of the function that ends an instance, for a contract's factory; nil if there is nothing to end.
  let destroy: String?
}
