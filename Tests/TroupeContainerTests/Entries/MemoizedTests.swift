import Testing
import TroupeContainer

@Suite("A memoized factory makes one instance for equal arguments", .timeLimit(.minutes(60)))
struct MemoizedTests {
  private final class Connection: Sendable {
    let host: String
    let port: Int
    init(host: String, port: Int) { (self.host, self.port) = (host, port) }
  }

  private let container = Container()
  private let made = Counter()

  private func register() {
    container.register(
      factory: memoized { [made] (_, host: String, port: Int) in
        made.next()
        return Connection(host: host, port: port)
      })
  }

  @Test("And other instances for other arguments, whose order counts")
  func instances() throws {
    register()
    let first = try container.resolve(Connection.self, args: "a", 1)
    #expect(try container.resolve(Connection.self, args: "a", 1) === first)
    #expect(try container.resolve(Connection.self, args: "a", 2) !== first)
    #expect(made.count == 2)
    container.register([Int].self, factory: memoized { (_, first: Int, second: Int) in [first, second] })
    #expect(try container.resolve([Int].self, args: 1, 2) == [1, 2])
    #expect(try container.resolve([Int].self, args: 2, 1) == [2, 1])
    #expect(try container.resolve([Int].self, args: 1, 1) == [1, 1])
  }

  @Test("However many threads resolve it")
  func threads() throws {
    register()
    let container = container
    let seen = try onThreads(8) { number in ObjectIdentifier(try container.resolve(Connection.self, args: "a", number % 2)) }
    #expect(Set(seen).count == 2 && made.count == 2)
  }

  @Test("From the container of the registration, also for a scope, a child and an operation with overrides")
  func owner() throws {
    container.register(Int.self) { _ in 1 }
    container.register(
      String.self, factory: memoized { (resolver, name: String) in "\(name)\(try resolver.resolve(Int.self))" })
    let child = Container(parent: container)
    let scope = container.scope()
    for other in [child, scope] { other.register(Int.self) { _ in 2 } }
    #expect(try child.resolve(String.self, args: "a") == "a1")
    #expect(try scope.resolve(String.self, args: "b") == "b1")
    let overridden = try container.withOverrides {
      $0.register(Int.self) { _ in 3 }
    } operation: {
      try container.resolve(String.self, args: "c")
    }
    #expect(overridden == "c1")
  }

  @Test("A failed attempt is made again, and a dependency cycle is an error")
  func failures() throws {
    let attempts = Counter()
    container.register(
      Int.self,
      factory: memoized { (_, number: Int) in
        if attempts.next() == 1 { throw SampleError() }
        return number
      })
    #expect(throws: SampleError.self) { try container.resolve(Int.self, args: 7) }
    #expect(try container.resolve(Int.self, args: 7) == 7)
    container.register(
      String.self, factory: memoized { (resolver, name: String) in try resolver.resolve(String.self, args: name) })
    let error = try #require(throws: ResolutionError.self) { try container.resolve(String.self, args: "a") }
    #expect(error.reason.name == "cycle")
  }

  @Test("A failed attempt keeps nothing")
  func failedArguments() throws {
    container.register(Int.self, factory: memoized { (_, _: Name) throws -> Int in throw SampleError() })
    func attempt() -> Reference {
      let name = Name()
      #expect(throws: SampleError.self) { try container.resolve(Int.self, args: name) }
      return Reference(name)
    }
    #expect(attempt().object == nil)
    #expect(attempt().object == nil)
  }

  @Test("Threads whose first attempts fail share the instance of a later one")
  func failuresOnThreads() throws {
    for number in 0..<50 {
      let attempts = Counter()
      container.register(
        factory: memoized { [made] (_, host: String) in
          if attempts.next() <= 4 { throw SampleError() }
          made.next()
          return Connection(host: host, port: 0)
        })
      let container = container
      let seen = try onThreads(4) { _ in
        while true {
          do {
            return ObjectIdentifier(try container.resolve(Connection.self, args: "a"))
          } catch is SampleError {}
        }
      }
      #expect(Set(seen).count == 1 && made.count == number + 1)
    }
  }

  private final class Name: Hashable, Sendable {
    static func == (left: Name, right: Name) -> Bool { left === right }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
  }

  @Test("Its instances are released with the registration and with the container, and do not keep the container")
  func release() throws {
    register()
    weak let first = try container.resolve(Connection.self, args: "a", 1)
    #expect(first != nil)
    container.unregister(key: Key<Connection>())
    #expect(first == nil)
    func instanceAndContainer() throws -> (Reference, Reference) {
      let other = Container()
      other.register(factory: memoized { (_, number: Int) in Connection(host: "b", port: number) })
      return (Reference(try other.resolve(Connection.self, args: 1)), Reference(other))
    }
    let (instance, container) = try instanceAndContainer()
    #expect(instance.object == nil && container.object == nil)
  }

  private struct Reference {
    weak let object: AnyObject?
    init(_ object: AnyObject) { self.object = object }
  }
}
