import SwiftIfConfig
import SwiftSyntax
import SwiftSyntaxMacros
import TroupeManifest

/// The manifest that `@Plugin` writes into the image.
struct PluginManifest {
  private let id: String
  private let name: String
  private let version: String
  private let description: String
  private let requires: [String]
  private let provides: [String]
  private let settings: [Setting]
  private let loadsAtStart: Bool
  /// The version of the compiler that runs the macro; nil if it does not say.
  private let compiler: ABIVersion?

  /// Reports wrong arguments and then returns nil.
  ///
  /// - Parameter mayHaveActivation: True to load the plugin at the start of the host, so that its `registered(to:)` runs.
  init?(_ attribute: AttributeSyntax, typeName: String, mayHaveActivation: Bool, context: some MacroExpansionContext) {
    let arguments = PluginArguments(attribute, context: context)
    let id = arguments.text("id") { PluginIdentifier.problem(in: $0) }
    let version = arguments.text("version") {
      SemanticVersion($0) == nil ? "is not a semantic version, such as 1.0.0" : nil
    }
    let name = arguments.has("name") ? arguments.text("name", problem: Self.textProblem) : typeName
    let description =
      arguments.has("description") ? arguments.text("description") { $0.isEmpty ? nil : Self.textProblem($0) } : ""
    let requires = arguments.texts("requires", each: "requirement", problem: Self.requirementProblem)
    let provides = arguments.texts("provides", each: "provided contract") {
      ContractName.isName($0) ? nil : "is not the name of a contract, such as org.example.counter/1"
    }
    let settings = arguments.settings()
    let loadsAtStart = arguments.flag("loadsAtStart")
    guard let id, let version, let name, let description, let requires, let provides, let settings, let loadsAtStart else {
      return nil
    }
    self.id = id
    self.name = name
    self.version = version
    self.description = description
    self.requires = requires
    self.provides = provides
    self.settings = settings
    self.loadsAtStart = loadsAtStart || mayHaveActivation
    compiler = context.buildConfiguration.map { configuration in
      let numbers = configuration.compilerVersion.components
      return ABIVersion(major: numbers.first ?? 0, minor: numbers.dropFirst().first ?? 0)
    }
  }

  private static func requirementProblem(_ text: String) -> String? {
    do {
      _ = try Requirement(text)
      return nil
    } catch {
      return error.description
    }
  }

  /// Returns what the host would find wrong with a name or a description, as the end of a sentence that begins with the text.
  private static func textProblem(_ text: String) -> String? {
    if text.isEmpty { return "is empty" }
    if text.utf8.count > ManifestText.maximumLength { return "is longer than \(ManifestText.maximumLength) bytes" }
    return ManifestText.hasControlCharacters(text) ? "has control characters, such as a newline" : nil
  }

  var json: String {
    let members =
      [
        ("id", id), ("name", name), ("version", version), ("language", "swift"), ("abi", "1.0"), ("sdk", Release.version),
        ("interface", SwiftInterface.version.description),
      ] + (compiler.map { [("compiler", $0.description)] } ?? [])
      + (description.isEmpty ? [] : [("description", description)]) + (loadsAtStart ? [("loading", "eager")] : [])
    let lists = [("requires", requires), ("provides", provides)].filter { !$0.1.isEmpty }
    let texts =
      members.map { "\(Self.quoted($0)):\(Self.quoted($1))" }
      + lists.map { "\(Self.quoted($0)):\(Self.list($1))" }
      + (settings.isEmpty ? [] : ["\"settings\":[\(settings.map(Self.json).joined(separator: ","))]"])
    return "{" + texts.joined(separator: ",") + "}"
  }

  private static func json(_ setting: Setting) -> String {
    var members = [("key", quoted(setting.key)), ("type", quoted(setting.valueType.name))]
    var value = setting.defaultValue
    switch setting.valueType {
    case .text: value = quoted(value)
    case .choice(let choices):
      value = quoted(value)
      members.append(("choices", list(choices)))
    case .integer(let range): members += [("minimum", "\(range.lowerBound)"), ("maximum", "\(range.upperBound)")]
    case .number(let range):
      // JSON has no infinity; an absent bound is infinite.
      if range.lowerBound.isFinite { members.append(("minimum", "\(range.lowerBound)")) }
      if range.upperBound.isFinite { members.append(("maximum", "\(range.upperBound)")) }
    case .boolean: break
    }
    members += [("default", value), ("description", quoted(setting.description))]
    return "{" + members.map { "\(quoted($0)):\($1)" }.joined(separator: ",") + "}"
  }

  private static func list(_ texts: [String]) -> String { "[" + texts.map(quoted).joined(separator: ",") + "]" }

  /// Returns a JSON string. Only control characters, quotes and backslashes need an escape.
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
