/// One of the things that `troupe` does.
protocol Command: Sendable {
  /// What it takes.
  static var syntax: Syntax { get }
  /// Does it. Throws a `CommandFailure` for everything that is foreseen.
  static func run(_ arguments: ParsedArguments) async throws -> ExitStatus
}
