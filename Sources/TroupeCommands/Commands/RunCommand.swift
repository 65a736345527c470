internal import TroupeHost
internal import TroupeTools

/// `troupe run`: streams files or standard input through transforms to standard output, or to an output for each file.
enum RunCommand: Command {
  static let spec = CommandSpec(
    "run", "Stream files, or standard input, through transforms.",
    operands: "--tag TAG … [FILE …]", operandCount: 0...Int.max,
    examples: [
      "echo hello | troupe run --tag base64-encode", "troupe run --tag base64 notes.txt | cmp - notes.txt",
      "troupe run --tag base64-encode notes.txt --output-directory encoded",
    ],
    options: [.tag, .argument, .outputDirectory, .resume, .jobs] + HostArguments.loading,
    details: [
      "The transforms are the registrations with every TAG that fulfill the contract troupe.transform/1. They run in the order of registration; each reads the output of the one before it.",
      "Each FILE gets new transforms in a new scope. The FILE - is standard input. Memory use does not depend on the size of the input.",
      "With --output-directory, the output of FILE is DIR/FILE, and several processes can share the files: an output appears only when it is complete, and --resume repeats no complete one.",
    ])

  static let awaitsFactories = true

  static func run(_ arguments: ParsedArguments) async throws -> ExitStatus {
    let tags = arguments.all(.tag)
    guard !tags.isEmpty else { throw Diagnosis(.usage, problem: "missing --tag TAG", remedy: "see troupe run --help") }
    let files = try InputFile.named(arguments.operands, mayFail: arguments.has(.outputDirectory))
    let (directory, jobs) = (try OutputDirectory(files, arguments), try FileJobs.count(arguments))
    if directory == nil, arguments.has(.jobs) {
      throw Diagnosis(
        .usage, "--jobs", problem: "needs --output-directory DIR, since there is one standard output",
        remedy: "name a directory for the outputs")
    }
    let host = try HostArguments.host(arguments)
    try await HostArguments.start(host, arguments)
    let stream = TransformStream { try await stages(host, tags, arguments) }
    var status = ExitStatus.success
    if let directory {
      // Unknown tags are an error of the command line, not of each file.
      _ = try await stages(host, tags, arguments)
      status = try await FileJobs(directory, jobs: jobs).runWithProgress { try await stream.run($0) }
    } else {
      var progress = StreamProgress()
      defer { progress.end() }
      for file in files { try await stream.run(file, to: .output) { progress.add($0) } }
    }
    host.shutdown()
    return status
  }

  /// Resolves the transforms for one input in a new scope. The transforms keep the scoped instances alive.
  private static func stages(
    _ host: PluginHost, _ tags: [String], _ arguments: ParsedArguments
  ) async throws -> [Pipeline.Stage] {
    let contract = Contract.transform.name
    return try await ResolveCommand.resolve(host, tags: tags, contract: contract, arguments, in: host.container.scope()).map(
      Pipeline.Stage.init)
  }
}
