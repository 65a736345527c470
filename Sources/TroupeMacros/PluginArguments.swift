import SwiftParser
import SwiftSyntax
import SwiftSyntaxMacros
import TroupeManifest

/// The arguments of `@Plugin`. They must be literals, because the compiler writes the manifest and no code of the plugin has run by then.
///
/// Each function reports wrong arguments and then returns nil, so that one expansion reports all of them.
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

  func text(_ label: String, problem: (String) -> String?) -> String? {
    guard let argument = list.first(where: { $0.label?.text == label }) else {
      context.diagnose(PluginDiagnostic.missing(label).at(attribute))
      return nil
    }
    return text(of: argument.expression, label, problem)
  }

  /// Returns an empty list for an absent argument.
  func texts(_ label: String, each: String, problem: (String) -> String?) -> [String]? {
    guard let argument = list.first(where: { $0.label?.text == label }) else { return [] }
    guard let elements = argument.expression.as(ArrayExprSyntax.self)?.elements else {
      context.diagnose(PluginDiagnostic.notList(label).at(argument.expression))
      return nil
    }
    let texts = elements.map { text(of: $0.expression, each, problem) }
    return texts.contains(nil) ? nil : texts.compactMap(\.self)
  }

  /// Returns false for an absent argument.
  func flag(_ label: String) -> Bool? {
    guard let argument = list.first(where: { $0.label?.text == label }) else { return false }
    guard let literal = argument.expression.as(BooleanLiteralExprSyntax.self) else {
      context.diagnose(PluginDiagnostic.notFlag(label).at(argument.expression))
      return nil
    }
    return literal.literal.tokenKind == .keyword(.true)
  }

  private func text(of expression: ExprSyntax, _ label: String, _ problem: (String) -> String?) -> String? {
    guard let text = expression.as(StringLiteralExprSyntax.self)?.representedLiteralValue else {
      context.diagnose(PluginDiagnostic.notLiteral(label).at(expression))
      return nil
    }
    if let problem = problem(text) {
      context.diagnose(PluginDiagnostic.unfit(label, text, problem).at(expression))
      return nil
    }
    return text
  }
}

// MARK: Settings

extension PluginArguments {
  /// Returns an empty list if `settings:` is absent.
  func settings() -> [Setting]? {
    guard let argument = list.first(where: { $0.label?.text == "settings" }) else { return [] }
    guard let elements = argument.expression.as(ArrayExprSyntax.self)?.elements else {
      context.diagnose(PluginDiagnostic.notSettings.at(argument.expression))
      return nil
    }
    var settings: [Setting] = []
    var isFaulty = false
    for element in elements {
      guard let setting = setting(element.expression) else {
        isFaulty = true
        continue
      }
      if settings.contains(where: { $0.key == setting.key }) {
        context.diagnose(PluginDiagnostic.unfit("setting", setting.key, "is declared twice").at(element.expression))
        isFaulty = true
      }
      settings.append(setting)
    }
    return isFaulty ? nil : settings
  }

  /// Reads one element, such as `.integer("width", default: 76, in: 1...1000, "Bytes in a line")`.
  private func setting(_ expression: ExprSyntax) -> Setting? {
    guard let call = SettingCall(expression) else {
      context.diagnose(PluginDiagnostic.notSettings.at(expression))
      return nil
    }
    do throws(ManifestError) {
      return try Setting(key: call.key, valueType: call.kind, defaultValue: call.value, description: call.description)
    } catch {
      context.diagnose(PluginDiagnostic.unfit("setting", call.key, error.description).at(expression))
      return nil
    }
  }
}

/// A call of one of the static functions of `PluginSetting` with literal arguments only.
private struct SettingCall {
  let key, value, description: String
  let kind: Setting.ValueType

  init?(_ expression: ExprSyntax) {
    guard let call = expression.as(FunctionCallExprSyntax.self),
      let name = call.calledExpression.as(MemberAccessExprSyntax.self)?.declName.baseName.text
    else { return nil }
    let unlabeled = call.arguments.filter { $0.label == nil }.map(\.expression)
    func labeled(_ label: String) -> ExprSyntax? { call.arguments.first { $0.label?.text == label }?.expression }
    guard let key = unlabeled.first?.literalText, let value = labeled("default")?.literalText,
      let description = unlabeled.last?.literalText
    else { return nil }
    let range = labeled("in")
    switch name {
    case "text": kind = .text
    case "boolean": kind = .boolean
    case "choice":
      let elements = unlabeled.count > 1 ? unlabeled[1].as(ArrayExprSyntax.self)?.elements : nil
      guard let choices = elements?.map(\.expression.literalText), !choices.contains(nil) else { return nil }
      kind = .choice(choices.compactMap(\.self))
    case "integer":
      guard let bounds = Self.bounds(range, Int64.min...Int64.max, { Int64($0) }) else { return nil }
      kind = .integer(bounds)
    case "number":
      guard let bounds = Self.bounds(range, -Double.infinity...Double.infinity, { Double($0) }) else { return nil }
      kind = .number(bounds)
    default: return nil
    }
    (self.key, self.value, self.description) = (key, value, description)
  }

  /// Returns the bounds of a range of literals, `all` if there is none, or nil if the expression is not such a range.
  private static func bounds<Bound: Comparable>(
    _ range: ExprSyntax?, _ all: ClosedRange<Bound>, _ read: (String) -> Bound?
  ) -> ClosedRange<Bound>? {
    guard let range else { return all }
    let texts = range.trimmedDescription.filter { $0 != " " && $0 != "_" }.split(separator: "...")
    guard texts.count == 2, let lower = read(String(texts[0])), let upper = read(String(texts[1])), lower <= upper else {
      return nil
    }
    return lower...upper
  }
}

extension ExprSyntax {
  /// The value of a literal as text: a string's content, a number without underscores, `true` or `false`. Nil for other expressions.
  fileprivate var literalText: String? {
    if let text = self.as(StringLiteralExprSyntax.self) { return text.representedLiteralValue }
    if let literal = self.as(BooleanLiteralExprSyntax.self) { return literal.literal.text }
    let number = self.as(PrefixOperatorExprSyntax.self)?.expression ?? self
    guard number.is(IntegerLiteralExprSyntax.self) || number.is(FloatLiteralExprSyntax.self) else { return nil }
    return trimmedDescription.filter { $0 != "_" }
  }
}
