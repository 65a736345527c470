import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// A type with the attribute `@Resolvable`, and the code generated for it.
///
/// ```swift
/// @Resolvable final class Car { init(engine: Engine) { … } }
/// // becomes
/// final class Car {
///   convenience init(scope: any TroupeScopes.DependencyResolutionScope) {
///     self.init(engine: scope.resolve(Engine.self))
///   }
///   static var listedDependencies: [any Any.Type]? { [Engine.self] }
/// }
/// ```
struct ResolvableType {
  private enum InitializerBody {
    /// Calls an initializer of the type, or the implicit one without parameters.
    case call(ResolvableInitializer?)
    case assignments([(name: String, type: String)])
    /// Assigns nothing, because the properties have values and there is no superclass. The initializer is designated, so that
    /// subclasses can call it. The implicit initializer is written out, since any other initializer removes it.
    case nothing
    /// Inherits the initializer of the superclass.
    case inherited
  }

  private let name: String
  private let isClass: Bool
  private let isStruct: Bool
  private let isFinal: Bool
  /// The modifier of the generated members, with a space at the end, or "".
  private let access: String
  private let isOpen: Bool
  /// True for a type of a global actor. `init(scope:)` is nonisolated nevertheless.
  let isIsolated: Bool
  private let ancestry: ResolvableAncestry
  private let initializerBody: InitializerBody

  /// - Parameter missing: The protocols of the macro to which the type does not conform yet.
  /// - Throws: The diagnostics of the declaration.
  init(
    _ declaration: some DeclGroupSyntax, attribute: AttributeSyntax, missing: [TypeSyntax], context: some MacroExpansionContext
  ) throws(DiagnosticsError) {
    isClass = declaration.is(ClassDeclSyntax.self)
    isStruct = declaration.is(StructDeclSyntax.self)
    guard
      let named = declaration.asProtocol((any NamedDeclSyntax).self),
      isClass || isStruct || declaration.is(ActorDeclSyntax.self)
    else { throw ResolvableDiagnostic.notAType.at(attribute).error }
    let plainName = named.name.identifier?.name ?? named.name.text
    name = named.name.text
    try Self.checkPlace(of: declaration, plainName: plainName, attribute: attribute, context: context)
    ancestry = ResolvableAncestry(declaration, missing: missing)
    if let noncopyable = ancestry.noncopyable { throw ResolvableDiagnostic.noncopyable(plainName).at(noncopyable).error }
    isFinal = !isClass || declaration.modifiers.has(.final)
    isIsolated = declaration.attributes.globalActor != nil
    let level = Self.access(declaration, context: context)
    isOpen = level == .open
    access = (isOpen ? .public : level).map { "\($0) " } ?? ""

    if let undecided = declaration.memberBlock.members.firstUndecided {
      throw ResolvableDiagnostic.undecided(plainName).at(undecided).error
    }
    let members = declaration.memberBlock.members.active(in: context)
    if let present = Self.initializerForScope(in: members, isStruct: isStruct) {
      throw ResolvableDiagnostic.alreadyThere(plainName).at(
        present, fixIts: [Self.conformance(instead: attribute, of: declaration, named: named.name)]
      ).error
    }
    initializerBody = try Self.initializerBody(
      of: members, name: named.name, plainName: plainName, isIsolated: isIsolated, ancestry: ancestry,
      mayHaveSubclasses: isClass && !isFinal && declaration.inheritanceClause == nil)
  }

  /// Returns an existing `init(scope:)`: the initializer itself, or the only property of a struct with a memberwise initializer.
  private static func initializerForScope(in members: [DeclSyntax], isStruct: Bool) -> Syntax? {
    let initializers = members.compactMap { $0.as(InitializerDeclSyntax.self) }
    if let present = initializers.first(where: \.isResolvable) { return Syntax(present) }
    guard isStruct, initializers.isEmpty else { return nil }
    let properties = StoredProperty.all(in: members).filter(\.isMemberwise)
    guard properties.count == 1, properties[0].pattern.trimmedDescription == "scope" else { return nil }
    return properties[0].type?.isScope == true ? Syntax(properties[0].pattern) : nil
  }

  /// Checks that an extension at file scope can name the type.
  private static func checkPlace(
    of declaration: some DeclGroupSyntax, plainName: String, attribute: AttributeSyntax, context: some MacroExpansionContext
  ) throws(DiagnosticsError) {
    // The innermost declaration comes first.
    let around = context.lexicalContext.map { $0.asProtocol((any DeclGroupSyntax).self) }
    if around.contains(where: { $0 == nil }) { throw ResolvableDiagnostic.local.at(attribute).error }
    guard !around.isEmpty else { return }
    // A private type at file scope is visible in the whole file.
    if let modifier = declaration.modifiers.first(where: { $0.name.tokenKind == .keyword(.private) }) {
      let range = modifier.name.positionAfterSkippingLeadingTrivia..<modifier.name.endPositionBeforeTrailingTrivia
      let fixIt = FixIt.replacement("Make it 'fileprivate'", [(range, "fileprivate")], in: modifier)
      throw ResolvableDiagnostic.hidden(plainName).at(modifier, fixIts: [fixIt]).error
    }
    if around.dropLast().contains(where: { $0?.modifiers.has(.private) == true }) {
      throw ResolvableDiagnostic.hidden(plainName).at(attribute).error
    }
  }

  private static func initializerBody(
    of members: [DeclSyntax], name: TokenSyntax, plainName: String, isIsolated: Bool, ancestry: ResolvableAncestry,
    mayHaveSubclasses: Bool
  ) throws(DiagnosticsError) -> InitializerBody {
    let initializer = try ResolvableInitializer(of: plainName, name: name, members: members, isIsolated: isIsolated)
    if let initializer { return .call(initializer) }
    let properties = try assignments(StoredProperty.all(in: members).filter { !$0.hasValue })
    if !properties.isEmpty { return .assignments(properties) }
    if ancestry.isResolvable { return .inherited }
    if mayHaveSubclasses { return .nothing }
    // The implicit initializer is kept by a call; in a type with a global actor it may be isolated.
    return isIsolated ? .assignments([]) : .call(nil)
  }

  private static func assignments(_ properties: [StoredProperty]) throws(DiagnosticsError) -> [(name: String, type: String)] {
    var assignments: [(name: String, type: String)] = []
    var diagnostics: [Diagnostic] = []
    for property in properties {
      guard let name = property.pattern.as(IdentifierPatternSyntax.self)?.identifier else {
        diagnostics.append(ResolvableDiagnostic.tuple.at(property.pattern))
        continue
      }
      guard let type = property.type else {
        let fixIt = FixIt.insertion("Write its type", of: ": <#Type#>", after: name)
        diagnostics.append(ResolvableDiagnostic.untyped(name.identifier?.name ?? name.text).at(name, fixIts: [fixIt]))
        continue
      }
      assignments.append((name.text, type.asExpression))
    }
    if !diagnostics.isEmpty { throw DiagnosticsError(diagnostics: diagnostics) }
    return assignments
  }

  /// Returns the access given by the type's modifiers, or else by those of the surrounding extension.
  private static func access(_ declaration: some DeclGroupSyntax, context: some MacroExpansionContext) -> Keyword? {
    let levels: [Keyword] = [.open, .public, .package, .internal, .fileprivate, .private]
    let own = levels.first { declaration.modifiers.has($0) }
    let around = context.lexicalContext.first?.as(ExtensionDeclSyntax.self)?.modifiers
    let level = own ?? around.flatMap { around in levels.first { around.has($0) } }
    return [.open, .public, .package].first { $0 == level }
  }

  /// Returns the fix-it that replaces the macro by a manual conformance.
  private static func conformance(
    instead attribute: AttributeSyntax, of declaration: some DeclGroupSyntax, named name: TokenSyntax
  ) -> FixIt {
    let removed = (attribute.positionAfterSkippingLeadingTrivia..<attribute.endPosition, "")
    let inherited = declaration.inheritanceClause?.inheritedTypes
    if inherited?.contains(where: { $0.type.plainName == "Resolvable" }) == true {
      return FixIt.replacement("Remove '@Resolvable'", [removed], in: declaration)
    }
    let conformance = FixIt.conformance(to: "Resolvable", of: declaration, named: name)
    return FixIt.replacement("Conform to 'Resolvable' instead", [removed, conformance], in: declaration)
  }

  // MARK: Generated code

  /// The generated members of the type: the initializer and the list of dependencies.
  var members: [DeclSyntax] { (isInitializerInExtension ? [] : initializers) + [dependencyList] }

  /// The members of the generated extension.
  var extensionMembers: [DeclSyntax] { isInitializerInExtension ? initializers : [] }

  /// An initializer in the extension keeps the memberwise initializer of a struct.
  private var isInitializerInExtension: Bool {
    if case .call(_?) = initializerBody { return false }
    return isStruct
  }

  private var initializers: [DeclSyntax] {
    let isRequired = isClass && (!isFinal || ancestry.isResolvable)
    let isolation = isIsolated ? "nonisolated " : ""
    var modifiers = access + isolation + (isRequired ? "required " : "")
    var implicit: [DeclSyntax] = []
    let body: String
    switch initializerBody {
    case .inherited: return []
    case .nothing:
      body = ""
      implicit = ["init() {}"]
    case .call(let initializer):
      if isClass { modifiers += "convenience " }
      body = initializer?.call { "scope.resolve(\($0).self)" } ?? "self.init()"
    case .assignments(let properties):
      // In the extension the types are inferred: names of nested types are valid only among the type's own members.
      let lines = properties.map { "self.\($0.name) = scope.resolve(\(isInitializerInExtension ? "" : $0.type + ".self"))" }
      body = (lines + (ancestry.isResolvable ? ["super.init(scope: scope)"] : [])).joined(separator: "\n")
    }
    let block = body.isEmpty ? "{}" : "{\n" + body.split(separator: "\n").map { "  \($0)\n" }.joined() + "}"
    return implicit + ["\(raw: modifiers)init(scope: any TroupeScopes.DependencyResolutionScope) \(raw: block)"]
  }

  private var dependencyList: DeclSyntax {
    let isOverride = ancestry.superclassWithList != nil
    let keyword = isFinal ? "static" : "class"
    let modifiers =
      (isOpen && !isFinal ? "open " : access) + (isIsolated ? "nonisolated " : "") + (isOverride ? "override " : "")
    // The dependencies of a subclass without a list of its own are unknown.
    let value = isFinal || listed == "nil" ? listed : "self == \(name).self ? \(listed) : nil"
    return """
      \(raw: modifiers)\(raw: keyword) var listedDependencies: [any Any.Type]? {
        \(raw: value)
      }
      """
  }

  /// The list as an expression: nil if the superclass has none.
  private var listed: String {
    switch initializerBody {
    case .nothing: return Self.array([])
    case .call(let initializer): return Self.array(initializer?.arguments.map(\.type) ?? [])
    case .inherited: return ancestry.superclassWithList.map { "\($0).listedDependencies" } ?? "nil"
    case .assignments(let properties):
      let own = Self.array(properties.map(\.type))
      guard ancestry.isResolvable else { return own }
      return ancestry.superclassWithList.map { "\($0).listedDependencies.map { $0 + \(own) }" } ?? "nil"
    }
  }

  private static func array(_ types: [String]) -> String { "[" + types.map { $0 + ".self" }.joined(separator: ", ") + "]" }
}

/// The conformances that a declaration inherits from its superclass.
struct ResolvableAncestry {
  /// True if the superclass conforms to `Resolvable`.
  let isResolvable: Bool
  /// The superclass, if it conforms to `DependencyListing`.
  let superclassWithList: String?
  /// `~Copyable` or `~Escapable`.
  let noncopyable: InheritedTypeSyntax?

  init(_ declaration: some DeclGroupSyntax, missing: [TypeSyntax]) {
    let inherited = declaration.inheritanceClause.map { Array($0.inheritedTypes) } ?? []
    let stated = Set(inherited.map(\.type.plainName))
    let missing = Set(missing.map(\.plainName))
    // A class that conforms without naming the protocol inherits the conformance from its superclass, the first inherited type.
    // Conformance through another protocol must be named.
    let inherits = { name in
      declaration.is(ClassDeclSyntax.self) && !inherited.isEmpty && !stated.contains(name) && !missing.contains(name)
    }
    isResolvable = inherits("Resolvable")
    superclassWithList = inherits("DependencyListing") ? inherited.first?.type.trimmedDescription : nil
    noncopyable = inherited.first { ["~Copyable", "~Escapable"].contains($0.type.trimmedDescription) }
  }
}
