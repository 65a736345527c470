/// An option of a command, declared once for parsing and for the help.
package struct Option {
  /// The name without its dashes.
  package let name: String
  /// What stands for the value in the help, or nil for an option without one.
  package let value: String?
  /// Whether it may be given several times.
  package let isRepeatable: Bool
  /// One sentence.
  package let summary: String

  package init(_ name: String, value: String? = nil, isRepeatable: Bool = false, _ summary: String) {
    self.name = name
    self.value = value
    self.isRepeatable = isRepeatable
    self.summary = summary
  }

  /// How it is written on a command line.
  package var usage: String { "--" + name + (value.map { " " + $0 } ?? "") }
}

extension Option {
  package static let help = Option("help", "Print this help and exit.")
  static let json = Option("json", "Print JSON.")
  static let plugins = Option(
    "plugins", value: "DIR", isRepeatable: true,
    "Look for plugins in DIR. Default: those of TROUPE_PLUGIN_PATH that are there, else the user's and the installed directory."
  )
  static let pins = Option(
    "pins", value: "FILE",
    "Use only plugins whose files are pinned in FILE, as troupe pin writes it. Default: TROUPE_PINS, else any plugin.")
  static let tag = Option(
    "tag", value: "TAG", isRepeatable: true, "Take what carries TAG; with several, what carries them all. A UUID is a tag.")
  static let argument = Option("arg", value: "ARG", isRepeatable: true, "Pass ARG to the factories; once for each parameter.")
  static let contract = Option("contract", value: "NAME", "Take only instances of this contract, such as troupe.transform/1.")
  static let configuration = Option(
    "set", value: "ID:KEY=VALUE", isRepeatable: true, "Set KEY to VALUE in the configuration of the plugin ID.")
  static let eager = Option("eager", "Open the libraries of all plugins at once, not each when something of it is resolved.")
  static let log = Option(
    "log", value: "LEVEL", "Show the plugins' log lines from LEVEL on: debug, info, warning (default) or error.")
  static let probeDeadline = Option(
    "probe-deadline", value: "SECONDS",
    "Give up on a new plugin that does not come back within SECONDS when it is tried in a process of its own. Default: 10.")
}
