import SwiftSyntax
import SwiftSyntaxMacros

/// A type with the attribute `@Plugin`. The entry that the macro generates makes its instance with `Type()`.
struct PluginType {
  /// As in source, in backticks if it needs them.
  let name: String
  /// Without backticks.
  let plainName: String
  /// True if the type declares `registered(to:)` or may inherit it. The manifest then says `loadsAtStart`. A macro knows only the
  /// type's text: if this is wrongly true, it costs an early load.
  let mayHaveActivation: Bool

  /// Reports a type that cannot be a plugin, and then returns nil.
  init?(_ declaration: some DeclSyntaxProtocol, attribute: AttributeSyntax, context: some MacroExpansionContext) {
    guard
      let group = declaration.asProtocol((any DeclGroupSyntax).self),
      let named = declaration.asProtocol((any NamedDeclSyntax).self), Self.canBePlugin(declaration)
    else {
      context.diagnose(PluginDiagnostic.notAType.at(attribute))
      return nil
    }
    mayHaveActivation = Self.mayHaveActivation(group)
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
    guard Self.canBeMadeWithoutArguments(group) else {
      context.diagnose(PluginDiagnostic.noInitializer(name).at(named.name))
      return nil
    }
  }

  static func canBePlugin(_ declaration: some DeclSyntaxProtocol) -> Bool {
    declaration.is(ClassDeclSyntax.self) || declaration.is(StructDeclSyntax.self) || declaration.is(EnumDeclSyntax.self)
  }

  private static func mayHaveActivation(_ group: some DeclGroupSyntax) -> Bool {
    let functions = group.memberBlock.members.compactMap { $0.decl.as(FunctionDeclSyntax.self) }
    if functions.contains(where: { $0.name.text == "registered" }) { return true }
    // A class lists its superclass among its protocols. Any name but these may be a superclass that declares the function.
    let inherited = group.inheritanceClause?.inheritedTypes.map(\.type.trimmedDescription) ?? []
    return group.is(ClassDeclSyntax.self) && !inherited.allSatisfy { ["Assembly", "Troupe.Assembly", "Sendable"].contains($0) }
  }

  /// Judges by the type's own text if `Type()` will compile. With initializers, one of them must need no arguments and must
  /// not fail; without any, every stored property must have a value.
  private static func canBeMadeWithoutArguments(_ group: some DeclGroupSyntax) -> Bool {
    let members = group.memberBlock.members.map(\.decl)
    let initializers = members.compactMap { $0.as(InitializerDeclSyntax.self) }
    if !initializers.isEmpty { return initializers.contains(where: isCallableWithoutArguments) }
    // An enumeration has no initializer unless it declares one. Structs and classes get one, also from a superclass.
    if group.is(EnumDeclSyntax.self) { return false }
    return StoredProperty.all(in: members).allSatisfy { $0.hasValue || $0.beginsAsNil }
  }

  private static func isCallableWithoutArguments(_ initializer: InitializerDeclSyntax) -> Bool {
    let effects = initializer.signature.effectSpecifiers
    // The entry is generated outside the type and cannot use its private members.
    let isPrivate = initializer.modifiers.contains { $0.name.tokenKind == .keyword(.private) }
    return !isPrivate && initializer.optionalMark == nil && effects?.throwsClause == nil && effects?.asyncSpecifier == nil
      && initializer.signature.parameterClause.parameters.allSatisfy { $0.defaultValue != nil }
  }
}
