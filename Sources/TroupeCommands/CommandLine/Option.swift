internal import TroupeHost

/// An option of a command, declared once for parsing and for the help.
package struct Option {
  /// The name without its dashes.
  package let name: String
  /// The placeholder of the value in the help; nil for an option without a value.
  package let value: String?
  /// The possible values; empty if others are possible.
  package let choices: [String]
  /// Whether it may be repeated.
  package let isRepeatable: Bool
  /// Whether the operands behind it are a group of their own.
  package let startsGroup: Bool
  /// Whether it is a letter behind one dash, which its value can follow directly, as in `-Iinclude`.
  package let isLetter: Bool
  /// A sentence for the help.
  package let summary: String

  package init(
    _ name: String, value: String? = nil, choices: [String] = [], isRepeatable: Bool = false, startsGroup: Bool = false,
    isLetter: Bool = false, _ summary: String
  ) {
    self.name = name
    self.value = value
    self.choices = choices
    self.isRepeatable = isRepeatable
    self.startsGroup = startsGroup
    self.isLetter = isLetter
    self.summary = summary
  }

  /// The name with its dashes.
  package var word: String { (isLetter ? "-" : "--") + name }
  /// The option as it is written on a command line, with the placeholder.
  package var usage: String { word + (value.map { " " + $0 } ?? "") }
}

extension Option {
  package static let help = Option("help", "Print this help and exit.")
  static let json = Option("json", "Print JSON.")
  static let plugins = Option(
    "plugins", value: "DIR", isRepeatable: true,
    "Search DIR for plugins. Default: the existing directories of TROUPE_PLUGIN_PATH, else the user's and the installed directory."
  )
  static let pins = Option(
    "pins", value: "FILE",
    "Use only plugins that FILE, written by troupe pin, lists with their hashes. Default: TROUPE_PINS, else any plugin.")
  static let tag = Option(
    "tag", value: "TAG", isRepeatable: true, "Select registrations with TAG, or with all of several. A UUID is a tag.")
  static let argument = Option(
    "arg", value: "ARG", isRepeatable: true, "Pass ARG to the factories. Give it once for each parameter.")
  static let contract = Option(
    "contract", value: "CONTRACT", "Select only instances of CONTRACT, such as troupe.transform/1.")
  static let configuration = Option(
    "set", value: "ID:KEY=VALUE", isRepeatable: true, "Set KEY to VALUE in the configuration of the plugin ID.")
  static let eager = Option(
    "eager",
    "Open the libraries of all plugins at the start. Default: open each at the first resolve of one of its registrations.")
  static let log = Option(
    "log", value: "LEVEL", choices: LogLevel.allCases.map { "\($0)" },
    "Print log messages of LEVEL and above: debug, info, warning (default) or error.")
  static let maximumFileSize = Option(
    "max-file-size", value: "BYTES", "Reject plugins whose files are larger. Default: 1073741824.")
  static let maximumBufferSize = Option(
    "max-buffer-size", value: "BYTES",
    "Refuse calls of C functions with buffers, outputs or results that are larger. Default: 1073741824.")
  static let isolate = Option(
    "isolate", value: "ID|all[=POLICY]", isRepeatable: true,
    "Run the plugin ID, or all, in a worker process that may compute and read its libraries only. POLICY grants more: read:DIR, write:DIR, memory:SIZE, require:LAYER and others, separated by commas; see the guide Isolation."
  )
  static let deadline = Option(
    "deadline", value: "SECONDS", "End a call in a worker that takes longer than SECONDS, and the worker. Default: 30.")
  static let backtrace = Option("backtrace", "Print the calls after the line that reports a crash of a plugin.")
  static let probeDeadline = Option(
    "probe-deadline", value: "SECONDS",
    "Quarantine a new plugin that uses more than SECONDS of processor time in its probe, or waits three times as long. Default: 10."
  )
}
