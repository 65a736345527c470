import Greetings
import Troupe

struct Polite: Greeter {
  func greet(_ person: Person) -> String { "Good day, \(person.name)" }
}

/// Implements the shared protocol.
@Plugin(id: "org.example.polite", version: "1.0.0")
struct PolitePlugin: Assembly {
  func register(in registrar: any Registrar) {
    registrar.register(
      (any Greeter).self, id: "0d3f4a52-6d0c-4c5e-9a43-3f7b1a0c2e91", name: "polite", tags: "greeter"
    ) { _ in Polite() }
  }
}
