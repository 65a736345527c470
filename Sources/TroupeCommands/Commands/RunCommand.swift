internal import TroupeHost

/// `troupe run`: standard input through transforms to standard output.
enum RunCommand: Command {
  static let syntax = Syntax(
    "run", "Stream standard input through every transform that carries the tags, in order, to standard output.",
    operands: "--tag TAG …", options: [.tag, .argument] + Setup.loading,
    details: [
      "The transforms are those of the contract troupe.transform/1, each fed by the one before it, in the order of registration. Memory stays bounded, whatever the size of the input."
    ])

  static func run(_ arguments: ParsedArguments) async throws -> ExitStatus {
    let tags = arguments.all(.tag)
    guard !tags.isEmpty else { throw CommandFailure(.usage, "--tag TAG is missing; see troupe run --help") }
    let host = try Setup.host(arguments)
    try await Setup.start(host, arguments)
    let contract = Contract.transform.name
    let stages = try ResolveCommand.resolve(host, tags: tags, contract: contract, arguments).map { instance in
      guard let transform = instance.value as? any Transform else {
        throw CommandFailure(.software, "\(instance.registration.name) is registered for \(contract) and is no transform")
      }
      return Pipeline.Stage(name: "\(instance.registration.name) of \(instance.registration.plugin)", transform: transform)
    }
    try stream(Pipeline(stages, output: OutputBuffer(.output)))
    host.shutdown()
    return .success
  }

  /// The size of the pieces that are read; larger ones were no faster.
  private static let pieceSize = 128 * 1024

  private static func stream(_ pipeline: Pipeline) throws {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: pieceSize, alignment: 16)
    defer { buffer.deallocate() }
    var progress = Progress()
    defer { progress.end() }
    while true {
      let count = try StandardStream.input.read(into: buffer)
      if count == 0 { break }
      try pipeline.feed(UnsafeRawBufferPointer(rebasing: buffer[..<count]).bindMemory(to: UInt8.self).span)
      progress.add(count)
    }
    try pipeline.finish()
  }
}
