import Foundation
import Testing
import TroupeContainer

@Suite("A transient is made for each resolve, and a singleton once", .timeLimit(.minutes(60)))
struct LifetimeTests {
  @Test("A transient is created for each resolve and is the default lifetime")
  func transient() throws {
    let container = Container()
    for key in [
      container.register(Instance.self) { _ in Instance() },
      container.register(Instance.self, tags: "t", lifetime: .transient) { _ in Instance() },
    ] {
      #expect(try container.resolve(key: key) !== container.resolve(key: key))
    }
  }

  @Test("A singleton is created at the first resolve and shared from then on")
  func singleton() throws {
    let container = Container()
    let made = Counter()
    container.register(Instance.self, lifetime: .singleton) { _ in
      made.next()
      return Instance()
    }
    #expect(made.count == 0)
    let first = try container.resolve(Instance.self)
    #expect(try container.resolve(Instance.self) === first)
    #expect(try container.resolve(Instance?.self) === first)
    #expect(try container.resolve([Instance].self).first === first)
    #expect(made.count == 1)
  }

  @Test("Each registration of a type has its own singleton")
  func perKey() throws {
    let container = Container()
    container.register(Instance.self, tags: "a", lifetime: .singleton) { _ in Instance() }
    container.register(Instance.self, tags: "b", lifetime: .singleton) { _ in Instance() }
    #expect(try container.resolve(Instance.self, tags: "a") !== container.resolve(Instance.self, tags: "b"))
  }

  @Test("A singleton that eight threads resolve at the same time is created once")
  func threads() throws {
    let container = Container()
    let made = Counter()
    let requests = DispatchGroup()
    for _ in 0..<8 { requests.enter() }
    container.register(Instance.self, lifetime: .singleton) { _ in
      made.next()
      // Continues when the other threads are about to resolve.
      requests.wait()
      return Instance()
    }
    let instances = try onThreads(8) { _ in
      requests.leave()
      return try container.resolve(Instance.self)
    }
    #expect(Set(instances.map { ObjectIdentifier($0) }).count == 1)
    #expect(made.count == 1)
  }

  @Test("A singleton whose factory throws is attempted again and then kept")
  func retried() throws {
    let container = Container()
    let attempts = Counter()
    container.register(Instance.self, lifetime: .singleton) { _ in
      if attempts.next() < 3 { throw SampleError() }
      return Instance()
    }
    for _ in 0..<2 {
      #expect(throws: SampleError.self) { try container.resolve(Instance.self) }
    }
    #expect(try container.resolve(Instance.self) === container.resolve(Instance.self))
    #expect(attempts.count == 3)
  }

  @Test(
    "A singleton whose factory throws is an error on one thread, and another waiting thread creates it")
  func retriedAcrossThreads() throws {
    let container = Container()
    let attempts = Counter()
    container.register(Instance.self, lifetime: .singleton) { _ in
      if attempts.next() == 1 { throw SampleError() }
      return Instance()
    }
    let instances = try onThreads(8) { _ in try? container.resolve(Instance.self) }
    #expect(instances.contains { $0 == nil })
    let instance = try container.resolve(Instance.self)
    #expect(instances.allSatisfy { $0 == nil || $0 === instance })
    #expect(attempts.count == 2)
  }

  @Test("A created singleton ignores arguments")
  func arguments() throws {
    let container = Container()
    container.register(String.self, lifetime: .singleton) { (_, number: Int) in "made with \(number)" }
    #expect(try container.resolve(String.self, args: 1) == "made with 1")
    #expect(try container.resolve(String.self, args: 2) == "made with 1")
    #expect(try container.resolve(String.self) == "made with 1")
  }

  @Test("A factory may register with its container and resolve from it", arguments: [Lifetime.transient, .singleton])
  func reentrant(lifetime: Lifetime) throws {
    let container = Container()
    container.register(String.self, lifetime: lifetime) { resolver in
      container.register(Int.self, lifetime: .singleton) { _ in 7 }
      return "\(try resolver.resolve(Int.self))"
    }
    #expect(try container.resolve(String.self) == "7")
  }

  @Test(
    "Other threads may use the container while a factory runs",
    arguments: [Lifetime.transient, .singleton])
  func unlocked(lifetime: Lifetime) throws {
    let container = Container()
    container.register(Int.self, lifetime: .singleton) { _ in 1 }
    container.register(String.self, lifetime: lifetime) { _ in
      let others = try onThreads(2) { thread in
        container.register(Int.self, tags: thread) { _ in 2 }
        return try container.resolve(Int.self) + container.resolve(Int.self, tags: thread)
      }
      return "\(others)"
    }
    #expect(try container.resolve(String.self) == "[3, 3]")
  }
}
