import Troupe

// Keeps its registrar and registers after the entry has returned.
@Plugin(id: "org.example.late-registration", version: "1.0.0")
final class LateRegistrationPlugin: Assembly {
  private var registrar: (any Registrar)?

  func register(in registrar: any Registrar) {
    self.registrar = registrar
    registrar.register(Int.self, id: "0b0e7c70-6f0a-4e53-9a51-5e2e6a3d0f04", name: "in-time", tags: "number") { _ in 1 }
  }

  func registered(to resolver: any Resolver) async throws {
    registrar?.register(Int.self, id: "0b0e7c70-6f0a-4e53-9a51-5e2e6a3d0f05", name: "late", tags: "number", "late") { _ in 2 }
  }
}
