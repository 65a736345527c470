internal import TroupeHost

/// A call to copy in one language.
struct Snippet: Sendable {
  /// The language, as a heading.
  let language: String
  /// The command line or the program.
  let code: String

  /// The folder that the calls expect to have the plugin.
  static let directory = "plugins"

  /// Returns the calls of a registration: for the command and for programs in C, Swift and Python.
  static func calls(of item: CatalogItem) -> [Snippet] {
    let sample = CallSample(item)
    switch item.kind {
    case .function:
      return [
        Snippet(language: "Command", code: ShellCode.call(item, sample)),
        Snippet(language: "C", code: CCode.call(item, sample)),
        Snippet(language: "Swift", code: SwiftCode.call(item, sample)),
        Snippet(language: "Python", code: PythonCode.call(item, sample)),
      ]
    case .transform:
      return [
        Snippet(language: "Command", code: ShellCode.run(item, sample)),
        Snippet(language: "C", code: CCode.run(item, sample)),
        Snippet(language: "Swift", code: SwiftCode.run(item, sample)),
        Snippet(language: "Python", code: PythonCode.run(item, sample)),
      ]
    case .factory:
      return [
        Snippet(language: "Command", code: ShellCode.resolve(item, sample)),
        Snippet(language: "Swift", code: SwiftCode.resolve(item, sample)),
        Snippet(language: "Python", code: PythonCode.resolve(item, sample)),
      ]
    }
  }
}
