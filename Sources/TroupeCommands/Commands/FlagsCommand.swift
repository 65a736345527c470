internal import TroupeHost

/// `troupe flags`: the compiler options for programs and plugins.
enum FlagsCommand: Command {
  private static let swift = Option("swift", "For a program in Swift that embeds the host (default).")
  private static let plugin = Option("plugin", "For a plugin in Swift.")
  private static let c = Option("c", "For a plugin in C or C++.")
  private static let host = Option("host", "For a program in C or C++ that embeds the host.")

  static let spec = CommandSpec(
    "flags", "Print compiler options for plugins and for embedding programs.",
    examples: [
      "swiftc $(troupe flags) main.swift", "swiftc -O $(troupe flags --plugin) -o shout.so shout.swift",
      "cc -O2 $(troupe flags --c) -o half.so half.c",
    ],
    options: [swift, plugin, c, host, .json],
    details: [
      "A program in C that embeds the host: cc -O2 main.c $(troupe flags --host) -o main.",
      "The paths are those of the build tree or the installation that this command belongs to. JSON: an array of the options.",
    ])

  static func run(_ arguments: ParsedArguments) throws -> ExitStatus {
    let kinds = [swift, plugin, c, host].filter { arguments.has($0) }
    guard kinds.count < 2 else {
      throw Diagnosis(
        .usage, problem: "\(kinds.map(\.usage).joined(separator: " and ")) exclude each other", remedy: "give one of them")
    }
    let flags = flags(kinds.first?.name ?? swift.name, try DevelopmentFiles())
    if arguments.has(.json) {
      try Terminal.writeJSON(flags)
      return .success
    }
    if let path = flags.first(where: { $0.contains(where: \.isWhitespace) }) {
      throw Diagnosis(
        .unavailable, problem: "\"\(path)\" contains white space, at which the shell splits it",
        remedy: "use --json, or another directory")
    }
    try Terminal.write(flags.joined(separator: " ") + "\n")
    return .success
  }

  private static func flags(_ kind: String, _ files: DevelopmentFiles) -> [String] {
    if kind == c.name { return ["-fPIC", "-shared", "-fvisibility=hidden", "-I", files.headers] }
    if kind == host.name {
      return ["-I", files.headers, "-L", files.libraries, "-lTroupe", "-Wl,-rpath,\(files.libraries)"]
    }
    let linking = [
      "-I", files.modules, "-I", files.headers, "-L", files.libraries, "-lTroupe", "-load-plugin-executable",
      files.macros + "#TroupeMacros",
    ]
    return kind == plugin.name
      ? ["-emit-library", "-parse-as-library"] + linking : linking + ["-Xlinker", "-rpath", "-Xlinker", files.libraries]
  }
}
