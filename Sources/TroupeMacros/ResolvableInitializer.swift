import SwiftDiagnostics
import SwiftSyntax

/// The initializer that the generated `init(scope:)` calls.
struct ResolvableInitializer {
  /// The attribute that selects one of several initializers.
  static let mark = "ResolvableInitializer"

  private let declaration: InitializerDeclSyntax

  /// The labels and types of the arguments in a call.
  let arguments: [(label: String?, type: String)]

  /// Selects the initializer to call: the only marked one, else the only designated one, else the only one. Returns nil if the
  /// type has none.
  ///
  /// - Throws: The diagnostic of an ambiguity, or of an initializer that `init(scope:)` cannot call.
  init?(of type: String, name: TokenSyntax, members: [DeclSyntax], isIsolated: Bool) throws(DiagnosticsError) {
    let all = members.compactMap { $0.as(InitializerDeclSyntax.self) }.filter { !$0.isUnavailable }
    let marked = all.filter { !$0.attributes.named(Self.mark).isEmpty }
    let designated = all.filter { !$0.isDelegating }
    let candidates = [marked, designated].first { !$0.isEmpty } ?? all
    guard let declaration = candidates.first else { return nil }
    if marked.count > 1 { throw ResolvableDiagnostic.severalMarked(type).at(marked[1].attributes.named(Self.mark)[0]).error }
    if candidates.count > 1 {
      let fixIts = candidates.map {
        FixIt.insertion("Mark '\($0.plainName)' with '@\(Self.mark)'", of: "@\(Self.mark) ", before: $0)
      }
      throw ResolvableDiagnostic.several(type).at(name, fixIts: fixIts).error
    }
    self.declaration = declaration
    try Self.check(declaration, isIsolated: isIsolated)
    arguments = try Self.arguments(declaration)
  }

  /// Returns the statements that call the initializer.
  ///
  /// - Parameter argument: Returns the argument for a type.
  func call(_ argument: (String) -> String) -> String {
    let list = arguments.map { ($0.label.map { "\($0): " } ?? "") + argument($0.type) }.joined(separator: ", ")
    let call = "self.init(\(list))" + (declaration.optionalMark == nil ? "" : "!")
    guard isThrowing else { return call }
    return """
      do {
        try \(call)
      } catch {
        Swift.fatalError("\\(Self.self) cannot be made, since its initializer threw \\(error)")
      }
      """
  }

  private var isThrowing: Bool {
    guard let clause = declaration.signature.effectSpecifiers?.throwsClause else { return false }
    return clause.type?.plainName != "Never"
  }

  private static func check(_ declaration: InitializerDeclSyntax, isIsolated: Bool) throws(DiagnosticsError) {
    if let async = declaration.signature.effectSpecifiers?.asyncSpecifier {
      throw ResolvableDiagnostic.asynchronous.at(async).error
    }
    if let clause = declaration.genericParameterClause { throw ResolvableDiagnostic.generic.at(clause).error }
    if let clause = declaration.genericWhereClause { throw ResolvableDiagnostic.generic.at(clause).error }
    if let actor = declaration.attributes.globalActor { throw ResolvableDiagnostic.isolated.at(actor).error }
    if isIsolated, !declaration.modifiers.has(.nonisolated) {
      let fixIt = FixIt.insertion("Mark it 'nonisolated'", of: "nonisolated ", before: declaration.initKeyword)
      throw ResolvableDiagnostic.isolated.at(declaration.initKeyword, fixIts: [fixIt]).error
    }
  }

  private static func arguments(
    _ declaration: InitializerDeclSyntax
  ) throws(DiagnosticsError) -> [(label: String?, type: String)] {
    var arguments: [(label: String?, type: String)] = []
    var leftOut: FunctionParameterSyntax?
    var diagnostics: [Diagnostic] = []
    for parameter in declaration.signature.parameterClause.parameters {
      let label = parameter.firstName.tokenKind == .wildcard ? nil : parameter.firstName.asLabel
      if parameter.defaultValue != nil || parameter.ellipsis != nil {
        if label == nil { leftOut = parameter }
      } else if let leftOut, label == nil {
        diagnostics.append(ResolvableDiagnostic.leftOut(leftOut.plainName).at(leftOut))
      } else {
        do throws(DiagnosticsError) {
          arguments.append((label, try type(of: parameter)))
        } catch {
          diagnostics += error.diagnostics
        }
      }
    }
    if !diagnostics.isEmpty { throw DiagnosticsError(diagnostics: diagnostics) }
    return arguments
  }

  /// Returns the type to resolve for a parameter, in a form valid in an expression: without specifiers such as `consuming`.
  private static func type(of parameter: FunctionParameterSyntax) throws(DiagnosticsError) -> String {
    let name = parameter.plainName
    var type = parameter.type
    if let attributed = type.as(AttributedTypeSyntax.self) {
      for specifier in attributed.specifiers {
        switch specifier.firstToken(viewMode: .sourceAccurate)?.tokenKind {
        case .keyword(.inout): throw ResolvableDiagnostic.inOut(name).at(specifier).error
        case .keyword(.isolated): throw ResolvableDiagnostic.isolatedParameter(name).at(specifier).error
        default: break
        }
      }
      let isAutoclosure = !attributed.attributes.named("autoclosure").isEmpty
      if isAutoclosure, let function = attributed.baseType.as(FunctionTypeSyntax.self) {
        type = function.returnClause.type
      } else {
        let attributes = attributed.attributes.filter {
          $0.as(AttributeSyntax.self).map { $0.plainName != "escaping" && $0.plainName != "autoclosure" } ?? true
        }
        let bare = attributed.with(\.specifiers, []).with(\.attributes, attributes)
        type = attributes.isEmpty ? attributed.baseType : TypeSyntax(bare)
      }
    }
    if type.is(PackExpansionTypeSyntax.self) { throw ResolvableDiagnostic.pack(name).at(type).error }
    if let some = type.tokens(viewMode: .sourceAccurate).first(where: { $0.tokenKind == .keyword(.some) }) {
      throw ResolvableDiagnostic.opaque(name).at(some).error
    }
    return type.asExpression
  }
}

extension FunctionParameterSyntax {
  fileprivate var plainName: String { (secondName ?? firstName).text }
}

extension InitializerDeclSyntax {
  /// The name with argument labels.
  fileprivate var plainName: String {
    "init(" + signature.parameterClause.parameters.map { $0.firstName.text + ":" }.joined() + ")"
  }

  /// True for an initializer such as a required `init(coder:)`.
  fileprivate var isUnavailable: Bool {
    attributes.named("available").contains { attribute in
      attribute.arguments?.tokens(viewMode: .sourceAccurate).contains { $0.text == "unavailable" } == true
    }
  }

  /// True if the initializer calls another one of its type: by its modifier in a class, by its body in other types.
  fileprivate var isDelegating: Bool {
    if modifiers.has(.convenience) { return true }
    let words = (body?.tokens(viewMode: .sourceAccurate)).map { $0.map(\.text) } ?? []
    return words.indices.dropLast(2).contains { index in
      guard words[index] == "self" else { return false }
      // Excludes `if let self = self`, which is not an assignment.
      let isAssigned = words[index + 1] == "=" && index > 0 && !["let", "var"].contains(words[index - 1])
      return isAssigned || words[index + 1] == "." && words[index + 2] == "init"
    }
  }

  /// True for `init(scope:)`, which `Resolvable` requires.
  var isResolvable: Bool {
    let parameters = signature.parameterClause.parameters
    return parameters.count == 1 && parameters.first?.firstName.text == "scope"
      && parameters.first?.type.isScope == true
  }
}

extension TokenSyntax {
  /// The label in a call, with backticks only if it would otherwise be a keyword.
  fileprivate var asLabel: String {
    guard let name = identifier?.name, !["inout", "let", "var"].contains(name) else { return text }
    // A raw identifier (SE-0451) always needs backticks.
    return name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" } ? name : text
  }
}

extension TypeSyntax {
  /// True for the parameter type of `init(scope:)`.
  var isScope: Bool { tokens(viewMode: .sourceAccurate).contains { $0.text == "DependencyResolutionScope" } }

  /// The type as the expression before `.self`.
  var asExpression: String {
    if let unwrapped = self.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) { return unwrapped.wrappedType.asExpression + "?" }
    switch kind {
    case .identifierType, .memberType, .arrayType, .dictionaryType, .optionalType, .tupleType, .metatypeType:
      return trimmedDescription
    default: return "(\(trimmedDescription))"
    }
  }
}

extension Diagnostic {
  var error: DiagnosticsError { DiagnosticsError(diagnostics: [self]) }
}
