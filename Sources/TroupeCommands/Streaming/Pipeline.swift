package import TroupeHost

/// Transforms in a row, each writing straight into the next, so that nothing is stored between them.
package final class Pipeline {
  /// One transform and what to call it when it fails.
  package struct Stage {
    let name: String
    let transform: any Transform

    package init(name: String, transform: any Transform) {
      self.name = name
      self.transform = transform
    }
  }

  private let links: [Link]
  private let output: OutputBuffer

  /// Puts transforms in front of an output.
  package init(_ stages: [Stage], output: OutputBuffer) {
    var next: any TransformOutput = output
    var links: [Link] = []
    for stage in stages.reversed() {
      let link = Link(stage, next: next)
      links.append(link)
      next = link
    }
    self.links = links.reversed()
    self.output = output
  }

  /// Takes a piece of the input. What comes out of it has been written when this returns.
  package func feed(_ bytes: Span<UInt8>) throws {
    if let first = links.first { try first.write(bytes) } else { try output.write(bytes) }
    try output.flush()
  }

  /// Ends the input.
  package func finish() throws {
    for link in links { try link.finish() }
    try output.flush()
  }

  /// A stage with what it writes into.
  private final class Link: TransformOutput {
    private let stage: Stage
    private let next: any TransformOutput

    init(_ stage: Stage, next: any TransformOutput) {
      self.stage = stage
      self.next = next
    }

    func write(_ bytes: Span<UInt8>) throws {
      do {
        try stage.transform.feed(bytes, to: next)
      } catch {
        throw failure(error)
      }
    }

    func finish() throws {
      do {
        try stage.transform.finish(to: next)
      } catch {
        throw failure(error)
      }
    }

    /// Names the stage, unless the failure is that of a later one or of the output.
    private func failure(_ error: any Error) -> CommandFailure {
      error as? CommandFailure ?? CommandFailure(.badData, "\(stage.name): \(error)")
    }
  }
}
