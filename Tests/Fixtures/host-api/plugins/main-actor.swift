import Troupe

// Its activation needs the main actor, and so does one of its factories; another one is asynchronous.
@Plugin(id: "org.example.main-actor", version: "1.0.0", loadsAtStart: true)
final class MainActorPlugin: Assembly {
  func register(in registrar: any Registrar) {
    registrar.register(
      (any Transform).self, isolation: MainActor.shared, id: "0B0E7C70-6F0A-4E53-9A51-5E2E6A3D0A11", name: "isolated",
      tags: "isolated"
    ) { _ in Same() }
  }

  func registered(to resolver: any Resolver) async throws {
    await MainActor.run { precondition(isActivated == false) }
    isActivated = true
  }
}

nonisolated(unsafe) var isActivated = false

final class Same: Transform {
  func feed(_ bytes: Span<UInt8>, to output: any TransformOutput) throws { try output.write(bytes) }
  func finish(to output: any TransformOutput) throws {}
}
