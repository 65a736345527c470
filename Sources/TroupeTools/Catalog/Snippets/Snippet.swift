internal import TroupeHost

/// Sample code in one language, which calls a registration. A reader of the catalog copies it.
struct Snippet: Sendable {
  /// The language, as a heading.
  let language: String
  /// The command line or the program.
  let code: String

  /// The directory in which the calls expect the plugin.
  static let directory = "plugins"

  /// Returns the calls of a registration: for the command and for programs in C, Swift and Python. Returns none if a call needs a value
  /// that cannot be written as text and no example gives, or for a factory without a UUID and tags.
  static func calls(of item: CatalogItem) -> [Snippet] {
    let sample = SampleArguments(item)
    let isSelectable = item.kind != .factory || item.registration.uuid != nil || !item.registration.tags.isEmpty
    guard sample.isComplete, isSelectable else { return [] }
    let calls: KeyValuePairs<String, String> =
      switch item.kind {
      case .function:
        [
          "Command": ShellCode.call(item, sample), "C": CCode.call(item, sample), "Swift": SwiftCode.call(item, sample),
          "Python": PythonCode.call(item, sample),
        ]
      case .transform:
        [
          "Command": ShellCode.run(item, sample), "C": CCode.run(item, sample), "Swift": SwiftCode.run(item, sample),
          "Python": PythonCode.run(item, sample),
        ]
      case .factory:
        [
          "Command": ShellCode.resolve(item, sample), "Swift": SwiftCode.resolve(item, sample),
          "Python": PythonCode.resolve(item, sample),
        ]
      }
    return calls.map { Snippet(language: $0.key, code: $0.value) }
  }
}
