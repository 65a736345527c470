import SwiftParser
import SwiftSyntax
import SwiftSyntaxMacros
import TroupeManifest

/// What the arguments of `@Plugin` say, once they are known to be right.
struct PluginManifest {
  private let id: String
  private let name: String
  private let version: String

  /// Reads the arguments; says what is wrong with them and gives nil if they cannot be used.
  init?(_ attribute: AttributeSyntax, typeName: String, context: some MacroExpansionContext) {
    let arguments = Arguments(attribute, context: context)
    let id = arguments.text("id") { PluginIdentifier.fault(in: $0) }
    let version = arguments.text("version") {
      SemanticVersion($0) == nil ? "is not a semantic version, such as 1.0.0" : nil
    }
    let name = arguments.has("name") ? arguments.text("name", fault: Self.nameFault) : typeName
    guard let id, let version, let name else { return nil }
    self.id = id
    self.name = name
    self.version = version
  }

  /// What is wrong with a name, as the end of a sentence that begins with it, or nil: what the host would refuse.
  private static func nameFault(_ name: String) -> String? {
    if name.isEmpty { return "is empty" }
    if name.utf8.count > ManifestText.maximumLength { return "is longer than \(ManifestText.maximumLength) bytes" }
    return ManifestText.hasControlCharacters(name) ? "has control characters, such as a newline" : nil
  }

  /// The manifest as it lies in the file.
  var json: String {
    let members = [
      ("id", id), ("name", name), ("version", version), ("language", "swift"), ("abi", "1.0"), ("sdk", Release.version),
    ]
    return "{" + members.map { "\(Self.quoted($0)):\(Self.quoted($1))" }.joined(separator: ",") + "}"
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
    guard let text = argument.expression.as(StringLiteralExprSyntax.self)?.representedLiteralValue else {
      context.diagnose(PluginDiagnostic.notLiteral(label).at(argument.expression))
      return nil
    }
    if let fault = fault(text) {
      context.diagnose(PluginDiagnostic.unfit(label, text, fault).at(argument.expression))
      return nil
    }
    return text
  }
}
