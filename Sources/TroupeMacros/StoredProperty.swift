import SwiftSyntax

/// A stored property of a type's instances, as far as the type's own text tells.
struct StoredProperty {
  /// Its name; a tuple of several.
  let pattern: PatternSyntax
  /// Its type, if that is written; of `let a, b: Int` both have one.
  let type: TypeSyntax?
  /// Whether it has an initial value, of its own or by a property wrapper.
  let hasValue: Bool
  private let isVariable: Bool

  /// Whether a struct's memberwise initialiser takes it.
  var isMemberwise: Bool { isVariable || !hasValue }

  /// Whether it is written as `Int?` or `Int!`, and so is nil unless it is assigned to.
  var beginsAsNil: Bool {
    isVariable && (type?.is(OptionalTypeSyntax.self) == true || type?.is(ImplicitlyUnwrappedOptionalTypeSyntax.self) == true)
  }

  /// The stored properties among members, in their order: neither static nor lazy nor computed ones.
  static func all(in members: [DeclSyntax]) -> [StoredProperty] {
    members.compactMap { $0.as(VariableDeclSyntax.self) }.flatMap(all)
  }

  private static func all(in variable: VariableDeclSyntax) -> [StoredProperty] {
    if variable.modifiers.contains(where: { ["static", "class", "lazy"].contains($0.name.text) }) { return [] }
    var properties: [StoredProperty] = []
    // A type stands behind the last of those that it belongs to.
    var type: TypeSyntax?
    for binding in variable.bindings.reversed() {
      type = binding.typeAnnotation?.type ?? (binding.initializer == nil ? type : nil)
      guard isStored(binding) else { continue }
      properties.append(
        StoredProperty(
          pattern: binding.pattern, type: type,
          hasValue: binding.initializer != nil || hasWrapperWithValue(variable, isTyped: type != nil),
          isVariable: variable.bindingSpecifier.tokenKind == .keyword(.var)))
    }
    return properties.reversed()
  }

  /// Whether it is no computed property; one that is observed is stored.
  private static func isStored(_ binding: PatternBindingSyntax) -> Bool {
    switch binding.accessorBlock?.accessors {
    case nil: true
    case .accessors(let list): list.allSatisfy { ["willSet", "didSet"].contains($0.accessorSpecifier.text) }
    default: false
    }
  }

  /// Whether a property wrapper gives the value: one that is told with what, or that even tells the type. The attributes of the
  /// language begin with a small letter.
  private static func hasWrapperWithValue(_ variable: VariableDeclSyntax, isTyped: Bool) -> Bool {
    variable.attributes.contains { element in
      guard case .attribute(let attribute) = element, attribute.plainName.first?.isUppercase == true else { return false }
      return attribute.arguments != nil || !isTyped
    }
  }
}
