internal import TroupeHost

/// `troupe version`: the versions of the host and its parts.
enum VersionCommand: Command {
  static let spec = CommandSpec(
    "version", "Print the versions of the host, the ABI and the compiler.",
    examples: ["troupe version", "troupe version --json", "troupe --version"],
    options: [.json],
    details: [
      "The host loads a plugin in Swift if it was built by the same compiler against the same interface.",
      "JSON: {troupe, interface, abi, swift, compiler}.",
    ])

  static func run(_ arguments: ParsedArguments) throws -> ExitStatus {
    let versions = HostVersions.current
    if arguments.has(.json) {
      try Terminal.writeJSON(versions)
    } else {
      let facts = [
        ("troupe", versions.troupe), ("interface", versions.interface), ("abi", versions.abi), ("swift", versions.swift),
        ("compiler", versions.compiler ?? "unknown"),
      ]
      try Terminal.write(facts.map { $0.padding(to: 11) + $1 + "\n" }.joined())
    }
    return .success
  }
}
