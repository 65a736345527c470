internal import TroupeHost
internal import TroupeTools

/// `troupe flags`: the compiler options for programs, plugins and the libraries that they share.
enum FlagsCommand: Command {
  private static let swift = Option("swift", "For a program in Swift that embeds the host (default).")
  private static let plugin = Option("plugin", "For a plugin in Swift.")
  private static let c = Option("c", "For a plugin in C or C++.")
  private static let host = Option("host", "For a program in C or C++ that embeds the host.")
  private static let interface = Option(
    "interface", value: "MODULE", "For the library MODULE of a program's protocols.",
    details: "With library evolution, so that clients keep working when the library grows.")
  private static let fixed = Option(
    "fixed", value: "DIR", "With --interface: mark the layout of FILE …; write linker files to DIR.",
    details:
      "For a library without library evolution. The mark is a hash of the declarations in FILE, the sources of the library. Clients record it when they are linked with -L DIR, and the host rejects those with another mark."
  )

  static let spec = CommandSpec(
    "flags", "Print compiler options for plugins, embedding programs and their shared libraries.", operands: "[FILE …]",
    operandCount: 0...Int.max, flags: "OPTION …",
    examples: [
      "swiftc $(troupe flags) main.swift", "swiftc -O $(troupe flags --plugin) -o shout.so shout.swift",
      "cc -O2 $(troupe flags --c) -o half.so half.c",
    ],
    options: [swift, plugin, c, host, interface, fixed, .json],
    details: [
      "A library of protocols: swiftc -O $(troupe flags --interface Greetings) -o libGreetings.so Greetings.swift.",
      "Without library evolution: swiftc -O $(troupe flags --interface Greetings --fixed . Greetings.swift) -o libGreetings.so Greetings.swift. Write options that change declarations, such as -D, -I and -swift-version, also behind --.",
      "A program in C that embeds the host: cc -O2 main.c $(troupe flags --host) -o main.",
      "The paths are those of the build tree or the installation that this command belongs to. JSON: an array of the options.",
    ])

  static func run(_ arguments: ParsedArguments) throws -> ExitStatus {
    let kinds = [swift, plugin, c, host, interface].filter { arguments.has($0) }
    guard kinds.count < 2 else {
      throw Diagnosis(
        .usage, problem: "\(kinds.map(\.usage).joined(separator: " and ")) exclude each other", remedy: "give one of them")
    }
    let flags = try arguments.one(interface).map { try interfaceFlags($0, arguments) } ?? otherFlags(kinds.first, arguments)
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

  private static func interfaceFlags(_ name: String, _ arguments: ParsedArguments) throws -> [String] {
    let library = try InterfaceLibrary(module: name)
    let files = try DevelopmentFiles()
    let importing = importing(files)
    guard let directory = arguments.one(fixed) else {
      try expectNoSources(arguments)
      return library.evolutionOptions + importing
    }
    guard !arguments.operands.isEmpty else {
      throw Diagnosis(.usage, problem: "--fixed without FILE", remedy: "name the Swift sources of \(name)")
    }
    let mark = try library.mark(of: arguments.operands, options: importing + arguments.flags)
    try library.writeLinkerFiles(mark: mark, to: directory)
    return library.options(mark: mark, directory: directory) + importing
  }

  private static func expectNoSources(_ arguments: ParsedArguments) throws(Diagnosis) {
    if arguments.has(fixed), !arguments.has(interface) {
      throw Diagnosis(.usage, problem: "--fixed without --interface", remedy: "write --interface with the name of the library")
    }
    guard let word = arguments.operands.first ?? arguments.flags.first else { return }
    throw Diagnosis(
      .usage, problem: "unexpected argument \"\(word.shortened())\"",
      remedy: "only --interface MODULE --fixed DIR takes sources")
  }

  private static func otherFlags(_ kind: Option?, _ arguments: ParsedArguments) throws -> [String] {
    try expectNoSources(arguments)
    return flags(kind?.name ?? swift.name, try DevelopmentFiles())
  }

  /// The options with which a module imports those of Troupe.
  private static func importing(_ files: DevelopmentFiles) -> [String] {
    ["-I", files.modules, "-I", files.headers, "-load-plugin-executable", files.macros + "#TroupeMacros"]
  }

  private static func flags(_ kind: String, _ files: DevelopmentFiles) -> [String] {
    if kind == c.name { return ["-fPIC", "-shared", "-fvisibility=hidden", "-I", files.headers] }
    if kind == host.name {
      return ["-I", files.headers, "-L", files.libraries, "-lTroupe", "-Wl,-rpath,\(files.libraries)"]
    }
    let linking = importing(files) + ["-L", files.libraries, "-lTroupe"]
    return kind == plugin.name
      ? ["-emit-library", "-parse-as-library"] + linking : linking + ["-Xlinker", "-rpath", "-Xlinker", files.libraries]
  }
}
