import Troupe

// Factories with arguments of several types, with and without an id, and a singleton.
@Plugin(id: "org.example.arguments", version: "1.0.0")
struct ArgumentsPlugin: Assembly {
  func register(in registrar: any Registrar) {
    registrar.register(
      String.self, id: "0b0e7c70-6f0a-4e53-9a51-5e2e6a3d0b01", name: "describe", tags: "describe"
    ) { (_, count: Int, factor: Double, isOn: Bool, text: String) in "\(count) \(factor) \(isOn) \(text)" }
    registrar.register(UInt8.self, tags: "byte") { (_, byte: UInt8) in byte }
    registrar.register(String.self, tags: "either") { (_, number: Int) in "number \(number)" }
    registrar.register(String.self, tags: "either") { (_, text: String) in "text \(text)" }
    registrar.register(Counter.self, tags: "one", lifetime: .singleton) { _ in Counter() }
  }
}

final class Counter {}
