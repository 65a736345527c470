import SwiftParser
import SwiftSyntax
import SwiftSyntaxMacros
import TroupeManifest

extension PluginArguments {
  /// Reads the list `settings:`, empty if it is absent. Returns nil after a diagnostic.
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
      return try Setting(key: call.key, kind: call.kind, defaultValue: call.value, description: call.description)
    } catch {
      context.diagnose(PluginDiagnostic.unfit("setting", call.key, error.description).at(expression))
      return nil
    }
  }
}

/// A call of one of the static functions of `PluginSetting` with literal arguments only.
private struct SettingCall {
  let key, value, description: String
  let kind: Setting.Kind

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
