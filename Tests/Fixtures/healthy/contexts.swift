import Troupe

// Transforms whose factories are asynchronous or on the main actor, in each form that registers under a UUID.
@Plugin(id: "org.example.contexts", version: "1.0.0")
struct ContextsPlugin: Assembly {
  func register(in registrar: any Registrar) {
    registrar.register((any Transform).self, id: "0b0e7c70-6f0a-4e53-9a51-5e2e6a3d0e01", name: "async", tags: "context") {
      _ async throws in
      try await Task.sleep(nanoseconds: 1)
      return Marker("a")
    }
    registrar.register((any Transform).self, id: "0b0e7c70-6f0a-4e53-9a51-5e2e6a3d0e02", name: "async-plain", tags: "context") {
      _ async in
      await Task.yield()
      return Marker("b")
    }
    registrar.register(
      (any Transform).self, isolation: MainActor.shared, id: "0b0e7c70-6f0a-4e53-9a51-5e2e6a3d0e03", name: "main",
      tags: "context"
    ) { _ in onMain("c") }
    registrar.register(
      (any Transform).self, isolation: MainActor.shared, id: "0b0e7c70-6f0a-4e53-9a51-5e2e6a3d0e04", name: "main-plain",
      tags: "context", metadata: ["form": "plain"], lifetime: .singleton
    ) { _ in onMain("d") }
    registrar.register(id: "0b0e7c70-6f0a-4e53-9a51-5e2e6a3d0e05", name: "async-argument", tags: "argument") {
      (_: any Resolver, text: String) async in
      await Task.yield()
      return text + "!"
    }
    registrar.register(
      (any Transform).self, id: "0b0e7c70-6f0a-4e53-9a51-5e2e6a3d0e06", name: "async-scoped", tags: "scoped",
      lifetime: .scoped
    ) { _ async in
      await Task.yield()
      return Marker("e")
    }
    registrar.register(String.self, id: "0b0e7c70-6f0a-4e53-9a51-5e2e6a3d0e07", name: "failing", tags: "failing") {
      _ async throws in
      throw TransformError("the device is not plugged in")
    }
    registrar.register((any Transform).self, id: "0b0e7c70-6f0a-4e53-9a51-5e2e6a3d0e08", name: "needy", tags: "needy") {
      try $0.resolve(Marker.self)
    }
  }
}

@MainActor private func onMain(_ mark: String) -> Marker {
  MainActor.assertIsolated()
  return Marker(mark)
}

// Appends its mark to the whole input.
final class Marker: Transform {
  private let mark: String

  init(_ mark: String) { self.mark = mark }

  func feed(_ bytes: Span<UInt8>, to output: any TransformOutput) throws { try output.write(bytes) }
  func finish(to output: any TransformOutput) throws { try output.write(mark) }
}
