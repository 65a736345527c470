import Testing
import TroupeContainer

private final class Log: Sendable {
  let text: String
  init() { text = "" }
  init(_ resolver: any Resolver) { text = "with a resolver" }
}

private func makeLog() async -> Log { Log() }

@MainActor
private final class View {}

@Suite("A factory without a resolver registers under its result type")
struct WithoutResolverTests {
  private let container = Container()

  /// Resolves synchronously, also in an asynchronous function.
  private func resolve<T>(_ key: Key<T>) throws -> T { try container.resolve(key: key) }

  @Test("A closure is registered under its return type, not under its function type")
  func inferred() throws {
    let key: Key<Log> = container.register { Log() }
    #expect(key == Key<Log>())
    #expect(try container.resolve(Log.self) !== container.resolve(Log.self))
    #expect(container.find(Criteria<() -> Log>(op: .subset)).isEmpty)
    #expect(container.register { () throws -> Log in throw SampleError() } == Key<Log>())
    #expect(throws: SampleError.self) { try container.resolve(Log.self) }
  }

  @Test("register takes a type, tags or a key with every combination of labels")
  func labels() throws {
    let key = Key<Int>(tags: "key")
    #expect(container.register(key: key) { 1 } == key)
    container.register(Int.self) { 2 }
    container.register(tags: "a") { 3 }
    container.register(Int.self, tags: "a", "b", lifetime: .singleton) { 4 }
    container.register((any Greeting).self, lifetime: .singleton, factory: { Hello() })
    container.register(lifetime: .singleton) { Instance() }
    #expect(try container.resolve([Int].self) == [1, 2, 3, 4])
    #expect(try container.resolve((any Greeting).self).text == "hello")
    #expect(try container.resolve(Instance.self) === container.resolve(Instance.self))
    #expect(container[Key<any Greeting>()]?.lifetime == .singleton)
  }

  @Test("register takes metadata and an overridable cache, as blocks for Guise 9 did")
  func metadataAndCache() throws {
    container.register(Int.self, metadata: "one") { 1 }
    container.register(tags: "a", metadata: "two") { 2 }
    container.register(cached: true) { Instance() }
    container.register(tags: "a", cached: false) { Instance() }
    #expect(try container.resolve([Int].self) == [1, 2])
    #expect(container[Key<Int>(tags: "a")]?.metadata(as: String.self) == "two")
    let cached: Instance = try container.resolve()
    #expect(try container.resolve(Instance.self) === cached)
    #expect(try container.resolve(Instance.self, cached: false) !== cached)
    #expect(try container.resolve(Instance.self, tags: "a") !== container.resolve(Instance.self, tags: "a"))
  }

  @Test("A synchronous resolve does not run an asynchronous factory without parameters")
  func asynchronous() async throws {
    let keys = [
      container.register { await makeLog() }, container.register(tags: "a", lifetime: .singleton) { await makeLog() },
      container.register(key: Key<Log>(tags: "key")) { await makeLog() },
    ]
    for key in keys {
      let error = try #require(throws: ResolutionError.self) { try resolve(key) }
      #expect(error.reason.name == "requiresAsync")
      _ = try await container.resolve(key: key)
    }
    // A factory that does not wait is synchronous, even in an asynchronous function.
    let synchronous: Key<Int> = container.register { 1 }
    #expect(try resolve(synchronous) == 1)
  }

  @MainActor
  @Test("register takes a main-actor factory without parameters")
  func main() throws {
    let keys: [Key<View>] = [
      container.register(isolation: MainActor.shared) { View() },
      container.register(View.self, isolation: MainActor.shared, tags: "a") { View() },
      container.register(key: Key<View>(tags: "key"), isolation: MainActor.shared, lifetime: .singleton) { View() },
    ]
    for key in keys { _ = try container.resolve(key: key, isolation: MainActor.shared) }
  }

  @Test("A factory that may take a resolver receives it, and an instance expression may be a function")
  func others() throws {
    container.register(factory: Log.init)
    #expect(try container.resolve(Log.self).text == "with a resolver")
    let make: @Sendable () -> Log = { Log() }
    container.register(factory: make)
    #expect(try container.resolve(Log.self).text.isEmpty)
    #expect(container.register(instance: make) == Key<@Sendable () -> Log>())
    #expect(container.register((@Sendable () -> Log).self) { make } == Key<@Sendable () -> Log>())
    #expect(container.register { "\(ObjectIdentifier($0))" } == Key<String>())
  }

  @Test("An annotated registrar registers with its metadata and the source location")
  func annotated() throws {
    let key = container.annotated(metadata: "x").register(Int.self) { 1 }
    #expect(container[key]?.metadata(as: String.self) == "x")
    #expect(container[key]?.location == "TroupeContainerTests/WithoutResolverTests.swift:\(#line - 2)")
  }
}
