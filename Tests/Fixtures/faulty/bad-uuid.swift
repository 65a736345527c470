import Troupe

// Registers a factory under a text that is not a UUID.
@Plugin(id: "org.example.bad-uuid", version: "1.0.0")
struct BadUUIDPlugin: Assembly {
  // No literal, which the macro would report.
  private let notUUID = "number-one"

  func register(in registrar: any Registrar) {
    registrar.register(Int.self, id: "0b0e7c70-6f0a-4e53-9a51-5e2e6a3d0f01", name: "good", tags: "number") { _ in 1 }
    registrar.register(Int.self, id: notUUID, name: "bad", tags: "number") { _ in 1 }
  }
}
