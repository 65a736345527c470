import Troupe

// A stateless transform: converts ASCII letters to capitals.
@Plugin(id: "org.example.upper", name: "Upper case", version: "2.1.0")
final class UpperPlugin: Assembly {
  func register(in registrar: any Registrar) {
    registrar.register(
      (any Transform).self, id: "0B0E7C70-6F0A-4E53-9A51-5E2E6A3D0A01", name: "upper", tags: "text", "case",
      metadata: ["locale": "C", "author": "unknown"]
    ) { _ in Upper() }
  }
}

final class Upper: Transform {
  func feed(_ bytes: Span<UInt8>, to output: any TransformOutput) throws {
    var capitals: [UInt8] = []
    for index in bytes.indices {
      let byte = bytes[index]
      capitals.append((UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) ? byte - 32 : byte)
    }
    try output.write(capitals)
  }

  func finish(to output: any TransformOutput) throws {}
}
