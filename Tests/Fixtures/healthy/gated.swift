import Troupe

// Its activation waits for the host's "gate", as long as the host has one.
@Plugin(id: "org.example.gated", version: "1.0.0")
final class GatedPlugin: Assembly {
  func register(in registrar: any Registrar) {
    registrar.register(String.self, id: "6a7e0000-0000-4000-8000-000000000001", name: "version", tags: "gated") { _ in "1.0.0" }
  }

  func registered(to resolver: any Resolver) async throws {
    let answers = try await resolver.resolve([String].self, tags: "gate")
    if answers.contains("fail") { throw Refused() }
  }
}

struct Refused: Error {}
