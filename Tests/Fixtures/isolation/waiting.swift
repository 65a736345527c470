import Dispatch
import Troupe

// Transforms whose factories wait: asynchronous ones and ones on the main actor.
@Plugin(id: "org.example.waiting", version: "1.0.0")
struct WaitingPlugin: Assembly {
  func register(in registrar: any Registrar) {
    let type = (any Transform).self
    registrar.register(type, id: "0b0e7c70-6f0a-4e53-9a51-5e2e6a3d1e01", name: "async", tags: "async") {
      (_: any Resolver, mark: String) async in
      await Task.yield()
      return Marker(mark)
    }
    registrar.register(
      type, isolation: MainActor.shared, id: "0b0e7c70-6f0a-4e53-9a51-5e2e6a3d1e02", name: "main", tags: "main"
    ) { _ in onMain("m") }
    registrar.register(type, id: "0b0e7c70-6f0a-4e53-9a51-5e2e6a3d1e03", name: "hopping", tags: "hopping") { _ async in
      await visitMain()
      return Marker("h")
    }
    registrar.register(type, id: "0b0e7c70-6f0a-4e53-9a51-5e2e6a3d1e04", name: "failing", tags: "failing") { _ async throws in
      await Task.yield()
      throw TransformError("the device is not plugged in")
    }
    // Ends only by cancellation.
    registrar.register(type, id: "0b0e7c70-6f0a-4e53-9a51-5e2e6a3d1e05", name: "endless", tags: "endless") { _ async throws in
      begun.signal()
      while true { try await Task.sleep(for: .seconds(3600)) }
    }
    // Returns once the endless factory has begun.
    registrar.register(type, id: "0b0e7c70-6f0a-4e53-9a51-5e2e6a3d1e06", name: "gate", tags: "gate") { _ in
      begun.wait()
      return Marker("g")
    }
  }
}

let begun = DispatchSemaphore(value: 0)

@MainActor private func visitMain() { MainActor.assertIsolated() }

@MainActor private func onMain(_ mark: String) -> Marker {
  visitMain()
  return Marker(mark)
}

// Appends its mark to the whole input.
final class Marker: Transform {
  private let mark: String

  init(_ mark: String) { self.mark = mark }

  func feed(_ bytes: Span<UInt8>, to output: any TransformOutput) throws { try output.write(bytes) }
  func finish(to output: any TransformOutput) throws { try output.write(mark) }
}
