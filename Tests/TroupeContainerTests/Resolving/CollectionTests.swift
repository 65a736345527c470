import Testing
import TroupeContainer

@Suite("An array or a set has an instance of each registration with the tags")
struct CollectionTests {
  @Test("An array contains the registered instances in the order of registration")
  func order() throws {
    let container = Container()
    // Enough registrations to reveal the order of a hash table.
    for number in 0..<100 { container.register(Int.self, tags: "number", "\(number)") { _ in number } }
    #expect(try container.resolve([Int].self) == Array(0..<100))
    #expect(try container.resolve([Int].self, tags: "number") == Array(0..<100))
  }

  @Test("An array contains every registration that has all the given tags")
  func tags() throws {
    let container = Container()
    container.register(Int.self, tags: "a", "b") { _ in 1 }
    container.register(Int.self, tags: "a") { _ in 2 }
    container.register(Int.self, tags: "b", 7) { _ in 3 }
    container.register(Int.self) { _ in 4 }
    container.register(String.self, tags: "a") { _ in "text" }
    #expect(try container.resolve([Int].self, tags: "a") == [1, 2])
    #expect(try container.resolve([Int].self, tags: "b") == [1, 3])
    #expect(try container.resolve([Int].self, tags: "b", "a") == [1])
    #expect(try container.resolve([Int].self, tags: 7) == [3])
    #expect(try container.resolve([Int].self) == [1, 2, 3, 4])
    #expect(try container.resolve([String].self) == ["text"])
  }

  @Test("An array without matching registrations is empty")
  func empty() throws {
    let container = Container()
    container.register(Int.self, tags: "a") { _ in 1 }
    #expect(try container.resolve([Int].self, tags: "b") == [])
    #expect(try container.resolve([any Greeting].self).isEmpty)
    #expect(try container.resolve(Set<String>.self) == [])
  }

  @Test("An array of a protocol contains the instances registered under that protocol")
  func existentials() throws {
    let container = Container()
    container.register((any Greeting).self, tags: 1) { _ in Greeter(text: "first") }
    container.register((any Greeting).self, tags: 2) { _ in Hello() }
    container.register(Hello.self) { _ in Hello() }
    let greetings: [any Greeting] = try container.resolve()
    #expect(greetings.map(\.text) == ["first", "hello"])
  }

  @Test("A registration of the array or set type takes precedence")
  func exact() throws {
    let container = Container()
    container.register(Int.self, tags: "a") { _ in 1 }
    container.register([Int].self, tags: "a") { _ in [7, 8] }
    container.register(Set<Int>.self, tags: "a") { _ in [9] }
    #expect(try container.resolve([Int].self, tags: "a") == [7, 8])
    #expect(try container.resolve(Set<Int>.self, tags: "a") == [9])
    #expect(try container.resolve([Int].self) == [1])
    #expect(try container.resolve(Set<Int>.self) == [1])
  }

  @Test("A set contains each instance once")
  func set() throws {
    let container = Container()
    for (tag, number) in [1, 2, 2, 3].enumerated() { container.register(Int.self, tags: "a", tag) { _ in number } }
    container.register(Int.self, tags: "b") { _ in 4 }
    #expect(try container.resolve(Set<Int>.self, tags: "a") == [1, 2, 3])
    let all: Set<Int> = try container.resolve()
    #expect(all == [1, 2, 3, 4])
  }

  @Test("Each factory of a collection receives the arguments")
  func arguments() throws {
    let container = Container()
    container.register(Int.self, tags: 1) { (_, number: Int) in number + 1 }
    container.register(Int.self, tags: 2) { (_, number: Int) in number * 10 }
    #expect(try container.resolve([Int].self, args: 5) == [6, 50])
    #expect(try container.resolve(Set<Int>.self, args: 5) == [6, 50])
  }

  @Test("A factory that takes other arguments fails the whole collection")
  func wrongArguments() throws {
    let container = Container()
    container.register(Int.self, tags: 1) { (_, number: Int) in number }
    container.register(Int.self, tags: 2) { _ in 2 }
    let error = try #require(throws: ResolutionError.self) { try container.resolve([Int].self, args: 5) }
    #expect(error.reason.name == "invalidArgsType")
    #expect(error.key == Key<Int>(tags: 2))
  }

  @Test("A factory that throws fails the whole collection")
  func fault() throws {
    let container = Container()
    container.register(Int.self, tags: 1) { _ in 1 }
    container.register(Int.self, tags: 2) { _ in throw SampleError() }
    for resolve in [{ _ = try container.resolve([Int].self) }, { _ = try container.resolve(Set<Int>.self) }] {
      #expect(throws: SampleError.self) { try resolve() }
    }
  }

  @Test("An array contains new transients and shared singletons")
  func lifetimes() throws {
    let container = Container()
    container.register(Instance.self, tags: 1) { _ in Instance() }
    container.register(Instance.self, tags: 2, lifetime: .singleton) { _ in Instance() }
    let (first, second) = (try container.resolve([Instance].self), try container.resolve([Instance].self))
    try #require(first.count == 2 && second.count == 2)
    #expect(first[0] !== second[0])
    #expect(first[1] === second[1])
  }

  @Test("An array of optionals contains the registrations of the optional type")
  func optionals() throws {
    let container = Container()
    container.register(Int.self) { _ in 1 }
    container.register(Int?.self, tags: 1) { _ in nil }
    container.register(Int?.self, tags: 2) { _ in 2 }
    #expect(try container.resolve([Int?].self) == [nil, 2])
  }
}
