import SwiftDiagnostics
import SwiftSyntax

/// The diagnostics of a macro for wrong use: an enumeration with a case for each fault.
protocol MacroDiagnostic: DiagnosticMessage {
  /// The macro's name, the first part of its diagnostics' identities.
  static var domain: String { get }
}

extension MacroDiagnostic {
  var diagnosticID: MessageID {
    let name = Mirror(reflecting: self).children.first?.label ?? "\(self)"
    return MessageID(domain: Self.domain, id: name)
  }

  var severity: DiagnosticSeverity { .error }

  /// Returns the diagnostic at a source location, with fix-its.
  func at(_ node: some SyntaxProtocol, fixIts: [FixIt] = []) -> Diagnostic {
    Diagnostic(node: Syntax(node), message: self, fixIts: fixIts)
  }
}

/// A fix-it.
struct Remedy: FixItMessage {
  let message: String
  let fixItID: MessageID

  /// Returns a fix-it that inserts a text before a node.
  static func insertion(_ message: String, of text: String, before node: some SyntaxProtocol) -> FixIt {
    fixIt(message, [(node.positionAfterSkippingLeadingTrivia..<node.positionAfterSkippingLeadingTrivia, text)], in: node)
  }

  /// Returns a fix-it that inserts a text after a node.
  static func insertion(_ message: String, of text: String, after node: some SyntaxProtocol) -> FixIt {
    fixIt(message, [(node.endPositionBeforeTrailingTrivia..<node.endPositionBeforeTrailingTrivia, text)], in: node)
  }

  /// Returns a fix-it that replaces ranges of a node's file.
  static func fixIt(
    _ message: String, _ changes: [(range: Range<AbsolutePosition>, text: String)], in node: some SyntaxProtocol
  ) -> FixIt {
    let remedy = Remedy(message: message, fixItID: MessageID(domain: "Troupe.Remedy", id: message))
    return FixIt(message: remedy, changes: changes.map { .replaceText(range: $0.range, with: $0.text, in: Syntax(node)) })
  }

  /// Returns the change that makes a declaration conform to a protocol. A superclass stays the first of the inherited types.
  static func conformance(
    to name: String, of declaration: some DeclGroupSyntax, named: TokenSyntax
  ) -> (range: Range<AbsolutePosition>, text: String) {
    let inherited = declaration.inheritanceClause?.inheritedTypes
    let generics = declaration.asProtocol((any WithGenericParametersSyntax).self)?.genericParameterClause
    let end = (inherited?.last.map(Syntax.init) ?? generics.map(Syntax.init) ?? Syntax(named)).endPositionBeforeTrailingTrivia
    return (end..<end, (inherited == nil ? ": " : ", ") + name)
  }
}
