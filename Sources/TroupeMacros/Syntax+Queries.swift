import SwiftIfConfig
import SwiftSyntax
import SwiftSyntaxMacros

// Queries of the macros: plain names, attributes, modifiers, and the members behind `#if`.

extension TypeSyntax {
  /// The last component of the type's name, such as `Sendable` of `@unchecked Swift.Sendable`, or the whole text if it has no name.
  var plainName: String {
    if let type = self.as(IdentifierTypeSyntax.self) { return type.name.text }
    if let type = self.as(MemberTypeSyntax.self) { return type.name.text }
    if let type = self.as(AttributedTypeSyntax.self) { return type.baseType.plainName }
    return trimmedDescription
  }
}

extension AttributeSyntax {
  var plainName: String { attributeName.plainName }
}

extension AttributeListSyntax {
  /// Also finds qualified names.
  func named(_ name: String) -> [AttributeSyntax] {
    compactMap { $0.as(AttributeSyntax.self) }.filter { $0.plainName == name }
  }

  /// The attribute for a global actor. By convention such a name ends in `Actor`.
  var globalActor: AttributeSyntax? {
    compactMap { $0.as(AttributeSyntax.self) }.first { $0.plainName.hasSuffix("Actor") && $0.arguments == nil }
  }
}

extension DeclModifierListSyntax {
  func has(_ keyword: Keyword) -> Bool { contains { $0.name.tokenKind == .keyword(keyword) && $0.detail == nil } }
}

extension MemberBlockItemListSyntax {
  /// Returns the declarations, including those in the active clauses of `#if`.
  func active(in context: some MacroExpansionContext) -> [DeclSyntax] {
    flatMap { item -> [DeclSyntax] in
      guard let conditional = item.decl.as(IfConfigDeclSyntax.self) else { return [item.decl] }
      guard
        let configuration = context.buildConfiguration,
        case .decls(let members)? = conditional.activeClause(in: configuration).clause?.elements
      else { return [] }
      return members.active(in: context)
    }
  }

  /// The first `#if` that affects initializers or stored properties and whose condition no macro can evaluate.
  var firstUndecided: IfConfigDeclSyntax? {
    lazy.compactMap { $0.decl.as(IfConfigDeclSyntax.self) }.first { conditional in
      let clauses = conditional.clauses
      let members = clauses.compactMap { $0.elements?.as(MemberBlockItemListSyntax.self) }
      let isUndecided = clauses.contains {
        $0.condition?.tokens(viewMode: .sourceAccurate).contains { $0.text == "canImport" } == true
      }
      return members.contains { $0.firstUndecided != nil || isUndecided && $0.hasInitialization }
    }
  }

  private var hasInitialization: Bool {
    contains { $0.decl.is(InitializerDeclSyntax.self) } || !StoredProperty.all(in: map(\.decl)).isEmpty
  }
}
