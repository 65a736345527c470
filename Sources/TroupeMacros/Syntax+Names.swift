import SwiftIfConfig
import SwiftSyntax
import SwiftSyntaxMacros

extension TypeSyntax {
  /// The last part of its name, such as `Sendable` of `@unchecked Swift.Sendable`; its whole text if it has no name.
  var plainName: String {
    if let type = self.as(IdentifierTypeSyntax.self) { return type.name.text }
    if let type = self.as(MemberTypeSyntax.self) { return type.name.text }
    if let type = self.as(AttributedTypeSyntax.self) { return type.baseType.plainName }
    return trimmedDescription
  }
}

extension AttributeSyntax {
  /// The last part of its name.
  var plainName: String { attributeName.plainName }
}

extension AttributeListSyntax {
  /// The attributes with a name, whatever they are qualified with.
  func named(_ name: String) -> [AttributeSyntax] {
    compactMap { $0.as(AttributeSyntax.self) }.filter { $0.plainName == name }
  }

  /// The global actor that what they stand on belongs to, by the custom that such a name ends in `Actor`.
  var globalActor: AttributeSyntax? {
    compactMap { $0.as(AttributeSyntax.self) }.first { $0.plainName.hasSuffix("Actor") && $0.arguments == nil }
  }
}

extension DeclModifierListSyntax {
  func has(_ keyword: Keyword) -> Bool { contains { $0.name.tokenKind == .keyword(keyword) && $0.detail == nil } }
}

extension MemberBlockItemListSyntax {
  /// The declarations, those of the clauses of `#if` among them that are compiled.
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
}
