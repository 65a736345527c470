import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// Expands `@Resolvable` on a type: writes `init(scope:)`, the list of its dependencies, and the conformances.
///
/// The generated members are members of the type, where its names resolve correctly. Only a struct without an initializer of its
/// own gets `init(scope:)` in the extension, because a member would remove its memberwise initializer. Therefore both roles parse
/// the declaration, and the member role reports the diagnostics.
struct ResolvableMacro: MemberMacro, ExtensionMacro {
  static func expansion(
    of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax, conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    try ResolvableType(declaration, attribute: node, missing: protocols, context: context).members
  }

  static func expansion(
    of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax, providingExtensionsOf type: some TypeSyntaxProtocol,
    conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
  ) throws -> [ExtensionDeclSyntax] {
    guard let resolvable = try? ResolvableType(declaration, attribute: node, missing: protocols, context: context) else {
      return []
    }
    let members = resolvable.extensionMembers
    if members.isEmpty, protocols.isEmpty { return [] }
    let isolation = resolvable.isIsolated ? "nonisolated " : ""
    let conformances = protocols.map { isolation + $0.trimmedDescription }.joined(separator: ", ")
    let header = "extension \(type.trimmed)" + (protocols.isEmpty ? "" : ": " + conformances)
    return [try ExtensionDeclSyntax("\(raw: header)") { for member in members { member } }]
  }
}

/// Expands `@ResolvableInitializer` to nothing: the attribute only marks an initializer for `@Resolvable`.
struct ResolvableInitializerMacro: PeerMacro {
  static func expansion(
    of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol, in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] { [] }
}
