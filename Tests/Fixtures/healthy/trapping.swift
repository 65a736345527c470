import Troupe

// A transform that passes its probe, and traps for an input that names how.
@Plugin(id: "org.example.trapping", version: "1.0.0")
struct Trapping: Assembly {
  func register(in registrar: any Registrar) {
    registrar.register(
      (any Transform).self, id: "6C1E0A52-94C5-4B0E-8D0F-3B0F9B6D7A11", name: "trap", tags: "trap"
    ) { _ in Trap() }
  }
}

final class Trap: Transform {
  private var value = 0

  func feed(_ bytes: Span<UInt8>, to output: any TransformOutput) throws {
    var text = ""
    for index in bytes.indices { text.unicodeScalars.append(Unicode.Scalar(bytes[index])) }
    switch text {
    case "fatal": fatalError("no config")
    case "unwrap": try output.write([UInt8(Int(text)!)])
    case "bounds": try output.write([[UInt8]()[text.count]])
    case "exclusive": exchange(&value) { value = 1 }
    default: try output.write(Array(text.utf8))
    }
  }

  @inline(never) private func exchange(_ number: inout Int, _ body: () -> Void) {
    body()
    number += 1
  }

  func finish(to output: any TransformOutput) throws {}
}
