import Troupe

// A factory of transforms with every member that a registration in Swift has, and one with metadata that is no text.
@Plugin(id: "org.example.described", version: "1.0.0")
struct DescribedPlugin: Assembly {
  func register(in registrar: any Registrar) {
    registrar.register(
      (any Transform).self, id: "de5c0000-0000-4000-8000-000000000001", name: "prefix", tags: "text", "described",
      metadata: .documentation(
        "Writes a text before its input.", parameters: ["prefix": "The text."], examples: [#""a", "b""#: #""ba""#]
      ).merging(["unit": "byte"]) { own, _ in own }, lifetime: .scoped
    ) { (_: any Resolver, prefix: String) in Prefix(prefix) }
    registrar.annotated(metadata: 4.5).register(
      String.self, id: "de5c0000-0000-4000-8000-000000000002", name: "width", tags: "width", "described",
      metadata: ["unit": "m"]
    ) { _ in "4.5" }
  }
}

final class Prefix: Transform {
  private var prefix: String

  init(_ prefix: String) { self.prefix = prefix }

  func feed(_ bytes: Span<UInt8>, to output: any TransformOutput) throws {
    try output.write(prefix)
    prefix = ""
    try output.write(bytes)
  }

  func finish(to output: any TransformOutput) throws {}
}
