internal import TroupeHost
internal import TroupeTools

/// `troupe new`: the project of a plugin, from a template.
enum NewCommand: Command {
  private static let language = Option(
    "language", value: "LANGUAGE", choices: TemplateLanguage.allCases.map(\.rawValue),
    "c, c++, swift, rust, zig or json. Required with ID or MODULE.", details: "json adopts a C library.")
  private static let kind = Option(
    "kind", value: "KIND", choices: TemplateKind.allCases.map(\.rawValue),
    "transform (default), functions, service, interface or fixed-interface.",
    details:
      "json has only functions. swift alone has interface, a library of a program's own protocols with library evolution, and fixed-interface, one without it, whose layout has a mark."
  )
  private static let directory = Option(
    "directory", value: "DIR", "Create DIR. Default: MODULE, or the last part of ID.")
  private static let list = Option("list", "List the templates.")

  static let spec = CommandSpec(
    "new", "Create a project, of a plugin or of a library of protocols, that builds and tests as is.", operands: "[ID|MODULE]",
    operandCount: 0...1,
    examples: [
      "troupe new org.example.shout --language c", "troupe new org.example.mean --language swift --kind functions",
      "troupe new Greetings --language swift --kind interface",
    ],
    options: [language, kind, directory, list, .json],
    details: [
      "ID is the plugin's id in reverse DNS notation, such as org.example.shout. MODULE is the Swift module of a library of protocols, such as Greetings.",
      "The project has the source with examples, the files of the language's build tool, a test that runs troupe, and a README. make builds the plugin, make test tests it, make install copies it to the user's plugins.",
      "A library of protocols is shared by a program and its plugins. Its project has the files of make and of the package manager, and a test with a client. The guide Shared interfaces explains the two kinds.",
      "If the project cannot be created, nothing is written. JSON: an object {id, language, kind, directory, files, next}; with --list an array of {language, kind, description, files}.",
    ])

  private struct Project: Encodable {
    let id: String
    let language: TemplateLanguage
    let kind: TemplateKind
    let directory: String
    let files, next: [String]
  }

  private struct Row: Encodable {
    let language: TemplateLanguage
    let kind: TemplateKind
    let description: String
    let files: [String]
  }

  static func run(_ arguments: ParsedArguments) throws -> ExitStatus {
    if arguments.has(list) { return try printTemplates(arguments) }
    guard let id = arguments.operands.first else { throw usage("missing ID", "write an id, such as org.example.shout") }
    guard let language = arguments.one(language).flatMap(TemplateLanguage.init) else {
      throw usage(
        "missing --language",
        "write --language with one of \(TemplateLanguage.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    let kind = try kind(of: language, arguments)
    let names = try kind.isInterface ? ProjectNames(interface: InterfaceLibrary(module: id)) : ProjectNames(id: id)
    let directory = arguments.one(directory) ?? names.name
    let files = try Template(language, kind, in: DevelopmentFiles().templates).create(directory, names)
    let project = Project(
      id: id, language: language, kind: kind, directory: directory, files: files, next: next(names, kind, language, directory))
    if arguments.has(.json) {
      try Terminal.writeJSON(project)
    } else {
      let lines =
        [
          "\(directory): \(kind.isInterface ? "an interface library" : "a plugin") in \(language.rawValue) with \(files.count) files; next:"
        ] + project.next.map { "  \($0)" }
      try Terminal.write(lines.joined(separator: "\n") + "\n")
    }
    return .success
  }

  /// Returns the requested kind, or the first one of a language.
  private static func kind(of language: TemplateLanguage, _ arguments: ParsedArguments) throws(Diagnosis) -> TemplateKind {
    guard let kind = arguments.one(kind).flatMap(TemplateKind.init) else { return language.kinds[0] }
    guard language.kinds.contains(kind) else {
      throw Diagnosis(
        .usage, "--kind", problem: "\(language.rawValue) has no template of the kind \(kind.rawValue)",
        remedy: "write one of \(language.kinds.map(\.rawValue).joined(separator: ", "))")
    }
    return kind
  }

  /// The commands that build, test, use and install the plugin or the library.
  private static func next(
    _ names: ProjectNames, _ kind: TemplateKind, _ language: TemplateLanguage, _ directory: String
  ) -> [String] {
    let use =
      switch kind {
      case .transform, .service: "echo hello | troupe run --tag \(names.name) --plugins build"
      case .functions where language == .json: "troupe call split 2.5 --plugins build"
      case .functions: "troupe call mean '[1, 2, 6]' --plugins build"
      case .interface: "make release"
      case .fixedInterface: "make mark"
      }
    return ["cd \(directory.hasPrefix("-") ? "-- " : "")\(directory.shellWord)", "make test", use, "make install"]
  }

  private static func printTemplates(_ arguments: ParsedArguments) throws -> ExitStatus {
    if let id = arguments.operands.first {
      throw usage("unexpected argument \"\(id.shortened())\"", "--list takes no id")
    }
    let directory = try DevelopmentFiles().templates
    let rows = try TemplateLanguage.allCases.flatMap { language in
      try language.kinds.map { kind in
        Row(language: language, kind: kind, description: kind.summary, files: try Template(language, kind, in: directory).files)
      }
    }
    if arguments.has(.json) {
      try Terminal.writeJSON(rows)
      return .success
    }
    var table = Table("LANGUAGE", "KIND", "FILES", "EXAMPLES")
    for row in rows {
      table.add(row.language.rawValue, row.kind.rawValue, "\(row.files.count)", row.description)
    }
    try Terminal.write(table.text(color: Terminal.hasColor))
    return .success
  }

  private static func usage(_ problem: String, _ remedy: String) -> Diagnosis {
    Diagnosis(.usage, problem: problem, remedy: remedy)
  }
}
