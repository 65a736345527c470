/// A subcommand of `troupe`.
protocol Command: Sendable {
  /// The command line that it accepts.
  static var syntax: Syntax { get }
  /// Whether it awaits factories of plugins, which may be on the main actor.
  static var awaitsFactories: Bool { get }
  /// Runs the command. Throws a `Diagnosis` for each expected failure.
  static func run(_ arguments: ParsedArguments) async throws -> ExitStatus
}

extension Command {
  static var awaitsFactories: Bool { false }
}
