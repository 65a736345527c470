import SwiftSyntax
import SwiftSyntaxMacros

/// The type that `@Plugin` stands on, once it is known to be fit for it.
struct PluginType {
  /// Its name as source has it, in backticks if it needs them.
  let name: String
  /// Its name for people.
  let plainName: String
  /// Whether it does something at its activation, as far as its own text tells: it declares `registered(to:)`, or may inherit one.
  let isActivated: Bool

  /// Looks at the declaration; says what is wrong and gives nil if a plugin cannot be made of it.
  init?(_ declaration: some DeclSyntaxProtocol, attribute: AttributeSyntax, context: some MacroExpansionContext) {
    guard
      let group = declaration.asProtocol((any DeclGroupSyntax).self),
      let named = declaration.asProtocol((any NamedDeclSyntax).self), Self.isPossible(declaration)
    else {
      context.diagnose(PluginDiagnostic.notAType.at(attribute))
      return nil
    }
    isActivated = Self.isActivated(group)
    name = named.name.text
    plainName = named.name.identifier?.name ?? name
    guard context.lexicalContext.isEmpty else {
      context.diagnose(PluginDiagnostic.nested.at(named.name))
      return nil
    }
    if let generic = declaration.asProtocol((any WithGenericParametersSyntax).self)?.genericParameterClause {
      context.diagnose(PluginDiagnostic.generic(name).at(generic))
      return nil
    }
    guard Self.hasEmptyInitializer(group) else {
      context.diagnose(PluginDiagnostic.noInitializer(name).at(named.name))
      return nil
    }
  }

  /// Whether the declaration is of a kind that a plugin can be made of.
  static func isPossible(_ declaration: some DeclSyntaxProtocol) -> Bool {
    declaration.is(ClassDeclSyntax.self) || declaration.is(StructDeclSyntax.self) || declaration.is(EnumDeclSyntax.self)
  }

  private static func isActivated(_ group: some DeclGroupSyntax) -> Bool {
    let functions = group.memberBlock.members.compactMap { $0.decl.as(FunctionDeclSyntax.self) }
    if functions.contains(where: { $0.name.text == "registered" }) { return true }
    // The superclass of a class stands among its protocols.
    let inherited = group.inheritanceClause?.inheritedTypes.map(\.type.trimmedDescription) ?? []
    return group.is(ClassDeclSyntax.self) && !inherited.allSatisfy { ["Assembly", "Troupe.Assembly", "Sendable"].contains($0) }
  }

  /// Whether `Type()` is going to compile, as far as the type's own text tells: with initialisers of its own one of them
  /// needs no arguments and gives a value, without any every stored property has a value.
  private static func hasEmptyInitializer(_ group: some DeclGroupSyntax) -> Bool {
    let members = group.memberBlock.members.map(\.decl)
    let initializers = members.compactMap { $0.as(InitializerDeclSyntax.self) }
    if !initializers.isEmpty { return initializers.contains(where: isEmpty) }
    // An enumeration has no initialiser unless it declares one; a subclass may inherit one.
    if group.is(EnumDeclSyntax.self) { return false }
    return StoredProperty.all(in: members).allSatisfy { $0.hasValue || $0.beginsAsNil }
  }

  private static func isEmpty(_ initializer: InitializerDeclSyntax) -> Bool {
    let effects = initializer.signature.effectSpecifiers
    // The entry stands beside the type, where what is private to it is out of reach.
    let isPrivate = initializer.modifiers.contains { $0.name.tokenKind == .keyword(.private) }
    return !isPrivate && initializer.optionalMark == nil && effects?.throwsClause == nil && effects?.asyncSpecifier == nil
      && initializer.signature.parameterClause.parameters.allSatisfy { $0.defaultValue != nil }
  }
}
