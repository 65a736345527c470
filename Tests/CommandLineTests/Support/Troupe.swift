import Foundation
import TestSupport
import Testing

/// Runs the built command in a neutral environment: only the given plugin directories, no home directory and no setting of
/// colors.
///
/// - Parameters:
///   - arguments: The command and its arguments.
///   - plugins: Directories, passed with `--plugins` after the command.
///   - input: The text of standard input.
///   - environment: Additional variables.
///   - directory: The working directory.
func troupe(
  _ arguments: String..., plugins: String..., input: Data = Data(), environment: [String: String] = [:],
  directory: String? = nil
) throws -> Run {
  let words = arguments.prefix(1) + plugins.flatMap { ["--plugins", $0] } + arguments.dropFirst()
  return try run(
    unset(except: environment.keys) + [Repo.troupe] + words, input: input, environment: environment, directory: directory)
}

/// The options of env(1) that clear the variables read by the command, except some.
func unset(except kept: some Sequence<String> = [String]()) -> [String] {
  [
    "HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "TROUPE_PLUGIN_PATH", "TROUPE_PINS",
    "NO_COLOR",
  ].filter { !kept.contains($0) }.flatMap { ["-u", $0] }
}

/// Runs a shell line with the variables `troupe` and `plugins` set to the built command and the example plugins.
/// A line that hangs is killed after a minute.
func shell(_ line: String, input: Data = Data(), environment: [String: String] = [:]) throws -> Run {
  let variables = ["troupe": Repo.troupe, "plugins": try Examples.directory()].merging(environment) { _, new in new }
  return try run(unset(except: environment.keys) + ["timeout", "60", "sh", "-c", line], input: input, environment: variables)
}

/// Expects that a command failed with this status, with only the given text on standard output, and with one line on standard
/// error that contains all of these parts.
///
/// - Parameter shown: Parts of standard output; nil expects no output.
func expectFailure(
  _ run: Run, _ status: Int32, _ parts: String..., showing shown: [String]? = nil,
  sourceLocation: SourceLocation = #_sourceLocation
) {
  #expect(run.status == status, "\(run.errors)", sourceLocation: sourceLocation)
  if shown == nil { #expect(run.text == "", sourceLocation: sourceLocation) }
  for part in shown ?? [] { #expect(run.text.contains(part), "\(run.text)", sourceLocation: sourceLocation) }
  #expect(run.errorLines.count == 1, "\(run.errors)", sourceLocation: sourceLocation)
  #expect(run.errors.hasPrefix("troupe: ") && run.errors.hasSuffix("\n"), "\(run.errors)", sourceLocation: sourceLocation)
  for part in parts { #expect(run.errors.contains(part), "\(run.errors)", sourceLocation: sourceLocation) }
}

/// Returns the standard output of a command that must succeed and leave standard error empty.
func output(of run: Run, sourceLocation: SourceLocation = #_sourceLocation) -> String {
  #expect(run.status == 0, "\(run.errors)", sourceLocation: sourceLocation)
  #expect(run.errors == "", sourceLocation: sourceLocation)
  return run.text
}

/// Decodes the JSON output of a command that must succeed and leave standard error empty.
func json<Content: Decodable>(
  _ type: Content.Type = Content.self, _ run: Run, sourceLocation: SourceLocation = #_sourceLocation
) throws -> Content {
  try JSONDecoder().decode(type, from: Data(output(of: run, sourceLocation: sourceLocation).utf8))
}
