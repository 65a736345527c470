import SwiftParser
import SwiftSyntax
import SwiftSyntaxMacros
import TroupeManifest

/// What the arguments of `@Plugin` say, once they are known to be right.
struct PluginManifest {
  private let id: String
  private let name: String
  private let version: String
  private let requires: [String]
  private let provides: [String]
  private let loadsAtStart: Bool

  /// Reads the arguments; says what is wrong with them and gives nil if they cannot be used.
  ///
  /// - Parameter isActivated: Whether the type does something at its activation, and so has to be there from the start.
  init?(_ attribute: AttributeSyntax, typeName: String, isActivated: Bool, context: some MacroExpansionContext) {
    let arguments = Arguments(attribute, context: context)
    let id = arguments.text("id") { PluginIdentifier.fault(in: $0) }
    let version = arguments.text("version") {
      SemanticVersion($0) == nil ? "is not a semantic version, such as 1.0.0" : nil
    }
    let name = arguments.has("name") ? arguments.text("name", fault: Self.nameFault) : typeName
    let requires = arguments.texts("requires", each: "requirement", fault: Self.requirementFault)
    let provides = arguments.texts("provides", each: "provided contract") {
      ContractName.isName($0) ? nil : "is not the name of a contract, such as org.example.counter/1"
    }
    let loadsAtStart = arguments.flag("loadsAtStart")
    guard let id, let version, let name, let requires, let provides, let loadsAtStart else { return nil }
    self.id = id
    self.name = name
    self.version = version
    self.requires = requires
    self.provides = provides
    self.loadsAtStart = loadsAtStart || isActivated
  }

  private static func requirementFault(_ text: String) -> String? {
    do {
      _ = try Requirement(text)
      return nil
    } catch {
      return error.description
    }
  }

  /// What is wrong with a name, as the end of a sentence that begins with it, or nil: what the host would refuse.
  private static func nameFault(_ name: String) -> String? {
    if name.isEmpty { return "is empty" }
    if name.utf8.count > ManifestText.maximumLength { return "is longer than \(ManifestText.maximumLength) bytes" }
    return ManifestText.hasControlCharacters(name) ? "has control characters, such as a newline" : nil
  }

  /// The manifest as it lies in the file.
  var json: String {
    let members =
      [
        ("id", id), ("name", name), ("version", version), ("language", "swift"), ("abi", "1.0"), ("sdk", Release.version),
        ("interface", SwiftInterface.fingerprint),
      ] + (loadsAtStart ? [("loading", "eager")] : [])
    let lists = [("requires", requires), ("provides", provides)].filter { !$0.1.isEmpty }
    let texts =
      members.map { "\(Self.quoted($0)):\(Self.quoted($1))" }
      + lists.map { "\(Self.quoted($0)):[\($1.map(Self.quoted).joined(separator: ","))]" }
    return "{" + texts.joined(separator: ",") + "}"
  }

  /// A JSON string. Control characters are the only ones besides the quote and the backslash that need care.
  private static func quoted(_ text: String) -> String {
    let escaped = text.unicodeScalars.map { scalar in
      switch scalar {
      case "\"": "\\\""
      case "\\": "\\\\"
      case "\u{0}"..<" ": "\\u00" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
      default: String(scalar)
      }
    }
    return "\"" + escaped.joined() + "\""
  }
}

/// The arguments of the attribute, which must be string literals since the manifest is in the file before anything runs.
private struct Arguments<Context: MacroExpansionContext> {
  let attribute: AttributeSyntax
  let context: Context
  let list: LabeledExprListSyntax

  init(_ attribute: AttributeSyntax, context: Context) {
    self.attribute = attribute
    self.context = context
    list = attribute.arguments?.as(LabeledExprListSyntax.self) ?? []
  }

  func has(_ label: String) -> Bool { list.contains { $0.label?.text == label } }

  /// The text of an argument, or nil after saying what is wrong with it.
  func text(_ label: String, fault: (String) -> String?) -> String? {
    guard let argument = list.first(where: { $0.label?.text == label }) else {
      context.diagnose(PluginDiagnostic.missing(label).at(attribute))
      return nil
    }
    return text(of: argument.expression, label, fault)
  }

  /// The texts of an argument that is a list, none if it is not given, or nil after saying what is wrong with it.
  func texts(_ label: String, each: String, fault: (String) -> String?) -> [String]? {
    guard let argument = list.first(where: { $0.label?.text == label }) else { return [] }
    guard let elements = argument.expression.as(ArrayExprSyntax.self)?.elements else {
      context.diagnose(PluginDiagnostic.notList(label).at(argument.expression))
      return nil
    }
    let texts = elements.map { text(of: $0.expression, each, fault) }
    return texts.contains(nil) ? nil : texts.compactMap(\.self)
  }

  /// Whether an argument is `true`, false if it is not given, or nil after saying that it is no literal.
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
