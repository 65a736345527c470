package import TroupeHost

/// A chain of transforms: feed → stage 1 → stage 2 → … → output buffer → stream.
///
/// Each stage writes directly to the next, without a buffer in between. An error names the stage that failed.
package final class Pipeline {
  package struct Stage {
    /// The name of the transform and its plugin.
    let name: String
    /// The id of the plugin.
    let plugin: String
    let transform: any Transform

    package init(name: String, plugin: String, transform: any Transform) {
      (self.name, self.plugin, self.transform) = (name, plugin, transform)
    }

    /// - Parameter resolved: An instance for the contract of transforms. Throws a `Diagnosis` if it is another one.
    package init(_ resolved: ResolvedInstance) throws(Diagnosis) {
      plugin = resolved.registration.plugin
      name = "\(resolved.registration.name) of \(plugin)"
      guard let transform = resolved.value as? any Transform else {
        throw Diagnosis(.internalError, name, problem: "registered for \(Contract.transform.name), but not a transform")
      }
      self.transform = transform
    }
  }

  private let links: [Link]
  private let output: OutputBuffer

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

  /// Processes a piece of the input. The output is written before the function returns.
  package func feed(_ bytes: Span<UInt8>) throws {
    if let first = links.first { try first.write(bytes) } else { try output.write(bytes) }
    try output.flush()
  }

  package func finish() throws {
    for link in links { try link.finish() }
    try output.flush()
  }

  /// A stage and the output that it writes to.
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

    /// Adds the name of the stage, unless a later stage or the output failed.
    private func failure(_ error: any Error) -> Diagnosis {
      error as? Diagnosis
        ?? Diagnosis(error is WorkerError ? Diagnosis.Code(of: error) : .invalidData, stage.name, problem: "\(error)")
    }
  }
}
