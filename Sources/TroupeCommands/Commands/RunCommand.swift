internal import TroupeHost

/// `troupe run`: streams files or standard input through transforms to standard output, or to an output for each file.
enum RunCommand: Command {
  static let spec = CommandSpec(
    "run", "Stream files, or standard input, through transforms.",
    operands: "--tag TAG … [FILE …]", operandCount: 0...Int.max,
    examples: [
      "echo hello | troupe run --tag base64-encode", "troupe run --tag base64 notes.txt | cmp - notes.txt",
      "troupe run --tag base64-encode notes.txt --output-directory encoded",
    ],
    options: [.tag, .argument, OutputDirectory.option, OutputDirectory.resume, FileJobs.option] + HostArguments.loading,
    details: [
      "The transforms are the registrations with every TAG that fulfill the contract troupe.transform/1. They run in the order of registration; each reads the output of the one before it.",
      "Each FILE gets new transforms in a new scope. The FILE - is standard input. Memory use does not depend on the size of the input.",
      "With --output-directory, the output of FILE is DIR/FILE, and several processes can share the files: an output appears only when it is complete, and --resume repeats no complete one.",
    ])

  static let awaitsFactories = true

  static func run(_ arguments: ParsedArguments) async throws -> ExitStatus {
    let tags = arguments.all(.tag)
    guard !tags.isEmpty else { throw Diagnosis(.usage, problem: "missing --tag TAG", remedy: "see troupe run --help") }
    let files = try InputFile.named(arguments.operands, mayFail: arguments.has(OutputDirectory.option))
    let (directory, jobs) = (try OutputDirectory(files, arguments), try FileJobs.count(arguments))
    if directory == nil, arguments.has(FileJobs.option) {
      throw Diagnosis(
        .usage, "--jobs", problem: "needs --output-directory DIR, since there is one standard output",
        remedy: "name a directory for the outputs")
    }
    let host = try HostArguments.host(arguments)
    try await HostArguments.start(host, arguments)
    var status = ExitStatus.success
    if let directory {
      // Unknown tags are an error of the command line, not of each file.
      _ = try await stages(host, tags, arguments)
      status = try await FileJobs(directory, jobs: jobs).run { item in
        let stages = try await stages(host, tags, arguments)
        try OutputDirectory.write(item.output) { output in
          try process(item.input, stages, to: output) { _ in }
        }
      }
    } else {
      var progress = StreamProgress()
      defer { progress.end() }
      for file in files {
        let stages = try await stages(host, tags, arguments)
        try process(file, stages, to: .output) { progress.add($0) }
      }
    }
    host.shutdown()
    return status
  }

  /// Streams a file through transforms to an output.
  ///
  /// - Parameter read: Called with the number of bytes of each piece.
  private static func process(
    _ file: InputFile, _ stages: [(plugin: String, stage: Pipeline.Stage)], to output: ByteStream, read: (Int) -> Void
  ) throws {
    try CrashReports.during(stages.map(\.stage.name).joined(separator: " or "), of: stages.map(\.plugin)) {
      try file.reading { input in
        guard !input.isSameFile(as: output) else {
          throw Diagnosis(
            .usage, file.path, problem: "is the output, too, and would grow without end", remedy: "write to another file")
        }
        do {
          try stream(input, Pipeline(stages.map(\.stage), output: OutputBuffer(output)), read)
        } catch let failure as Diagnosis where failure.code == .invalidData && file.path != InputFile.standardInput.path {
          throw Diagnosis(.invalidData, file.path, problem: "\(failure)")
        }
      }
    }
  }

  /// Resolves the transforms for one input in a new scope, with the ids of their plugins. The transforms keep the scoped instances
  /// alive.
  private static func stages(
    _ host: PluginHost, _ tags: [String], _ arguments: ParsedArguments
  ) async throws -> [(plugin: String, stage: Pipeline.Stage)] {
    let contract = Contract.transform.name
    return try await ResolveCommand.resolve(host, tags: tags, contract: contract, arguments, in: host.container.scope()).map {
      instance in
      guard let transform = instance.value as? any Transform else {
        throw Diagnosis(.internalError, instance.registration.name, problem: "registered for \(contract), but not a transform")
      }
      let (name, plugin) = (instance.registration.name, instance.registration.plugin)
      return (plugin, Pipeline.Stage(name: "\(name) of \(plugin)", transform: transform))
    }
  }

  /// The size of a read. Larger ones were no faster.
  private static let pieceSize = 128 * 1024

  private static func stream(_ input: ByteStream, _ pipeline: Pipeline, _ read: (Int) -> Void) throws {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: pieceSize, alignment: 16)
    defer { buffer.deallocate() }
    while true {
      let count = try input.read(into: buffer)
      if count == 0 { break }
      try pipeline.feed(UnsafeRawBufferPointer(rebasing: buffer[..<count]).bindMemory(to: UInt8.self).span)
      read(count)
    }
    try pipeline.finish()
  }
}
