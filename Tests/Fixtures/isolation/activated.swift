import Dispatch
import Synchronization
import Troupe

// Transforms that append what the activation has noted in this process.
@Plugin(id: "org.example.activated", version: "1.0.0")
final class ActivatedPlugin: Assembly {
  func register(in registrar: any Registrar) {
    let type = (any Transform).self
    registrar.register(type, id: "0b0e7c70-6f0a-4e53-9a51-5e2e6a3d1f01", name: "noted", tags: "noted") { _ in Noted() }
    // Returns once the task that the activation leaves behind has ended.
    registrar.register(type, id: "0b0e7c70-6f0a-4e53-9a51-5e2e6a3d1f02", name: "late", tags: "late") { _ in
      leftBehind.wait()
      return Noted()
    }
  }

  func registered(to resolver: any Resolver) async throws {
    // The activation comes back from the main actor, which it shares a thread with.
    await note("main")
    let own = try await resolver.resolve([any Transform].self, tags: "noted")
    await note("resolved \(own.count)")
    Task { @MainActor in
      await Task.yield()
      note("late")
      leftBehind.signal()
    }
  }
}

let notes = Mutex<[String]>([])
let leftBehind = DispatchSemaphore(value: 0)

@MainActor private func note(_ text: String) {
  MainActor.assertIsolated()
  notes.withLock { $0.append(text) }
}

final class Noted: Transform {
  private let text = notes.withLock { $0.joined(separator: ", ") }

  func feed(_ bytes: Span<UInt8>, to output: any TransformOutput) throws { try output.write(bytes) }
  func finish(to output: any TransformOutput) throws { try output.write(text) }
}
