import Synchronization
import Testing

@testable import TroupeContainer

/// An instance with the name that it was created with.
private final class Part: Sendable {
  let name: String
  init(name: String) { self.name = name }
}

private struct Pair: Sendable {
  let part: Part
  let number: Int
}

@Suite("The first resolve of a pending registration loads it")
struct PendingTests {
  private let container = Container()

  /// Registers pending parts, each with the tag "part" and a unique tag.
  private func parts(_ tags: String..., lifetime: Lifetime = .transient) -> LazyPlugin {
    LazyPlugin(container) { registrar in
      for tag in tags { registrar.register(tags: "part", tag, lifetime: lifetime) { _ in Part(name: tag) } }
    }
  }

  @Test("Lookups treat a pending registration like any other and do not load it")
  func lookup() throws {
    let load: @Sendable () throws -> Void = { Issue.record("the registration was loaded") }
    let types: [any Any.Type] = [Int.self, (any Greeting).self]
    for type in [Part.self, Int?.self, [Part].self, (any Greeting).self] as [any Any.Type] {
      let tags = TagList(Set(elements: "a", 1))
      container.add(.pending(type, tags: tags, lifetime: .singleton, argumentTypes: types, load: load))
    }
    container.add(.pending(String.self, tags: TagList([]), lifetime: .transient, argumentTypes: nil, load: load))
    let key = Key<Part>(tags: 1, "a")
    let entry = try #require(container[key])
    #expect(entry.key == key)
    #expect(entry.lifetime == .singleton)
    #expect(entry.argumentTypes?.map { "\($0)" } == ["Int", "Greeting"])
    #expect(entry.description == "\(AnyKey(key))")
    #expect(container[Key<any Greeting>(tags: 1, "a")] != nil)
    #expect(container.find(Criteria<Part>(op: .subset, tags: "a")) == [key])
    #expect(container.find(Criteria(from: key)) == [key])
    #expect(Container(parent: container).find(Criteria<Part>(op: .subset)) == [key])
    #expect(container.entries(of: Part.self, including: []).count == 1)
    let open = try #require(container[Key<String>()])
    #expect(open.argumentTypes == nil)
    #expect(open.lifetime == .transient)
  }

  // MARK: Forms of resolve

  @Test("A resolve by type loads the registration once and then resolves the loaded one")
  func byType() throws {
    let plugin = LazyPlugin(container) { $0.register { _ in Part(name: "a") } }
    for _ in 0..<3 { #expect(try container.resolve(Part.self).name == "a") }
    #expect(plugin.loads.count == 1)
  }

  @Test("A resolve by one tag, by two or by more loads the registration")
  func byTags() throws {
    for tag in ["one", "two", "three"] {
      _ = LazyPlugin(container) { registrar in
        switch tag {
        case "one": registrar.register(tags: tag) { _ in Part(name: tag) }
        case "two": registrar.register(tags: tag, 2) { _ in Part(name: tag) }
        default: registrar.register(tags: tag, 2, 3) { _ in Part(name: tag) }
        }
      }
    }
    #expect(try container.resolve(Part.self, tags: "one").name == "one")
    #expect(try container.resolve(Part.self, tags: 2, "two").name == "two")
    #expect(try container.resolve(Part.self, tags: 3, "three", 2).name == "three")
  }

  @Test("A resolve by key loads the registration")
  func byKey() throws {
    let plugin = parts("a")
    #expect(try container.resolve(key: Key<Part>(tags: "part", "a")).name == "a")
    #expect(plugin.loads.count == 1)
  }

  @Test("A resolve with arguments, by type and by key, loads the registration, even if the arguments are cast")
  func byArguments() throws {
    let plugin = LazyPlugin(container) { registrar in
      registrar.register(tags: "a") { (_: any Resolver, name: String) in Part(name: "a \(name)") }
      registrar.register(tags: "b", 1) { (_: any Resolver, name: any Greeting) in Part(name: "b \(name.text)") }
      registrar.register(tags: "c") { (_: any Resolver, name: String, count: Int) in Part(name: "\(name) \(count)") }
    }
    #expect(try container.resolve(Part.self, tags: "b", 1, args: Hello()).name == "b hello")
    #expect(try container.resolve(Part.self, tags: "a", args: "text").name == "a text")
    #expect(try container.resolve(key: Key<Part>(tags: "c"), args: "text", 2).name == "text 2")
    #expect(plugin.loads.count == 1)
  }

  @Test("A loaded singleton is created once")
  func singleton() throws {
    let plugin = parts("a", lifetime: .singleton)
    let part = try container.resolve(Part.self, tags: "part", "a")
    #expect(try container.resolve(Part.self, tags: "part", "a") === part)
    #expect(plugin.loads.count == 1)
  }

  @Test(
    "An asynchronous resolve loads a registration of any context", arguments: [Lifetime.transient, .singleton])
  func asynchronously(lifetime: Lifetime) async throws {
    for kind in ["any", "async", "main"] {
      let plugin = LazyPlugin(container) { registrar in
        switch kind {
        case "async":
          registrar.register(Part.self, tags: kind, lifetime: lifetime) { _ async in Part(name: kind) }
        case "main":
          registrar.register(Part.self, isolation: MainActor.shared, tags: kind, lifetime: lifetime) { _ in Part(name: kind) }
        default: registrar.register(Part.self, tags: kind, lifetime: lifetime) { _ in Part(name: kind) }
        }
      }
      #expect(try await container.resolve(Part.self, tags: kind).name == kind)
      #expect(plugin.loads.count == 1)
    }
    let all = try await container.resolve([Part].self)
    #expect(all.map(\.name) == ["any", "async", "main"])
  }

  @Test("Asynchronous resolves by type and key, of optionals, arrays and sets load their registrations")
  func asynchronouslyComposed() async throws {
    let plugins = [1, 2, 3, 4, 5].map { number in
      LazyPlugin(container) { registrar in
        if number == 1 { registrar.register { _ async in 1 } } else { registrar.register(tags: number) { _ async in number } }
      }
    }
    #expect(try await container.resolve(Int.self) == 1)
    #expect(try await container.resolve(key: Key<Int>(tags: 2)) == 2)
    #expect(try await container.resolve(Int?.self, tags: 3) == 3)
    #expect(try await container.resolve([Int].self, tags: 4) == [4])
    #expect(try await container.resolve(Set<Int>.self) == [1, 2, 3, 4, 5])
    #expect(plugins.map(\.loads.count) == [1, 1, 1, 1, 1])
  }

  @MainActor
  @Test(
    "A main-actor resolve loads a registration, alone and in optionals, arrays and sets",
    arguments: [Lifetime.transient, .singleton])
  func onMain(lifetime: Lifetime) throws {
    for number in 1...4 {
      _ = LazyPlugin(container) { registrar in
        registrar.register(Int.self, isolation: MainActor.shared, tags: number, lifetime: lifetime) { _ in number }
      }
    }
    #expect(try container.resolve(Int.self, isolation: MainActor.shared, tags: 1) == 1)
    #expect(try container.resolve(key: Key<Int>(tags: 2), isolation: MainActor.shared) == 2)
    #expect(try container.resolve(Int?.self, isolation: MainActor.shared, tags: 3) == 3)
    #expect(try container.resolve([Int].self, isolation: MainActor.shared) == [1, 2, 3, 4])
    _ = LazyPlugin(container) { registrar in registrar.register(Int.self, tags: 5, lifetime: lifetime) { _ in 5 } }
    #expect(try container.resolve(Set<Int>.self, isolation: MainActor.shared) == [1, 2, 3, 4, 5])
  }

  @Test("A lazy resolver does not load a registration until it resolves, in every context")
  func lazily() async throws {
    let plugins = [1, 2, 3].map { number in
      LazyPlugin(container) { registrar in registrar.register(tags: number) { _ in Part(name: "\(number)") } }
    }
    func lazy(_ number: Int) throws -> LazyResolver<Part> { try container.resolve(tags: number) }
    let lazy = try [1, 2, 3].map { try lazy($0) }
    #expect(plugins.map(\.loads.count) == [0, 0, 0])
    #expect(try { try lazy[0].resolve().name }() == "1")
    #expect(try await lazy[1].resolve().name == "2")
    #expect(try await MainActor.run { try lazy[2].resolve(isolation: MainActor.shared).name } == "3")
    #expect(plugins.map(\.loads.count) == [1, 1, 1])
  }

  @Test("auto loads the dependencies, in every context")
  func automatic() async throws {
    _ = LazyPlugin(container) { $0.register { _ in Part(name: "a") } }
    _ = LazyPlugin(container) { $0.register(factory: auto(Pair.init)) }
    _ = LazyPlugin(container) { $0.register { _ in 1 } }
    #expect(try { try container.resolve(Pair.self).part.name }() == "a")
    let other = Container()
    _ = LazyPlugin(other) { $0.register { _ async in Part(name: "b") } }
    other.register(Int.self) { _ in 2 }
    other.register(factory: auto { (part: Part, number: Int) async in Pair(part: part, number: number) })
    #expect(try await other.resolve(Pair.self).part.name == "b")
    let main = Container()
    _ = LazyPlugin(main) { $0.register(isolation: MainActor.shared) { _ in Part(name: "c") } }
    _ = LazyPlugin(main) { $0.register(isolation: MainActor.shared, factory: mainauto { (part: Part) in [part] }) }
    #expect(try await main.resolve([Part].self).map(\.name) == ["c"])
  }

  @Test("An optional, an array and a set load their registrations")
  func composed() throws {
    let plugins = [1, 2, 3].map { number in LazyPlugin(container) { $0.register(tags: number) { _ in number } } }
    #expect(try container.resolve(Int?.self, tags: 1) == 1)
    #expect(plugins.map(\.loads.count) == [1, 0, 0])
    #expect(try container.resolve([Int].self, tags: 2) == [2])
    #expect(plugins.map(\.loads.count) == [1, 1, 0])
    #expect(try container.resolve(Set<Int>.self) == [1, 2, 3])
    #expect(plugins.map(\.loads.count) == [1, 1, 1])
    #expect(try container.resolve(Int??.self, tags: 3) == 3)
  }

  @Test("A pending registration of the array type is loaded and takes precedence over one of elements")
  func registeredArray() throws {
    _ = LazyPlugin(container) { $0.register([Int].self) { _ in [7] } }
    container.register(Int.self) { _ in 1 }
    #expect(try container.resolve([Int].self) == [7])
  }

  @Test("A resolve through a child loads the parent's registration")
  func nested() async throws {
    let child = Container(parent: Container(parent: container))
    let plugins = ["a", "b", "c"].map { parts($0) }
    child.register(tags: "part", "own") { _ in Part(name: "own") }
    #expect(try { try child.resolve(Part.self, tags: "part", "a").name }() == "a")
    #expect(try await child.resolve(Part.self, tags: "part", "b").name == "b")
    #expect(try { try child.resolve([Part].self, tags: "part").map(\.name) }() == ["a", "b", "c", "own"])
    #expect(plugins.map(\.loads.count) == [1, 1, 1])
  }

  @Test("A registration that a child overrides is not loaded")
  func overridden() throws {
    let plugin = parts("a")
    let child = Container(parent: container)
    child.register(tags: "part", "a") { _ in Part(name: "own") }
    #expect(try child.resolve(Part.self, tags: "part", "a").name == "own")
    #expect(try child.resolve([Part].self, tags: "part").map(\.name) == ["own"])
    #expect(plugin.loads.count == 0)
  }

  @Test("A resolve by entry loads the registration, and works if it has been loaded since")
  func byEntry() throws {
    let plugin = LazyPlugin(container) { registrar in
      registrar.register(tags: "a") { (_: any Resolver, name: String) in Part(name: name) }
      registrar.register(tags: "b") { _ in Part(name: "b") }
    }
    let entries = container.entries(of: Part.self, including: [])
    #expect(try (container.instance(of: entries[0], arguments: ["text"]) as? Part)?.name == "text")
    #expect(plugin.loads.count == 1)
    #expect(try (container.instance(of: entries[0], arguments: ["again"]) as? Part)?.name == "again")
    #expect(try (container.instance(of: entries[1], arguments: []) as? Part)?.name == "b")
    container.unregister(owner: plugin.owner)
    let error = try #require(throws: ResolutionError.self) { try container.instance(of: entries[1], arguments: []) }
    #expect(error.reason.name == "notFound")
  }

  @Test("Of several registrations with one key, only the one that takes the arguments is loaded")
  func overloaded() throws {
    container.register(tags: "a") { (_: any Resolver, number: Int) in Part(name: "\(number)") }
    let plugin = LazyPlugin(container) { registrar in
      registrar.register(tags: "a") { (_: any Resolver, name: String) in Part(name: name) }
    }
    #expect(try container.resolve(Part.self, tags: "a", args: 1).name == "1")
    #expect(plugin.loads.count == 0)
    #expect(try container.resolve(Part.self, tags: "a", args: "text").name == "text")
    #expect(plugin.loads.count == 1)
  }

  @Test(
    "A pending registration for any arguments is removed by its load, in favor of the loaded factory")
  func anyArguments() throws {
    let load: @Sendable () -> Void = { [container] in container.register(tags: "a") { (_: any Resolver, number: Int) in number }
    }
    container.add(.pending(Int.self, tags: TagList(Set(elements: "a")), lifetime: .transient, argumentTypes: nil, load: load))
    #expect(try container.resolve(Int.self, tags: "a", args: 3) == 3)
    #expect(container.entries(of: Int.self, including: []).count == 1)
  }

  // MARK: Arrays

  @Test("An array loads all pending members in order and keeps their order")
  func arrayOrder() throws {
    let journal = Journal()
    container.register(tags: "part") { _ in Part(name: "first") }
    for name in ["b", "a", "c"] {
      let owner = Owner(name: name)
      let entries = ["\(name)1", "\(name)2"].map { tag in
        Entry.pending(Part.self, tags: TagList(Set(elements: "part", tag)), lifetime: .transient, argumentTypes: []) {
          [container] in
          journal.write(tag)
          let entries = ["\(name)2", "\(name)1"].map { tag in
            Entry.plain(Part.self, tags: TagList(Set(elements: "part", tag)), lifetime: .transient) { _ in Part(name: tag) }
          }
          container.replace(owner: owner, with: entries, owner: owner)
        }
      }
      container.add(entries, owner: owner)
    }
    container.register(tags: "part", 1) { _ in Part(name: "last") }
    let names = ["first", "b1", "b2", "a1", "a2", "c1", "c2", "last"]
    #expect(try container.resolve([Part].self, tags: "part").map(\.name) == names)
    #expect(journal.lines == ["b1", "b2", "a1", "a2", "c1", "c2"])
    #expect(try container.resolve([Part].self, tags: "part").map(\.name) == names)
    #expect(journal.lines.count == 6)
  }

  @Test("An array contains registrations that its members' loads add, and loads the pending ones among them")
  func arrayGrows() throws {
    let owner = Owner(name: "first")
    container.add(
      [
        .pending(Int.self, tags: TagList(Set(elements: 1)), lifetime: .transient, argumentTypes: []) { [container] in
          container.replace(
            owner: owner, with: [.plain(Int.self, tags: TagList(Set(elements: 1)), lifetime: .singleton) { _ in 1 }],
            owner: owner)
          container.register(tags: 2) { _ in 2 }
          _ = LazyPlugin(container) { $0.register(tags: 3) { _ in 3 } }
        }
      ], owner: owner)
    #expect(try container.resolve([Int].self) == [1, 2, 3])
  }

  @Test("An array does not contain a registration that its load removes")
  func arrayShrinks() throws {
    container.register(tags: 1) { _ in 1 }
    container.add(
      .pending(Int.self, tags: TagList(Set(elements: 2)), lifetime: .transient, argumentTypes: []) { [container] in
        container[Key<Int>(tags: 2)] = nil
      })
    #expect(try container.resolve([Int].self) == [1])
  }

  // MARK: Copies under another key

  @Test(
    "A pending entry may be set under another key, also of another type",
    arguments: [Lifetime.transient, .singleton])
  func alias(lifetime: Lifetime) throws {
    let plugin = LazyPlugin(container) { registrar in
      registrar.register(Hello.self, tags: "a", lifetime: lifetime) { _ in Hello() }
    }
    let entry = try #require(container[Key<Hello>(tags: "a")])
    container[Key<Hello>(tags: "b")] = entry
    container[Key<any Greeting>(tags: "c")] = container[Key<Hello>(tags: "b")]
    container[Key<Int>(tags: "d")] = entry
    #expect(plugin.loads.count == 0)
    #expect(container.find(Criteria<any Greeting>(op: .subset)).count == 1)
    #expect(try container.resolve((any Greeting).self, tags: "c").text == "hello")
    #expect(try container.resolve([Hello].self).count == 2)
    let error = try #require(throws: ResolutionError.self) { try container.resolve(Int.self, tags: "d") }
    #expect(error.reason.name == "invalidInstanceType")
    #expect(container.find(Criteria<Hello>(op: .subset)).count == 2)
  }

  @Test("A registration that replaces a pending one takes precedence, and an unregistered one is not found")
  func replacedOrRemoved() throws {
    let plugin = parts("a", "b", "c")
    container.register(tags: "part", "a") { _ in Part(name: "other") }
    #expect(try container.resolve(Part.self, tags: "part", "a").name == "other")
    #expect(container.unregister(owner: plugin.owner) == 2)
    #expect(try container.resolve(Part?.self, tags: "part", "b") == nil)
    #expect(plugin.loads.count == 0)
  }

  @Test("A pending entry may be registered again after its load")
  func again() throws {
    let entry = Entry.pending(Int.self, tags: TagList([]), lifetime: .singleton, argumentTypes: []) { [container] in
      container.register { _ in 1 }
    }
    for _ in 0..<3 {
      container.add(entry)
      #expect(try container.resolve(Int.self) == 1)
    }
  }
}
