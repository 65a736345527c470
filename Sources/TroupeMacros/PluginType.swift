import SwiftSyntax
import SwiftSyntaxMacros

/// The type that `@Plugin` stands on, once it is known to be fit for it.
struct PluginType {
  /// Its name.
  let name: String

  /// Looks at the declaration; says what is wrong and gives nil if a plugin cannot be made of it.
  init?(_ declaration: some DeclSyntaxProtocol, attribute: AttributeSyntax, context: some MacroExpansionContext) {
    guard
      let group = declaration.asProtocol((any DeclGroupSyntax).self),
      let named = declaration.asProtocol((any NamedDeclSyntax).self),
      declaration.is(ClassDeclSyntax.self) || declaration.is(StructDeclSyntax.self) || declaration.is(EnumDeclSyntax.self)
    else {
      context.diagnose(PluginDiagnostic.notAType.at(attribute))
      return nil
    }
    name = named.name.text
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

  /// Whether `Type()` is going to compile, as far as the type's own text tells: with initialisers of its own one of them
  /// needs no arguments and gives a value, without any every stored property has a value.
  private static func hasEmptyInitializer(_ group: some DeclGroupSyntax) -> Bool {
    let members = group.memberBlock.members.map(\.decl)
    let initializers = members.compactMap { $0.as(InitializerDeclSyntax.self) }
    if !initializers.isEmpty { return initializers.contains(where: isEmpty) }
    // An enumeration has no initialiser unless it declares one; a subclass may inherit one.
    if group.is(EnumDeclSyntax.self) { return false }
    return members.compactMap { $0.as(VariableDeclSyntax.self) }.allSatisfy(hasValue)
  }

  private static func isEmpty(_ initializer: InitializerDeclSyntax) -> Bool {
    let effects = initializer.signature.effectSpecifiers
    return initializer.optionalMark == nil && effects?.throwsClause == nil && effects?.asyncSpecifier == nil
      && initializer.signature.parameterClause.parameters.allSatisfy { $0.defaultValue != nil }
  }

  private static func hasValue(_ variable: VariableDeclSyntax) -> Bool {
    if variable.modifiers.contains(where: { ["static", "class", "lazy"].contains($0.name.text) }) { return true }
    return variable.bindings.allSatisfy { binding in
      if binding.initializer != nil { return true }
      switch binding.accessorBlock?.accessors {
      case .getter: return true
      case .accessors(let list):
        return list.contains { !["willSet", "didSet"].contains($0.accessorSpecifier.text) }
      default:
        let isOptional = binding.typeAnnotation?.type.is(OptionalTypeSyntax.self) ?? false
        return isOptional && variable.bindingSpecifier.tokenKind == .keyword(.var)
      }
    }
  }
}
