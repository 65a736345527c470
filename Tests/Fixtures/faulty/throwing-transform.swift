import Troupe

// A transform that throws at the first letter a.
@Plugin(id: "org.example.picky", version: "1.0.0")
final class PickyPlugin: Assembly {
  func register(in registrar: any Registrar) {
    registrar.register(
      (any Transform).self, id: "0b0e7c70-6f0a-4e53-9a51-5e2e6a3d0d01", name: "picky", tags: "base64-encode"
    ) { _ in Picky() }
  }
}

final class Picky: Transform {
  func feed(_ bytes: Span<UInt8>, to output: any TransformOutput) throws {
    for index in bytes.indices where bytes[index] == UInt8(ascii: "a") {
      throw TransformError("a byte that it does not like: \(bytes[index])")
    }
    try output.write(bytes)
  }

  func finish(to output: any TransformOutput) throws {}
}
