import Foundation
import TestSupport
import Testing

/// Runs the built command with nothing of the surroundings that would change what it does: no plugin directories besides
/// those that are given, no home directory, no wish about colour.
///
/// - Parameters:
///   - arguments: The command and what follows it.
///   - plugins: Directories, passed with `--plugins` right behind the command.
///   - input: What it reads from standard input.
///   - environment: Variables that are set.
///   - directory: Its working directory.
func troupe(
  _ arguments: String..., plugins: String..., input: Data = Data(), environment: [String: String] = [:],
  directory: String? = nil
) throws -> Run {
  let words = arguments.prefix(1) + plugins.flatMap { ["--plugins", $0] } + arguments.dropFirst()
  return try run(
    unset(except: environment.keys) + [Tree.troupe] + words, input: input, environment: environment, directory: directory)
}

/// The options of env(1) that clear what the command takes from its surroundings, but for some variables.
func unset(except kept: some Sequence<String> = []) -> [String] {
  [
    "HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "TROUPE_PLUGIN_PATH", "TROUPE_PINS",
    "NO_COLOR",
  ].filter { !kept.contains($0) }.flatMap { ["-u", $0] }
}

/// Runs a line of the shell in which the variables `troupe` and `plugins` are the built command and the example plugins.
/// Ends after a minute, for a line that would otherwise hang.
func shell(_ line: String, input: Data = Data(), environment: [String: String] = [:]) throws -> Run {
  let variables = ["troupe": Tree.troupe, "plugins": try Examples.directory()].merging(environment) { _, new in new }
  return try run(unset(except: environment.keys) + ["timeout", "60", "sh", "-c", line], input: input, environment: variables)
}

/// Expects that a command failed as it should: with this status, with nothing on standard output but what is said here, and
/// with one line on standard error that has all of these parts.
///
/// - Parameter shown: What standard output has besides other things; nil if there is nothing.
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

/// The standard output of a command that has to succeed without a word on standard error.
func output(of run: Run, sourceLocation: SourceLocation = #_sourceLocation) -> String {
  #expect(run.status == 0, "\(run.errors)", sourceLocation: sourceLocation)
  #expect(run.errors == "", sourceLocation: sourceLocation)
  return run.text
}

/// What a command that has to succeed without a word on standard error printed as JSON.
func json<Content: Decodable>(
  _ type: Content.Type = Content.self, _ run: Run, sourceLocation: SourceLocation = #_sourceLocation
) throws -> Content {
  try JSONDecoder().decode(type, from: Data(output(of: run, sourceLocation: sourceLocation).utf8))
}
