internal import TroupeHost

/// `troupe version`: the versions of the host and its parts.
enum VersionCommand: Command {
  static let spec = CommandSpec(
    "version", "Print the versions of the host, its interfaces and Swift.",
    examples: ["troupe version", "troupe version --json", "troupe --version"],
    options: [.json],
    details: [
      "The host loads a plugin in Swift that was built by a compiler of this version of Swift, such as 6.3.1 for 6.3, against this interface or an older one of the same major number.",
      "JSON: {troupe, interface, abi, swift}.",
    ])

  static func run(_ arguments: ParsedArguments) throws -> ExitStatus {
    let versions = HostVersions.current
    if arguments.has(.json) {
      try Terminal.writeJSON(versions)
    } else {
      let facts = [
        ("troupe", versions.troupe), ("interface", versions.interface), ("abi", versions.abi), ("swift", versions.swift),
      ]
      try Terminal.write(facts.map { $0.padding(to: 11) + $1 + "\n" }.joined())
    }
    return .success
  }
}
