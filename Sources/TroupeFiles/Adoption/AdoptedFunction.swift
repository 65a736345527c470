internal import TroupeBase

/// The functions of an adopted library that a file `NAME.troupe.json` registers.
package struct AdoptedFunctions: Sendable {
  package let functions: [AdoptedFunction]
  /// Whether one function that cannot be registered rejects the plugin.
  package let isStrict: Bool
  /// The faults of the rejected functions. Their subjects are those of the functions.
  package let refusals: [Diagnosis]
}

/// A function of an adopted library.
package struct AdoptedFunction: Sendable {
  /// The index in the file's array `functions`.
  package let index: Int
  /// The registration.
  package let declaration: FactoryDeclaration
  /// The function's symbol in the library.
  package let symbol: String
  /// The symbol of the function that destroys an instance of a contract; nil for none.
  package let destroy: String?

  /// Returns the subject of a diagnosis, with the name of the function if it can be read.
  package static func subject(_ name: String?) -> String { name.map { "the function \"\($0)\"" } ?? "a function" }
}
