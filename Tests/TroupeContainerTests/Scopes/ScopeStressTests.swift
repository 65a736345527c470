import Foundation
import Testing
import TroupeContainer

@Suite("Threads and tasks share the instances of a scope", .timeLimit(.minutes(60)))
struct ScopeStressTests {
  private let root = Container()

  @Test("Eight threads that resolve at the same time in one scope share one scoped instance")
  func once() throws {
    let made = Counter()
    let requests = DispatchGroup()
    for _ in 0..<8 { requests.enter() }
    root.register(lifetime: .scoped) { _ in
      made.next()
      // Continues when the other threads are about to resolve.
      requests.wait()
      return Instance()
    }
    let scope = root.scope()
    let instances = try onThreads(8) { _ in
      requests.leave()
      return try scope.resolve(Instance.self)
    }
    #expect(Set(instances.map { ObjectIdentifier($0) }).count == 1)
    #expect(made.count == 1)
  }

  @Test(
    "Tasks that resolve at the same time in one scope share an instance, and other scopes have their own")
  func tasks() async throws {
    let made = Counter()
    root.register(lifetime: .scoped) { _ async in
      made.next()
      await Task.yield()
      return Instance()
    }
    let scopes = (0..<4).map { _ in root.scope() }
    let instances = try await withThrowingTaskGroup(of: Instance.self) { group in
      for number in 0..<64 { group.addTask { try await scopes[number % 4].resolve(Instance.self) } }
      return try await group.reduce(into: Set<ObjectIdentifier>()) { $0.insert(ObjectIdentifier($1)) }
    }
    #expect(instances.count == 4)
    #expect(made.count == 4)
  }

  @Test("Scopes start and end on eight threads while others register, replace and unregister")
  func changes() async throws {
    let root = root
    let owner = Owner(name: "plugin")
    let living = Counter()
    let (releases, ended) = AsyncStream.makeStream(of: Void.self)
    final class Resource: Sendable {
      let number: Int
      let ended: AsyncStream<Void>.Continuation
      init(_ number: Int, _ living: Counter, _ ended: AsyncStream<Void>.Continuation) {
        living.next()
        (self.number, self.ended) = (number, ended)
      }
      deinit { ended.yield() }
    }
    root.register(Int.self) { _ in 1 }
    root.register(Instance.self, lifetime: .singleton) { _ in Instance() }
    root.register(Resource.self, tags: "fixed", lifetime: .scoped) { resolver in
      Resource(try resolver.resolve(Int.self), living, ended)
    }
    let shared = root.scope()
    let fixed = try await shared.resolve(Resource.self, tags: "fixed")
    _ = try onThreads(8) { thread in
      for round in 0..<150 {
        switch thread {
        case 0:
          root.registrar(owner: owner).register(Resource.self, tags: "changing", lifetime: .scoped) { _ in
            Resource(round, living, ended)
          }
          if round % 3 == 0 { root.unregister(owner: owner) }
        case 1:
          root.register(Int.self) { _ in round }
        default:
          let scope = thread % 2 == 0 ? root.scope() : shared.scope()
          let nested = scope.scope()
          if thread == 2 { scope.register(String.self) { _ in "own" } }
          for container in [nested, scope, shared] {
            let first = try container.resolve(Resource.self, tags: "fixed")
            if try container.resolve(Resource.self, tags: "fixed") !== first { throw SampleError() }
            if container === shared, first !== fixed { throw SampleError() }
            if container !== shared, first === fixed { throw SampleError() }
            _ = try container.resolve(Resource?.self, tags: "changing")
            _ = try container.resolve([Resource].self)
            _ = try container.resolve(Instance.self)
            _ = try container.resolve(Int.self)
          }
          if thread == 3 { scope.clear() }
        }
      }
    }
    root.unregister(owner: owner)
    #expect(try await shared.resolve([Resource].self).map { ObjectIdentifier($0) } == [ObjectIdentifier(fixed)])
    // All other instances are released. The sweep releases instances that a reader used when their scope ended.
    var released = releases.makeAsyncIterator()
    for _ in 1..<living.count { await released.next() }
    #expect(try await shared.resolve(Resource.self, tags: "fixed") === fixed)
  }
}
