import SwiftSyntax

/// The inherited types of a declaration, as relevant to `@Resolvable`.
struct ResolvableAncestry {
  /// Whether the superclass conforms to `Resolvable`.
  let isResolvable: Bool
  /// The superclass, if it lists its dependencies.
  let superclassWithList: String?
  /// The inherited type that prevents copies.
  let noncopyable: InheritedTypeSyntax?

  init(_ declaration: some DeclGroupSyntax, missing: [TypeSyntax]) {
    let inherited = declaration.inheritanceClause.map { Array($0.inheritedTypes) } ?? []
    let stated = Set(inherited.map(\.type.plainName))
    let missing = Set(missing.map(\.plainName))
    // A class that conforms without naming the protocol inherits the conformance from its superclass, the first inherited type.
    // Conformance through another protocol must be named.
    let inherits = { name in
      declaration.is(ClassDeclSyntax.self) && !inherited.isEmpty && !stated.contains(name) && !missing.contains(name)
    }
    isResolvable = inherits("Resolvable")
    superclassWithList = inherits("DependencyListing") ? inherited.first?.type.trimmedDescription : nil
    noncopyable = inherited.first { ["~Copyable", "~Escapable"].contains($0.type.trimmedDescription) }
  }
}
