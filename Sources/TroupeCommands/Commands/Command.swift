/// A command of `troupe`: the specification of its command line, and the function that runs it.
///
/// A new command is a type that conforms, and its place in `commandGroups`. Help, man page and completion follow from `spec`.
protocol Command: Sendable {
  static var spec: CommandSpec { get }
  /// True if the command awaits factories of plugins, which may be on the main actor. The entry point then loads Foundation on the main
  /// thread, so that jobs of the main actor run.
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

/// All commands, in the groups and the order of the help.
let commandGroups: [(title: String, commands: [any Command.Type])] = [
  ("Find plugins", [ListCommand.self, InspectCommand.self, GraphCommand.self, WatchCommand.self]),
  (
    "Use plugins",
    [ResolveCommand.self, CallCommand.self, MapCommand.self, RunCommand.self, BenchCommand.self, WorkersCommand.self]
  ),
  ("Write plugins", [NewCommand.self, AdoptCommand.self, FlagsCommand.self, ValidateCommand.self, CatalogCommand.self]),
  ("Manage plugins", [DoctorCommand.self, PinCommand.self, QuarantineCommand.self, VersionCommand.self]),
]

let commands = commandGroups.flatMap(\.commands)
