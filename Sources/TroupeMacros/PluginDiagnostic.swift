import SwiftDiagnostics

/// The diagnostics of `@Plugin`.
enum PluginDiagnostic: MacroDiagnostic {
  static let domain = "Troupe.Plugin"

  case notAType
  case nested
  case generic(String)
  case noInitializer(String)
  case noAssembly(String)
  case missing(String)
  case notLiteral(String)
  case notList(String)
  case notFlag(String)
  case notSettings
  case unfit(String, String, String)
  case noUUID(String)

  var message: String {
    switch self {
    case .notAType: "@Plugin stands on a class, struct or enum that is an Assembly"
    case .nested: "@Plugin stands on a type at file scope, since the plugin's entry is made beside it"
    case .generic(let name): "@Plugin needs to make an instance of '\(name)', which a generic type does not allow"
    case .noInitializer(let name):
      "@Plugin needs '\(name)' to have an initializer 'init()' that is neither private nor throwing nor asynchronous"
    case .noAssembly(let name): "@Plugin needs '\(name)' to conform to 'Assembly'"
    case .missing(let label): "@Plugin needs the argument '\(label):'"
    case .notLiteral(let label): "the \(label) of a plugin is a string literal, since it is read without running the plugin"
    case .notList(let label):
      "'\(label):' takes a list of string literals in square brackets, since it is read without running the plugin"
    case .notSettings:
      "'settings:' takes a list such as [.integer(\"width\", default: 76, in: 1...1000, \"Bytes in a line\")], of decimal and other literals alone, since it is read without running the plugin"
    case .notFlag(let label): "'\(label):' is true or false as it stands, since it is read without running the plugin"
    case .unfit(let label, let text, let problem): "the \(label) \"\(Self.shown(text))\" \(problem)"
    case .noUUID(let text): "the id \"\(Self.shown(text))\" of a factory is not a UUID; make one with uuidgen"
    }
  }

  /// Returns a text with escaped control characters, so that a message is one line.
  private static func shown(_ text: String) -> String {
    text.unicodeScalars.map { $0.properties.generalCategory == .control ? $0.escaped(asASCII: false) : String($0) }.joined()
  }
}
