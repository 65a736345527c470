internal import TroupeHost

/// `troupe --manual DIRECTORY`: writes the pages of the manual, which `make install` installs.
enum ManualCommand {
  private static let variables = [
    (
      "TROUPE_PLUGIN_PATH",
      "The directories with plugins, with colons between them, in place of the user's and the installed one."
    ),
    ("TROUPE_PINS", "The file of pins, unless --pins names one."),
    (
      "XDG_DATA_HOME, XDG_CONFIG_HOME, XDG_CACHE_HOME, XDG_STATE_HOME",
      "The directories above the user's plugins, pins, results of probes, and quarantine."
    ),
    ("NO_COLOR", "If it is set, the output has no color."),
  ]

  static func write(to directory: String) throws -> ExitStatus {
    let version = HostVersions.current.troupe
    let specs = commands.map { $0.spec }
    let program = ManualPage(
      programSummary, examples: programExamples, commands: specs, variables: variables, statuses: ExitStatus.explanation,
      version: version)
    let pages = [program] + specs.map { ManualPage($0, statuses: ExitStatus.explanation, version: version) }
    for page in pages {
      let path = directory + "/" + page.file
      do throws(SystemError) {
        try AtomicFile.write(Array(page.content.utf8), to: path, mode: 0o644, directoryMode: 0o755)
      } catch {
        throw Diagnosis(.inputOutput, path, problem: "cannot be written: \(error)", remedy: "name another directory")
      }
    }
    return .success
  }
}
