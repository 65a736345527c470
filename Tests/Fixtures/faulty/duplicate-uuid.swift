import Troupe

// Registers two factories under one UUID.
@Plugin(id: "org.example.duplicate-uuid", version: "1.0.0")
struct DuplicateUUIDPlugin: Assembly {
  func register(in registrar: any Registrar) {
    registrar.register(Int.self, id: "0b0e7c70-6f0a-4e53-9a51-5e2e6a3d0f02", name: "first", tags: "number") { _ in 1 }
    registrar.register(Int.self, id: "0B0E7C70-6F0A-4E53-9A51-5E2E6A3D0F02", name: "second", tags: "numeral") { _ in 2 }
  }
}
