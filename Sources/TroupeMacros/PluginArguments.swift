import SwiftParser
import SwiftSyntax
import SwiftSyntaxMacros
import TroupeManifest

/// The arguments of the attribute. They must be string literals because the manifest is in the file before any code runs.
struct PluginArguments<Context: MacroExpansionContext> {
  let attribute: AttributeSyntax
  let context: Context
  let list: LabeledExprListSyntax

  init(_ attribute: AttributeSyntax, context: Context) {
    self.attribute = attribute
    self.context = context
    list = attribute.arguments?.as(LabeledExprListSyntax.self) ?? []
  }

  func has(_ label: String) -> Bool { list.contains { $0.label?.text == label } }

  /// Returns the text of an argument, or nil after a diagnostic.
  func text(_ label: String, fault: (String) -> String?) -> String? {
    guard let argument = list.first(where: { $0.label?.text == label }) else {
      context.diagnose(PluginDiagnostic.missing(label).at(attribute))
      return nil
    }
    return text(of: argument.expression, label, fault)
  }

  /// Returns the texts of a list argument, an empty list if it is absent, or nil after a diagnostic.
  func texts(_ label: String, each: String, fault: (String) -> String?) -> [String]? {
    guard let argument = list.first(where: { $0.label?.text == label }) else { return [] }
    guard let elements = argument.expression.as(ArrayExprSyntax.self)?.elements else {
      context.diagnose(PluginDiagnostic.notList(label).at(argument.expression))
      return nil
    }
    let texts = elements.map { text(of: $0.expression, each, fault) }
    return texts.contains(nil) ? nil : texts.compactMap(\.self)
  }

  /// Returns the value of a Boolean argument, false if it is absent, or nil after a diagnostic.
  func flag(_ label: String) -> Bool? {
    guard let argument = list.first(where: { $0.label?.text == label }) else { return false }
    guard let literal = argument.expression.as(BooleanLiteralExprSyntax.self) else {
      context.diagnose(PluginDiagnostic.notFlag(label).at(argument.expression))
      return nil
    }
    return literal.literal.tokenKind == .keyword(.true)
  }

  private func text(of expression: ExprSyntax, _ label: String, _ fault: (String) -> String?) -> String? {
    guard let text = expression.as(StringLiteralExprSyntax.self)?.representedLiteralValue else {
      context.diagnose(PluginDiagnostic.notLiteral(label).at(expression))
      return nil
    }
    if let fault = fault(text) {
      context.diagnose(PluginDiagnostic.unfit(label, text, fault).at(expression))
      return nil
    }
    return text
  }
}
