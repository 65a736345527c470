import SwiftDiagnostics

/// The diagnostics of `@Resolvable`.
enum ResolvableDiagnostic: MacroDiagnostic {
  static let domain = "Troupe.Resolvable"

  case notAType
  case local
  case hidden(String)
  case noncopyable(String)
  case alreadyThere(String)
  case several(String)
  case severalMarked(String)
  case asynchronous
  case isolated
  case generic
  case inOut(String)
  case isolatedParameter(String)
  case opaque(String)
  case pack(String)
  case leftOut(String)
  case tuple
  case untyped(String)
  case undecided(String)

  var message: String {
    switch self {
    case .notAType: "@Resolvable stands on a class, struct or actor"
    case .local: "@Resolvable stands on a type outside of functions, since its conformance is made in an extension"
    case .hidden(let name):
      "@Resolvable makes '\(name)' conform in an extension at file scope, which cannot use private members of another type"
    case .noncopyable(let name): "@Resolvable needs '\(name)' to be copyable, since containers store their instances"
    case .alreadyThere(let name):
      "@Resolvable writes the initializer 'init(scope:)', which '\(name)' has already; conform to 'Resolvable' instead"
    case .several(let name):
      "@Resolvable cannot choose an initializer of '\(name)'; mark one with '@\(ResolvableInitializer.mark)'"
    case .severalMarked(let name): "@Resolvable calls one initializer of '\(name)', and another one is marked already"
    case .asynchronous: "@Resolvable cannot call an asynchronous initializer, since 'init(scope:)' is synchronous"
    case .isolated:
      "@Resolvable cannot call an initializer that belongs to a global actor, since 'init(scope:)' is called on any thread"
    case .generic: "@Resolvable cannot call a generic initializer, since its types are unknown"
    case .inOut(let name): "@Resolvable cannot pass '\(name)' inout, since an instance is not a variable"
    case .isolatedParameter(let name): "@Resolvable cannot pass '\(name)', which says on which actor the initializer runs"
    case .opaque(let name): "@Resolvable cannot resolve '\(name)', since 'some' names no type; write 'any'"
    case .pack(let name): "@Resolvable cannot resolve the parameter pack '\(name)'"
    case .leftOut(let name):
      "@Resolvable cannot leave out '\(name)', which has a default, since a parameter without a label follows it"
    case .tuple: "@Resolvable cannot resolve the parts of a tuple; declare each as a property of its own"
    case .untyped(let name): "@Resolvable needs the type of '\(name)' to be written, since it has to be resolved"
    case .undecided(let name):
      "@Resolvable cannot determine the members of '\(name)', since a macro does not know the importable modules; use another condition"
    }
  }
}
