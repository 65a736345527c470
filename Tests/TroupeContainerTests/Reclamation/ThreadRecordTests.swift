import Synchronization
import Testing

@testable import TroupeContainer

@Suite("A running factory retains its entry until it returns")
struct ThreadRecordTests {
  /// An object that a factory captures, which counts its release.
  private final class Capture: Sendable {
    let ended: Counter
    init(_ ended: Counter) { self.ended = ended }
    deinit { ended.next() }
  }

  private static func register(_ level: Int, of depth: Int, _ container: Container, _ ended: Counter) {
    let capture = Capture(ended)
    container.register(Int.self, tags: level) { resolver in
      defer { withExtendedLifetime(capture) {} }
      guard level == depth else { return try resolver.resolve(Int.self, tags: level + 1) + 1 }
      // All factories above are running, and all are unregistered.
      for level in 0...depth { container[Key<Int>(tags: level)] = nil }
      container.register(String.self) { _ in "a change" }
      #expect(ended.count == 0)
      return 1
    }
  }

  @Test("A factory that is unregistered while it runs completes and is then released", arguments: [0, 3, 4, 9])
  func unregisteredWhileRunning(depth: Int) throws {
    let container = Container()
    let ended = Counter()
    for level in 0...depth { Self.register(level, of: depth, container, ended) }
    #expect(try container.resolve(Int.self, tags: 0) == depth + 1)
    container.register(Int.self) { _ in 0 }
    #expect(ended.count == depth + 1)
  }

  @Test("A container releases the entries that its running factories retained")
  func releasedWithContainer() throws {
    let ended = Counter()
    do {
      let container = Container()
      let capture = Capture(ended)
      container.register(Int.self) { [unowned container] _ in
        defer { withExtendedLifetime(capture) {} }
        container[Key<Int>()] = nil
        return 1
      }
      #expect(try container.resolve(Int.self) == 1)
    }
    #expect(ended.count == 1)
  }

  @Test("An entry that a running factory retained is released without a further change")
  func swept() async throws {
    let (ends, end) = AsyncStream<Void>.makeStream()
    let container = Container()
    do {
      let capture = Ending { end.finish() }
      container.register(Int.self) { [unowned container] _ in
        defer { withExtendedLifetime(capture) {} }
        container[Key<Int>()] = nil
        return 1
      }
    }
    #expect(try await container.resolve(Int.self) == 1)
    for await _ in ends {}
    #expect(container[Key<Int>()] == nil)
  }

  /// An object that runs a closure when it is deinitialized.
  private final class Ending: Sendable {
    private let action: @Sendable () -> Void
    init(_ action: @escaping @Sendable () -> Void) { self.action = action }
    deinit { action() }
  }

  @Test("A factory that throws releases its entry")
  func thrown() throws {
    let container = Container()
    let ended = Counter()
    func register() {
      let capture = Capture(ended)
      container.register(Int.self) { _ in
        withExtendedLifetime(capture) {}
        throw SampleError()
      }
    }
    register()
    #expect(throws: SampleError.self) { try container.resolve(Int.self) }
    #expect(EpochDomain.shared.pointee.record.pointee.hazardCount.load(ordering: .relaxed) == 0)
    container[Key<Int>()] = nil
    #expect(ended.count == 1)
  }
}
