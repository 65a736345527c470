import Troupe

// Registers a factory and then fails its activation.
@Plugin(id: "org.example.throwing-activation", version: "1.0.0")
struct ThrowingActivationPlugin: Assembly {
  func register(in registrar: any Registrar) {
    registrar.register(Int.self, id: "0b0e7c70-6f0a-4e53-9a51-5e2e6a3d0f03", name: "one", tags: "number") { _ in 1 }
  }

  func registered(to resolver: any Resolver) async throws {
    throw TransformError("the device is not plugged in")
  }
}
