/// A subcommand of `troupe`.
protocol Command: Sendable {
  /// The command line that it accepts.
  static var syntax: Syntax { get }
  /// Runs the command. Throws a `CommandFailure` for each expected failure.
  static func run(_ arguments: ParsedArguments) async throws -> ExitStatus
}
