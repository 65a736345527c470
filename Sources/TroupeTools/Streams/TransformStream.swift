internal import TroupeHost

/// Streams files through transforms, which are new ones for each file. Memory use does not depend on the size of a file.
///
/// A crash of a transform is reported with its name and plugin. An error of invalid data names the file.
package struct TransformStream: Sendable {
  private let makeStages: @Sendable () async throws -> [Pipeline.Stage]

  /// The size of a read. Larger ones were no faster.
  static let pieceSize = 128 * 1024

  /// - Parameter makeStages: Makes the transforms for one file.
  package init(_ makeStages: @escaping @Sendable () async throws -> [Pipeline.Stage]) { self.makeStages = makeStages }

  /// Streams a file to its output in a directory.
  package func run(_ item: OutputDirectory.Item) async throws {
    let stages = try await makeStages()
    try OutputDirectory.write(item.output) { try run(item.input, stages, to: $0) { _ in } }
  }

  /// Streams a file to an output.
  ///
  /// - Parameter read: Called with the number of bytes of each piece.
  package func run(_ file: InputFile, to output: ByteStream, read: (Int) -> Void) async throws {
    try run(file, await makeStages(), to: output, read)
  }

  private func run(_ file: InputFile, _ stages: [Pipeline.Stage], to output: ByteStream, _ read: (Int) -> Void) throws {
    try PluginActivity(stages.map(\.name).joined(separator: " or "), of: stages.map(\.plugin)).during {
      try file.reading { input in
        guard !input.isSameFile(as: output) else {
          throw Diagnosis(
            .usage, file.path, problem: "is the output, too, and would grow without end", remedy: "write to another file")
        }
        do {
          try stream(input, Pipeline(stages, output: OutputBuffer(output)), read)
        } catch let failure as Diagnosis where failure.code == .invalidData && file.path != InputFile.standardInput.path {
          throw Diagnosis(.invalidData, file.path, problem: "\(failure)")
        }
      }
    }
  }

  private func stream(_ input: ByteStream, _ pipeline: Pipeline, _ read: (Int) -> Void) throws {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.pieceSize, alignment: 16)
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
