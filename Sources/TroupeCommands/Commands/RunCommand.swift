internal import TroupeHost

/// `troupe run`: streams files or standard input through transforms to standard output.
enum RunCommand: Command {
  static let syntax = Syntax(
    "run", "Stream each FILE, or standard input, through every transform with the tags to standard output.",
    operands: "--tag TAG … [FILE …]", operandCount: 0...Int.max, options: [.tag, .argument] + Setup.loading,
    details: [
      "The transforms fulfil the contract troupe.transform/1 and run in the order of registration; each reads the output of the one before it. Each FILE gets new transforms in a new scope. The FILE - is standard input. Memory use does not depend on the size of the input."
    ])

  static let awaitsFactories = true

  static func run(_ arguments: ParsedArguments) async throws -> ExitStatus {
    let tags = arguments.all(.tag)
    guard !tags.isEmpty else { throw Diagnosis(.usage, problem: "missing --tag TAG", remedy: "see troupe run --help") }
    let files = try InputFile.named(arguments.operands)
    let host = try Setup.host(arguments)
    try await Setup.start(host, arguments)
    var progress = Progress()
    defer { progress.end() }
    for file in files {
      // Releases the scoped instances of this file at the end.
      let stages = try await stages(host, host.container.scope(), tags, arguments)
      try CrashReports.during(stages.map(\.stage.name).joined(separator: " or "), of: stages.map(\.plugin)) {
        try file.reading { input in
          guard !input.isSameFile(as: .output) else {
            throw Diagnosis(
              .usage, file.path, problem: "is the output, too, and would grow without end", remedy: "write to another file")
          }
          do {
            try stream(input, Pipeline(stages.map(\.stage), output: OutputBuffer(.output)), &progress)
          } catch let failure as Diagnosis where failure.code == .invalidData && !arguments.operands.isEmpty {
            throw Diagnosis(.invalidData, file.path, problem: "\(failure)")
          }
        }
      }
    }
    host.shutdown()
    return .success
  }

  /// Resolves the transforms for one input, with the plugins that registered them.
  private static func stages(
    _ host: PluginHost, _ scope: Container, _ tags: [String], _ arguments: ParsedArguments
  ) async throws -> [(plugin: String, stage: Pipeline.Stage)] {
    let contract = Contract.transform.name
    return try await ResolveCommand.resolve(host, tags: tags, contract: contract, arguments, in: scope).map { instance in
      guard let transform = instance.value as? any Transform else {
        throw Diagnosis(.internalError, instance.registration.name, problem: "registered for \(contract), but not a transform")
      }
      let (name, plugin) = (instance.registration.name, instance.registration.plugin)
      return (plugin, Pipeline.Stage(name: "\(name) of \(plugin)", transform: transform))
    }
  }

  /// The size of a read. Larger ones were no faster.
  private static let pieceSize = 128 * 1024

  private static func stream(_ input: ByteStream, _ pipeline: Pipeline, _ progress: inout Progress) throws {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: pieceSize, alignment: 16)
    defer { buffer.deallocate() }
    while true {
      let count = try input.read(into: buffer)
      if count == 0 { break }
      try pipeline.feed(UnsafeRawBufferPointer(rebasing: buffer[..<count]).bindMemory(to: UInt8.self).span)
      progress.add(count)
    }
    try pipeline.finish()
  }
}
