import Troupe

// Loads, and fails its activation.
@Plugin(id: "org.example.validated", name: "Validated", version: "1.0.0")
struct ValidatedPlugin: Assembly {
  func register(in registrar: any Registrar) {
    registrar.register(String.self, id: "5f2a3d1e-4a1c-4d55-9d1b-2f7a6c0e9b01", name: "text", tags: "text") { _ in "text" }
  }

  func registered(to resolver: any Resolver) async throws {
    // A job of the main actor, which nobody else runs in the process of a check.
    await MainActor.run {}
    throw TransformError("the device is not plugged in")
  }
}
