import Troupe

/// Turns its input into a `data:` URL (RFC 2397), with the Base64 encoder of any plugin.
@Plugin(
  id: "org.example.dataurl", name: "Data URL", version: "1.0.0",
  description: "Turns data into a URL that contains them, with the Base64 encoder of another plugin.")
final class DataURLPlugin: Assembly {
  func register(in registrar: any Registrar) {
    let plugin = registrar.plugin
    registrar.register(
      (any Transform).self, id: "b2f3f1b4-92c5-4d6f-9a57-0c8f5d5e7f21", name: "data-url", tags: "data-url",
      metadata: .documentation(
        "Turns its input into a data: URL (RFC 2397).",
        examples: [#""Hello""#: #""data:application/octet-stream;base64,SGVsbG8=""#]
      ).merging(["configuration": "media-type: text/plain for example; application/octet-stream without one"]) { $1 }
    ) { resolver in
      // The encoder is resolved for each data URL, not when the plugin is loaded, so the order of loading does not matter. It
      // may be written in any language: the example base64 is in C.
      let encoders: [any Transform] = try resolver.resolve(tags: "base64-encode")
      guard let encoder = encoders.first else {
        throw TransformError("no plugin offers a transform with the tag base64-encode; add one, such as org.example.base64")
      }
      return DataURL(mediaType: plugin.configuration("media-type") ?? "application/octet-stream", encoder: encoder)
    }
  }
}

/// Writes the head of the URL, then the encoder's output.
final class DataURL: Transform {
  private let encoder: any Transform
  private var head: String?

  init(mediaType: String, encoder: any Transform) {
    self.encoder = encoder
    head = "data:\(mediaType);base64,"
  }

  func feed(_ bytes: Span<UInt8>, to output: any TransformOutput) throws {
    try writeHead(to: output)
    try encoder.feed(bytes, to: WithoutLineEnds(output))
  }

  func finish(to output: any TransformOutput) throws {
    try writeHead(to: output)
    try encoder.finish(to: WithoutLineEnds(output))
  }

  private func writeHead(to output: any TransformOutput) throws {
    if let head { try output.write(head) }
    head = nil
  }
}

/// Passes all bytes except line ends, which an encoder may insert and a URL must not contain.
final class WithoutLineEnds: TransformOutput {
  private let output: any TransformOutput

  init(_ output: any TransformOutput) {
    self.output = output
  }

  func write(_ bytes: Span<UInt8>) throws {
    var kept: [UInt8] = []
    kept.reserveCapacity(bytes.count)
    for index in bytes.indices where bytes[index] != UInt8(ascii: "\n") { kept.append(bytes[index]) }
    try output.write(kept)
  }
}
