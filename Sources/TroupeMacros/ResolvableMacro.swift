import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// Expands `@Resolvable` on a type: writes `init(scope:)`, the list of what that resolves, and the conformances.
///
/// A struct has both in an extension, so that it keeps its memberwise initialiser; a class and an actor have them among their
/// members, where such initialisers have to stand. So both roles look at the declaration, and the first one says what is wrong.
struct ResolvableMacro: MemberMacro, ExtensionMacro {
  static func expansion(
    of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax, conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    let type = try ResolvableType(declaration, attribute: node, missing: protocols, context: context)
    return declaration.is(StructDeclSyntax.self) ? [] : type.members
  }

  static func expansion(
    of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax, providingExtensionsOf type: some TypeSyntaxProtocol,
    conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
  ) throws -> [ExtensionDeclSyntax] {
    guard let resolvable = try? ResolvableType(declaration, attribute: node, missing: protocols, context: context) else {
      return []
    }
    let members = declaration.is(StructDeclSyntax.self) ? resolvable.members : []
    if members.isEmpty, protocols.isEmpty { return [] }
    let isolation = resolvable.isIsolated ? "nonisolated " : ""
    let conformances = protocols.map { isolation + $0.trimmedDescription }.joined(separator: ", ")
    let header = "extension \(type.trimmed)" + (protocols.isEmpty ? "" : ": " + conformances)
    return [try ExtensionDeclSyntax("\(raw: header)") { for member in members { member } }]
  }
}

/// Expands `@ResolvableInitializer` to nothing: `@Resolvable` looks for it.
struct ResolvableInitializerMacro: PeerMacro {
  static func expansion(
    of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol, in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] { [] }
}
