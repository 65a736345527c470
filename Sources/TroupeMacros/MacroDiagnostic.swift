import SwiftDiagnostics
import SwiftSyntax

/// The diagnostics of a macro: an enumeration with a case for each wrong use. The name of the case is a part of the diagnostic's identity.
protocol MacroDiagnostic: DiagnosticMessage {
  /// The first part of the identities, such as `Troupe.Plugin`.
  static var domain: String { get }
}

extension MacroDiagnostic {
  var diagnosticID: MessageID {
    let name = Mirror(reflecting: self).children.first?.label ?? "\(self)"
    return MessageID(domain: Self.domain, id: name)
  }

  var severity: DiagnosticSeverity { .error }

  func at(_ node: some SyntaxProtocol, fixIts: [FixIt] = []) -> Diagnostic {
    Diagnostic(node: Syntax(node), message: self, fixIts: fixIts)
  }
}

// MARK: Fix-its

private struct FixItText: FixItMessage {
  let message: String
  let fixItID: MessageID
}

extension FixIt {
  static func insertion(_ message: String, of text: String, before node: some SyntaxProtocol) -> FixIt {
    replacement(message, [(node.positionAfterSkippingLeadingTrivia..<node.positionAfterSkippingLeadingTrivia, text)], in: node)
  }

  static func insertion(_ message: String, of text: String, after node: some SyntaxProtocol) -> FixIt {
    replacement(message, [(node.endPositionBeforeTrailingTrivia..<node.endPositionBeforeTrailingTrivia, text)], in: node)
  }

  /// Returns a fix-it that replaces ranges of the file of a node.
  static func replacement(
    _ message: String, _ changes: [(range: Range<AbsolutePosition>, text: String)], in node: some SyntaxProtocol
  ) -> FixIt {
    let text = FixItText(message: message, fixItID: MessageID(domain: "Troupe.Remedy", id: message))
    return FixIt(message: text, changes: changes.map { .replaceText(range: $0.range, with: $0.text, in: Syntax(node)) })
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
