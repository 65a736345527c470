/// A subcommand of `troupe`.
protocol Command: Sendable {
  /// The command line that it accepts.
  static var spec: CommandSpec { get }
  /// Whether it awaits factories of plugins, which may be on the main actor.
  static var awaitsFactories: Bool { get }
  /// Returns the help for a command line with `--help`, in lines of at most a width. Throws a `Diagnosis`.
  static func help(_ arguments: ParsedArguments, width: Int) async throws -> String
  /// Runs the command. Throws a `Diagnosis` for each expected failure.
  static func run(_ arguments: ParsedArguments) async throws -> ExitStatus
}

extension Command {
  static var awaitsFactories: Bool { false }

  static func help(_ arguments: ParsedArguments, width: Int) async throws -> String { spec.help(width: width) }
}
