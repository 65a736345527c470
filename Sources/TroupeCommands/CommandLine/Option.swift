internal import TroupeHost

/// An option of a command, declared once for parsing, the help, the manual and the completion.
///
/// ```swift
/// static let tag = Option("tag", value: "TAG", isRepeatable: true, "Select registrations with TAG.", details: "A UUID is a tag.")
/// ```
package struct Option: Sendable {
  /// The heading under which the help lists an option.
  package enum Group: String, CaseIterable, Sendable {
    case command = "Options"
    /// Shared by the commands that find and load plugins.
    case plugins = "Plugin options"
    case common = "Common options"
  }

  /// The name without its dashes.
  package let name: String
  /// The placeholder of the value; nil for an option without a value.
  package let value: String?
  /// The allowed values; empty if any is allowed.
  package let choices: [String]
  package let isRepeatable: Bool
  /// The operands that follow the option in a group of their own, such as `UUID|NAME [ARG …]`; empty if the option starts no group.
  package let operands: String
  /// A letter after one dash, which the value can follow directly: `-Iinclude`.
  package let isLetter: Bool
  package let group: Group
  /// One short sentence for the help.
  package let summary: String
  /// Further sentences for the manual.
  package let details: String

  package init(
    _ name: String, value: String? = nil, choices: [String] = [], operands: String = "", isRepeatable: Bool = false,
    isLetter: Bool = false, in group: Group = .command, _ summary: String, details: String = ""
  ) {
    (self.name, self.value, self.choices, self.group) = (name, value, choices, group)
    (self.operands, self.isRepeatable, self.isLetter) = (operands, isRepeatable, isLetter)
    (self.summary, self.details) = (summary, details)
  }

  /// The name with its dashes.
  package var word: String { (isLetter ? "-" : "--") + name }
  /// `--tag TAG`, as on a command line.
  package var usage: String { [word, value, operands.isEmpty ? nil : operands].compactMap(\.self).joined(separator: " ") }
}

// MARK: Shared options

extension Option {
  package static let help = Option("help", in: .common, "Print this help.")
  static let json = Option("json", in: .common, "Print JSON.")

  static let plugins = Option(
    "plugins", value: "DIR", isRepeatable: true, in: .plugins, "Search DIR instead of the standard directories.",
    details: "The standard directories are those of TROUPE_PLUGIN_PATH, or else the user's and the installed directory.")
  static let pins = Option(
    "pins", value: "FILE", in: .plugins, "Accept only plugins that FILE lists.",
    details: "troupe pin writes FILE, which contains hashes. Without the option, TROUPE_PINS names the file.")
  static let configuration = Option(
    "set", value: "ID:KEY=VALUE", isRepeatable: true, in: .plugins, "Configure the plugin ID.",
    details: "troupe inspect ID lists the keys.")
  static let eager = Option(
    "eager", in: .plugins, "Open all libraries at the start.",
    details: "By default a library is opened when one of its registrations is first resolved.")
  static let isolate = Option(
    "isolate", value: "ID|all[=POLICY]", isRepeatable: true, in: .plugins,
    "Run the plugin ID, or all, in a worker. POLICY grants more, such as read:DIR,memory:1G.",
    details:
      "A worker is a process that may compute and read its libraries only. Other settings of POLICY are write:DIR, require:LAYER and those in the guide Isolation."
  )
  static let deadline = Option(
    "deadline", value: "SECONDS", in: .plugins, "Limit a call in a worker. Default: 30.",
    details: "A worker whose call takes longer is ended.")
  static let probeDeadline = Option(
    "probe-deadline", value: "SECONDS", in: .plugins, "Limit the probe of a new plugin. Default: 10.",
    details:
      "SECONDS limits processor time, and three times as much limits waiting. A plugin that exceeds a limit is quarantined.")
  static let maximumFileSize = Option(
    "max-file-size", value: "BYTES", in: .plugins, "Reject larger plugin files. Default: 1 GiB.")
  static let maximumBufferSize = Option(
    "max-buffer-size", value: "BYTES", in: .plugins, "Refuse larger buffers. Default: 1 GiB.",
    details: "The limit applies to buffers, outputs and results of calls of C functions.")
  static let log = Option(
    "log", value: "LEVEL", choices: LogLevel.allCases.map { "\($0)" }, in: .plugins,
    "Log debug, info, warning (default) or error.", details: "LEVEL is the least severe level of the printed messages.")
  static let backtrace = Option("backtrace", in: .plugins, "Print the stack of a crash in a plugin.")

  static let tag = Option(
    "tag", value: "TAG", isRepeatable: true, "Select registrations with every TAG.",
    details: "A UUID is a tag.")
  static let argument = Option(
    "arg", value: "ARG", isRepeatable: true, "Pass ARG to the factories.", details: "Give it once for each parameter.")
  static let outputDirectory = Option(
    "output-directory", value: "DIR", "Write the output of each FILE to DIR/FILE.",
    details: "An output appears when it is complete. A failing FILE does not end the command.")
  static let resume = Option("resume", "Skip each FILE with an output that is not older.")
  static let jobs = Option("jobs", value: "N", "Process N FILEs at a time. Default: 1.", details: "Needs --output-directory.")
  static let contract = Option(
    "contract", value: "CONTRACT", "Select instances of CONTRACT; no TAG is needed then.",
    details: "For example troupe.transform/1.")
}
