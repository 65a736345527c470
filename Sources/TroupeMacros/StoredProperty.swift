import SwiftSyntax

/// A stored property of a type's instances, as declared in the type's text.
struct StoredProperty {
  /// The name, or a tuple of names.
  let pattern: PatternSyntax
  /// The declared type; in `let a, b: Int` the type of both.
  let type: TypeSyntax?
  /// True also if a property wrapper provides the value.
  let hasValue: Bool
  private let isVariable: Bool

  /// True for a parameter of a struct's memberwise initializer.
  var isMemberwise: Bool { isVariable || !hasValue }

  /// True for a variable of a type such as `Int?` or `Int!`, whose initial value is nil.
  var beginsAsNil: Bool {
    isVariable && (type?.is(OptionalTypeSyntax.self) == true || type?.is(ImplicitlyUnwrappedOptionalTypeSyntax.self) == true)
  }

  /// Returns the stored properties among members, in order, without static, lazy and computed ones.
  static func all(in members: [DeclSyntax]) -> [StoredProperty] {
    members.compactMap { $0.as(VariableDeclSyntax.self) }.flatMap(all)
  }

  private static func all(in variable: VariableDeclSyntax) -> [StoredProperty] {
    if variable.modifiers.contains(where: { ["static", "class", "lazy"].contains($0.name.text) }) { return [] }
    var properties: [StoredProperty] = []
    // A type annotation follows the last of its names.
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

  /// An observed property is stored.
  private static func isStored(_ binding: PatternBindingSyntax) -> Bool {
    switch binding.accessorBlock?.accessors {
    case nil: true
    case .accessors(let list): list.allSatisfy { ["willSet", "didSet"].contains($0.accessorSpecifier.text) }
    default: false
    }
  }

  /// A property wrapper provides the value if it has arguments or infers the type. Names of wrappers begin with a capital, unlike the
  /// language's own attributes.
  private static func hasWrapperWithValue(_ variable: VariableDeclSyntax, isTyped: Bool) -> Bool {
    variable.attributes.contains { element in
      guard case .attribute(let attribute) = element, attribute.plainName.first?.isUppercase == true else { return false }
      return attribute.arguments != nil || !isTyped
    }
  }
}
