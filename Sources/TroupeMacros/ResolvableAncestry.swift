import SwiftSyntax

/// What a type inherits, as far as that matters to `@Resolvable`.
struct ResolvableAncestry {
  /// Whether its superclass conforms.
  let isResolvable: Bool
  /// The superclass, if it lists what it resolves.
  let superclassWithList: String?
  /// What says that it cannot be copied.
  let noncopyable: InheritedTypeSyntax?

  init(_ declaration: some DeclGroupSyntax, missing: [TypeSyntax]) {
    let inherited = declaration.inheritanceClause.map { Array($0.inheritedTypes) } ?? []
    let stated = Set(inherited.map(\.type.plainName))
    let missing = Set(missing.map(\.plainName))
    // A class that conforms without saying so itself has it of its superclass, which stands first; or of a protocol, in which
    // case it has to say so.
    let isHeir = { name in
      declaration.is(ClassDeclSyntax.self) && !inherited.isEmpty && !stated.contains(name) && !missing.contains(name)
    }
    isResolvable = isHeir("Resolvable")
    superclassWithList = isHeir("DependencyListing") ? inherited.first?.type.trimmedDescription : nil
    noncopyable = inherited.first { ["~Copyable", "~Escapable"].contains($0.type.trimmedDescription) }
  }
}
