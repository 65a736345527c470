import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// Expands `@Resolvable` on a type: writes `init(scope:)`, the list of what that resolves, and the conformances.
///
/// They stand among the type's members, where names mean what they mean in the type. But an initialiser there takes a struct the
/// memberwise one that it may have, so that one of a struct which has none of its own stands in an extension. So both roles look
/// at the declaration, and the first one says what is wrong.
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

/// Expands `@ResolvableInitializer` to nothing: `@Resolvable` looks for it.
struct ResolvableInitializerMacro: PeerMacro {
  static func expansion(
    of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol, in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] { [] }
}
