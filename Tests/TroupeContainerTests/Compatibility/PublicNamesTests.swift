import Foundation
import Testing
import TroupeContainer

// Every public name and label of Guise 11, used as in code for it. Many tests only show that the code compiles.

/// Types with initializers of each kind of parameter.
private struct One: Sendable {}
private struct Two: Sendable {}

private final class Zero: Sendable {}

private final class Single: Sendable {
  let one: One
  init(_ one: One) { self.one = one }
}

private final class Pair: Sendable {
  let (one, two): (One, Two)
  init(one: One, two: Two) throws { (self.one, self.two) = (one, two) }
}

private final class Many: Sendable {
  let count: Int
  init(_: One, _: Two, _ optional: Int?, _ array: [String], _ lazy: LazyResolver<One>, _: Zero) {
    count = (optional == nil ? 0 : 1) + array.count
  }
}

private final class Late: Sendable {
  let one: One
  init(one: One) async throws { self.one = one }
}

@MainActor
private final class View {
  let one: One
  init(one: One) throws { self.one = one }
}

@MainActor
private final class Bare {
  init() {}
}

@Suite("Keys, criteria and errors have the public names of Guise 11")
struct PublicKeyNamesTests {
  private enum Types: Hashable, Sendable { case plugin }

  @Test("Keyed is a type and a set of tags")
  func keyed() {
    func names(_ keyed: some Keyed) -> (String, Set<AnySendableHashable>) { (keyed.type, keyed.tagset) }
    func cross(_ keyed: some Keyed & Sendable & Hashable) -> Int { Set([keyed]).count }
    #expect(names(Key<Int>(tags: 1)) == ("Swift.Int", Set(elements: 1)))
    #expect(cross(AnyKey(Int.self)) == 1)
  }

  @Test("Keys are created from tags, from a set of tags and from each other")
  func keys() throws {
    let key = Key<String>(tags: "a", 1, Types.plugin)
    let tagset = Set<AnySendableHashable>(elements: Types.plugin, "a", 1)
    #expect(key == Key<String>(tagset: tagset))
    #expect(key == Key<String>(key as any Keyed))
    #expect(Key<Int>(key) == nil)
    let any = AnyKey(key)
    #expect(any == AnyKey(String.self, tagset: tagset))
    #expect(any == AnyKey(String.self, tags: 1, "a", Types.plugin))
    #expect(any == AnyKey(any as any Keyed))
    #expect(key == any && any == key)
    #expect(!(key != any) && !(any != key))
    let other = AnyKey(Int.self, tags: 1)
    #expect(key != other && other != key)
    #expect(try #require(Key<String>(any)) == key)
    #expect(Key<String>() == AnyKey(String.self))
  }

  @Test("Tags are created from values that are Hashable and Sendable")
  func tags() {
    let id = UUID()
    let tags: [AnySendableHashable] = [AnySendableHashable("a"), AnySendableHashable(id), AnySendableHashable(Types.plugin)]
    #expect(Set(tags) == Set<AnySendableHashable>(elements: "a", id, Types.plugin))
    #expect(Set<AnySendableHashable>(elements: "a").count == 1)
    #expect(Set<AnySendableHashable>().isEmpty)
    // Tags are accepted as tags.
    #expect(Key<Int>(tags: AnySendableHashable("a")) == Key<Int>(tags: "a"))
  }

  @Test("Criteria have a type, an operation and tags, and match keys")
  func criteria() {
    let key = Key<Int>(tags: "a", "b")
    let tagset = Set<AnySendableHashable>(elements: "a")
    let criteria: [Criteria<Int>] = [
      Criteria(op: .subset, tagset: tagset), Criteria(op: .subset, tags: "a"), Criteria<Int>(tagset: tagset),
      Criteria<Int>(tags: "a"), Criteria(from: key), Criteria<Int>(), Criteria(op: .subset),
      Criteria(op: .equal, tags: "a", "b"),
    ]
    #expect(criteria.map { $0.matches(key) } == [true, true, false, false, true, false, true, true])
    #expect(criteria.map { $0.matches(AnyKey(key)) } == [true, true, false, false, true, false, true, true])
    let type: String = criteria[0].type
    let op: Criteria<Int>.Op = criteria[0].op
    #expect(type == "Swift.Int" && op == .subset && criteria[0].tags == tagset)
    #expect(criteria[2].op == .equal && criteria[4].op == .equal && criteria[5].tags.isEmpty)
  }

  @Test("A resolver finds keys and entries, those of its parent included")
  func find() throws {
    let parent = Container()
    let container = Container(parent: parent)
    let first = parent.register(Int.self, tags: "a", 1) { _ in 1 }
    let second = container.register(Int.self, tags: "a", 2, lifetime: .singleton) { _ in 2 }
    let (resolver, registrar): (any Resolver, any Registrar) = (container, container)
    let keys: Set<Key<Int>> = resolver.find(Criteria(op: .subset, tags: "a"))
    #expect(keys == [first, second])
    #expect(resolver.find(Criteria(from: first)) == [first])
    #expect(parent.find(Criteria(from: second)) == [])
    let entry: Entry = try #require(resolver[second])
    #expect(entry.key == second && entry.lifetime == .singleton)
    #expect(resolver[AnyKey(first)]?.lifetime == .transient)
    #expect(registrar[second] === entry)
    registrar[Key<Int>(tags: "copy")] = entry
    #expect(try container.resolve(Int.self, tags: "copy") == 2)
    registrar[AnyKey(second)] = nil
    #expect(resolver[second] == nil)
  }

  @Test("An error has a key and one of the seven reasons of Guise or the new reason cycle")
  func errors() throws {
    func name(_ reason: ResolutionError.Reason) -> String {
      switch reason {
      case .notFound: "notFound"
      case .invalidArgsType: "invalidArgsType"
      case .invalidInstanceType: "invalidInstanceType"
      case .requiresAsync: "requiresAsync"
      case .requiresIsolation(let actor): "requiresIsolation \(actor === MainActor.shared)"
      case .noResolver: "noResolver"
      case .error(let error): "error \(error)"
      case .cycle: "cycle"
      }
    }
    let reasons: [ResolutionError.Reason] = [
      .notFound, .invalidArgsType, .invalidInstanceType, .requiresAsync, .requiresIsolation(MainActor.shared), .noResolver,
      .error(SampleError()),
    ]
    #expect(
      reasons.map(name) == [
        "notFound", "invalidArgsType", "invalidInstanceType", "requiresAsync", "requiresIsolation true", "noResolver",
        "error SampleError()",
      ])
    let error = ResolutionError(Key<Int>(tags: 1), reason: .notFound)
    let key: AnyKey = error.key
    #expect(key == Key<Int>(tags: 1))
    #expect(name(ResolutionError(key, reason: .noResolver).reason) == "noResolver")
  }

  @Test("A factory's own ResolutionError is thrown unchanged")
  func ownError() throws {
    let container = Container()
    container.register(Int.self) { _ in throw ResolutionError(AnyKey(String.self, tags: "mine"), reason: .invalidInstanceType) }
    let error = try #require(throws: ResolutionError.self) { try container.resolve(Int.self) }
    #expect(error.key == Key<String>(tags: "mine"))
    #expect(error.reason.name == "invalidInstanceType")
  }
}

@Suite("register has the public names of Guise 11")
struct PublicRegisterNamesTests {
  let container = Container()
  var registrar: any Registrar { container }

  @Test("register takes a key, with and without a lifetime")
  func byKey() throws {
    let key = Key<Int>(tags: "key")
    let given: Key<Int> = registrar.register(key: key) { _ in 1 }
    #expect(given == key)
    registrar.register(key: key, lifetime: .transient) { _ in 1 }
    registrar.register(key: key, lifetime: .singleton, factory: { _, number in number + 1 })
    #expect(try container.resolve(key: key) == 1)
    #expect(try container.resolve(key: key, args: 4) == 5)
  }

  @Test("register takes a key and an asynchronous factory")
  func byKeyAsync() async throws {
    let key = Key<Int>(tags: "key")
    registrar.register(key: key) { _ async in 1 }
    registrar.register(key: key, lifetime: .singleton) { (_, number: Int) async throws in number + 1 }
    #expect(try await container.resolve(key: key) == 1)
    #expect(try await container.resolve(key: key, args: 4) == 5)
  }

  @MainActor
  @Test("register takes a key and a main-actor factory")
  func byKeyMain() throws {
    let key = Key<Bare>(tags: "key")
    registrar.register(key: key, isolation: MainActor.shared) { _ in Bare() }
    registrar.register(key: key, isolation: MainActor.shared, lifetime: .singleton) { (_, _: Int) in Bare() }
    let one = try container.resolve(key: key, isolation: MainActor.shared, args: 1)
    let another = try container.resolve(key: key, isolation: MainActor.shared)
    #expect(one !== another)
  }

  @Test("register takes a type with every combination of labels")
  func byType() throws {
    registrar.register { _ in 1 }
    registrar.register(Int.self) { _ in 2 }
    registrar.register(Int.self, tags: "a") { _ in 3 }
    registrar.register(Int.self, tags: "a", "b", lifetime: .transient) { _ in 4 }
    registrar.register(Int.self, tags: "a", "b", "c", lifetime: .singleton, factory: { _ in 5 })
    registrar.register(tags: "d", lifetime: .singleton) { _ in 6 }
    registrar.register(Int.self, lifetime: .singleton) { (_: any Resolver, text: String) in text.count }
    registrar.register(tags: "e") { _ throws in 7 }
    #expect(try container.resolve() == 2)
    #expect(try container.resolve(Int.self, tags: "a") == 3)
    #expect(try container.resolve(tags: "b", "a") == 4)
    #expect(try container.resolve(Int.self, tags: "a", "b", "c") == 5)
    #expect(try container.resolve(tags: "d") == 6)
    #expect(try container.resolve(Int.self, args: "four") == 4)
    #expect(try container.resolve(Int.self, tags: "e") == 7)
  }

  @Test("register takes an expression with every combination of labels")
  func instance() throws {
    registrar.register(instance: 1)
    registrar.register(Int.self, instance: 2)
    registrar.register(Int.self, tags: "a", instance: 3)
    registrar.register(tags: "b", lifetime: .singleton, instance: 4)
    registrar.register((any Greeting).self, lifetime: .singleton, instance: Hello())
    #expect(try container.resolve([Int].self) == [2, 3, 4])
    #expect(try container.resolve((any Greeting).self).text == "hello")
  }

  @MainActor
  @Test("register takes the main actor with the labels in both orders")
  func main() throws {
    // The form in the README.
    registrar.register(isolation: MainActor.shared) { _ in Bare() }
    registrar.register(Bare.self, isolation: MainActor.shared) { _ in Bare() }
    registrar.register(Bare.self, isolation: MainActor.shared, tags: "a") { _ in Bare() }
    registrar.register(Bare.self, isolation: MainActor.shared, tags: "b", 1, lifetime: .singleton) { _ in Bare() }
    registrar.register(isolation: MainActor.shared, tags: "c", factory: { _ in Bare() })
    registrar.register(isolation: MainActor.shared, lifetime: .singleton) { (_, _: Int) in Bare() }
    // The form in the published release.
    registrar.register(Bare.self, tags: "d", isolation: MainActor.shared) { _ in Bare() }
    registrar.register(Bare.self, tags: "e", 1, lifetime: .singleton, isolation: MainActor.shared) { _ in Bare() }
    registrar.register(tags: "f", isolation: MainActor.shared) { (_, _: Int) in Bare() }
    registrar.register(lifetime: .singleton, isolation: MainActor.shared) { (_, _: String) in Bare() }
    // Expressions.
    registrar.register(isolation: MainActor.shared, instance: Bare())
    registrar.register(Bare.self, isolation: MainActor.shared, tags: "g", instance: Bare())
    registrar.register(Bare.self, isolation: MainActor.shared, tags: "h", lifetime: .singleton, instance: Bare())
    registrar.register(isolation: MainActor.shared, lifetime: .singleton, instance: One())
    #expect(container.find(Criteria<Bare>(op: .subset)).count == 9)
    _ = try container.resolve(Bare.self, isolation: MainActor.shared)
    _ = try container.resolve(Bare.self, isolation: MainActor.shared, tags: "e", 1)
    _ = try container.resolve(Bare.self, isolation: MainActor.shared, args: 1)
    _ = try container.resolve(Bare.self, isolation: MainActor.shared, tags: "f", args: 1)
    let given: One = try container.resolve(isolation: MainActor.shared)
    _ = given
  }

  @Test("auto takes any number of parameters and registers a factory, not an expression")
  func automatic() async throws {
    registrar.register(factory: auto(Zero.init))
    registrar.register(factory: auto(One.init))
    registrar.register(Two.self, factory: auto(Two.init))
    registrar.register(factory: auto(Single.init))
    registrar.register(lifetime: .singleton, factory: auto(Pair.init))
    registrar.register(tags: "many", factory: auto(Many.init))
    registrar.register(key: Key<Many>(tags: "key"), factory: auto(Many.init))
    registrar.register(tags: "a", instance: "one")
    registrar.register(tags: "b", instance: "two")
    registrar.register(factory: auto(Late.init))
    registrar.register(tags: "late", lifetime: .singleton, factory: auto(Late.init(one:)))
    func make() throws -> Many {
      _ = try container.resolve(Single.self)
      #expect(try container.resolve(Pair.self) === container.resolve(Pair.self))
      return try container.resolve(tags: "many")
    }
    #expect(try make().count == 2)
    #expect(try await container.resolve(key: Key<Many>(tags: "key")).count == 2)
    _ = try await container.resolve(Late.self)
    _ = try await container.resolve(Late.self, tags: "late")
    // The type of the named factory is not registered.
    #expect(registrar[Key<@Sendable (any Resolver) throws -> Zero>()] == nil)
  }

  @Test("auto and mainauto resolve dependencies without tags and arguments")
  func autoKeys() async throws {
    struct Part: Sendable { let number: Int }
    let container = Container()
    container.register(Int.self, tags: "a") { _ in 1 }
    container.register(Part.self, factory: auto(Part.init))
    container.register(Part.self, tags: "async", factory: auto { (number: Int) async in Part(number: number) })
    container.register(
      Part.self, isolation: MainActor.shared, tags: "main", factory: mainauto { (number: Int) in Part(number: number) })
    let keys = [Key<Part>(), Key<Part>(tags: "async"), Key<Part>(tags: "main")]
    for key in keys {
      let error = try await #require(throws: ResolutionError.self) { try await container.resolve(key: key) }
      #expect(error.key == Key<Int>())
      #expect(error.reason.name == "notFound")
    }
    container.register(Int.self) { (_, number: Int) in number }
    for key in keys {
      let error = try await #require(throws: ResolutionError.self) { try await container.resolve(key: key) }
      #expect(error.reason.name == "invalidArgsType")
    }
    container.register(Int.self) { _ in 2 }
    for key in keys { #expect(try await container.resolve(key: key).number == 2) }
  }

  @MainActor
  @Test("mainauto takes any number of parameters")
  func mainAutomatic() throws {
    registrar.register(instance: One())
    registrar.register(isolation: MainActor.shared, factory: mainauto(Bare.init))
    registrar.register(isolation: MainActor.shared, lifetime: .singleton, factory: mainauto(View.init))
    registrar.register(tags: "shipped", isolation: MainActor.shared, factory: mainauto(View.init(one:)))
    registrar.register(key: Key<View>(tags: "key"), isolation: MainActor.shared, factory: mainauto(View.init))
    _ = try container.resolve(Bare.self, isolation: MainActor.shared)
    let view = try container.resolve(View.self, isolation: MainActor.shared)
    let same: View = try container.resolve(isolation: MainActor.shared)
    #expect(same === view)
    #expect(try container.resolve(View.self, isolation: MainActor.shared, tags: "shipped") !== view)
    #expect(try container.resolve(key: Key<View>(tags: "key"), isolation: MainActor.shared) !== view)
  }

  @Test("Optionals, arrays, tuples, functions and metatypes may be registered")
  func types() throws {
    registrar.register(Int?.self) { _ in nil }
    registrar.register { _ in Bool?.some(true) }
    registrar.register([Int].self) { _ in [1, 2] }
    registrar.register([String].self, instance: ["a"])
    registrar.register(Set<Int>.self, lifetime: .singleton) { _ in [3] }
    registrar.register((Int, String).self) { _ in (1, "a") }
    registrar.register((() -> Int).self) { _ in { 4 } }
    registrar.register((@Sendable (Int) -> Int).self, instance: { $0 + 1 })
    registrar.register(Int.Type.self, instance: Int.self)
    registrar.register(Void.self) { _ in }
    registrar.register([String: Int].self, instance: ["a": 1])
    #expect(try container.resolve(Int?.self) == nil)
    #expect(try container.resolve(Bool?.self) == true)
    #expect(try container.resolve([Int].self) == [1, 2])
    #expect(try container.resolve([String].self) == ["a"])
    #expect(try container.resolve(Set<Int>.self) == [3])
    #expect(try container.resolve((Int, String).self) == (1, "a"))
    #expect(try container.resolve((() -> Int).self)() == 4)
    #expect(try container.resolve((@Sendable (Int) -> Int).self)(4) == 5)
    #expect(try container.resolve(Int.Type.self) == Int.self)
    #expect(try container.resolve([String: Int].self) == ["a": 1])
    try container.resolve(Void.self)
  }

  @Test("A tuple is one argument, and a tuple of one element is that element")
  func tuples() throws {
    registrar.register(tags: "pair") { (_, pair: (Int, String)) in "\(pair.0)\(pair.1)" }
    registrar.register(tags: "one") { (_, number: (Int)) in "\(number)" }
    #expect(try container.resolve(String.self, tags: "pair", args: (1, "a")) == "1a")
    #expect(try container.resolve(String.self, tags: ("one"), args: (1)) == "1")
    let error = try #require(throws: ResolutionError.self) { try container.resolve(String.self, tags: "pair", args: 1, "a") }
    #expect(error.reason.name == "invalidArgsType")
  }
}

@Suite("resolve has the public names of Guise 11")
struct PublicResolveNamesTests {
  let container = Container()
  var resolver: any Resolver { container }

  init() {
    container.register(tags: 0) { _ in [Int]() }
    container.register(tags: 1) { _, a in [a] as [Int] }
    container.register(tags: 2) { _, a, b in [a, b] as [Int] }
    container.register(tags: 3) { _, a, b, c in [a, b, c] as [Int] }
    container.register(tags: 4) { _, a, b, c, d in [a, b, c, d] as [Int] }
    container.register(tags: 5) { _, a, b, c, d, e in [a, b, c, d, e] as [Int] }
    container.register(tags: 6) { _, a, b, c, d, e, f in [a, b, c, d, e, f] as [Int] }
  }

  @Test("A synchronous resolve takes up to six arguments")
  func arguments() throws {
    #expect(try resolver.resolve([Int].self, tags: 0) == [])
    #expect(try resolver.resolve([Int].self, tags: 1, args: 1) == [1])
    #expect(try resolver.resolve([Int].self, tags: 2, args: 1, 2) == [1, 2])
    #expect(try resolver.resolve([Int].self, tags: 3, args: 1, 2, 3) == [1, 2, 3])
    #expect(try resolver.resolve([Int].self, tags: 4, args: 1, 2, 3, 4) == [1, 2, 3, 4])
    #expect(try resolver.resolve([Int].self, tags: 5, args: 1, 2, 3, 4, 5) == [1, 2, 3, 4, 5])
    #expect(try resolver.resolve([Int].self, tags: 6, args: 1, 2, 3, 4, 5, 6) == [1, 2, 3, 4, 5, 6])
    #expect(try resolver.resolve(key: Key<[Int]>(tags: 6), args: 1, 2, 3, 4, 5, 6) == [1, 2, 3, 4, 5, 6])
  }

  @Test("An asynchronous resolve takes up to six arguments")
  func asyncArguments() async throws {
    #expect(try await resolver.resolve([Int].self, tags: 0) == [])
    #expect(try await resolver.resolve([Int].self, tags: 1, args: 1) == [1])
    #expect(try await resolver.resolve([Int].self, tags: 2, args: 1, 2) == [1, 2])
    #expect(try await resolver.resolve([Int].self, tags: 6, args: 1, 2, 3, 4, 5, 6) == [1, 2, 3, 4, 5, 6])
    container.register(tags: "async") { (_, a: Int, b: String, c: Int?, d: [Int], e: Bool, f: Double) async in
      "\(a)\(b)\(c ?? 0)\(d)\(e)\(f)"
    }
    #expect(try await resolver.resolve(String.self, tags: "async", args: 1, "b", 3, [4], true, 6.5) == "1b3[4]true6.5")
    #expect(try await resolver.resolve(key: Key<[Int]>(tags: 3), args: 1, 2, 3) == [1, 2, 3])
  }

  @MainActor
  @Test("A main-actor resolve takes up to six arguments")
  func mainArguments() throws {
    #expect(try resolver.resolve([Int].self, isolation: MainActor.shared, tags: 0) == [])
    let six = try resolver.resolve([Int].self, isolation: MainActor.shared, tags: 6, args: 1, 2, 3, 4, 5, 6)
    #expect(six == [1, 2, 3, 4, 5, 6])
    container.register(isolation: MainActor.shared, tags: "main") { _, a, b, c, d, e, f in "\(a + b + c + d + e + f as Int)" }
    #expect(try resolver.resolve(String.self, isolation: MainActor.shared, tags: "main", args: 1, 2, 3, 4, 5, 6) == "21")
    let text: String = try resolver.resolve(
      key: Key(tags: "main"), isolation: MainActor.shared, args: 1, 2, 3, 4, 5, 6)
    #expect(text == "21")
  }

  @Test("A synchronous closure in an asynchronous context uses the synchronous resolve")
  func twins() async throws {
    let sync: (any Resolver) throws -> [Int] = { try $0.resolve(tags: 1, args: 7) }
    let async: (any Resolver) async throws -> [Int] = { try await $0.resolve(tags: 1, args: 7) }
    #expect(try sync(resolver) == [7])
    #expect(try await async(resolver) == [7])
  }

  @Test("The type of an optional is inferred from the variable it is assigned to")
  func inference() throws {
    container.register(instance: 7)
    let some: Int? = try resolver.resolve()
    let none: String? = try resolver.resolve()
    #expect(some == 7 && none == nil)
    if let number: Int = try resolver.resolve() as Int? { #expect(number == 7) } else { Issue.record("no number") }
    func take(_ number: Int, _ text: String?, _ texts: [String]) -> Int { number + (text?.count ?? 0) + texts.count }
    #expect(try take(resolver.resolve(), resolver.resolve(), resolver.resolve()) == 7)
  }
}

@Suite("Lazy resolvers and assemblies have the public names of Guise 11")
struct PublicOtherNamesTests {
  @Test("A lazy resolver is created with tags or a set of tags, and resolves")
  func lazy() async throws {
    let container = Container()
    let key = container.register(Int.self, tags: "a", 1) { (_, number: Int) in number }
    let resolvers = [
      LazyResolver<Int>(tags: "a", 1, with: container),
      LazyResolver<Int>(tagset: Set(elements: 1, "a"), with: container as any Resolver),
    ]
    for lazy in resolvers {
      #expect(lazy.key == key)
      #expect(try { try lazy.resolve(args: 7) }() == 7)
      #expect(try await lazy.resolve(args: 7) == 7)
      #expect(try await MainActor.run { try lazy.resolve(isolation: MainActor.shared, args: 7) } == 7)
    }
    #expect(LazyResolver<Int>(with: container).key == Key<Int>())
    let type: any LazyResolving.Type = LazyResolver<Int>.self
    let made = type.init(tagset: Set(elements: "b"), with: container)
    #expect((made as? LazyResolver<Int>)?.key == Key<Int>(tags: "b"))
  }

  private struct First: Assembly {
    func register(in registrar: any Registrar) { registrar.register(instance: 1) }
  }

  private final class Second: Assembly {
    func register(in registrar: any Registrar) { registrar.register(assemblies: First()) }
    func registered(to resolver: any Resolver) async throws {
      #expect(try await resolver.resolve(Int.self) == 1)
    }
  }

  @Test("A container is a resolver, a registrar and an assembler")
  func container() async throws {
    let parent = Container(parent: nil)
    let container: any Resolver & Registrar & Assembler = Container(parent: parent)
    let assembler: any Assembler = container
    assembler.register(assemblies: First())
    try await assembler.assemble()
    try await assembler.assemble(Second(), First())
    #expect(try await container.resolve(Int.self) == 1)
    let registrar: any Registrar = assembler
    registrar.register(assemblies: First(), Second())
  }

  @MainActor
  @Test("An assembler assembles on the main actor, also instances that belong to it")
  func mainAssembling() async throws {
    let assembler: any Assembler = Container()
    let second = Second()
    assembler.register(assemblies: second)
    try await assembler.assemble()
    try await assembler.assemble(First(), second)
  }

  @Test("Lifetime has the two cases of Guise and scoped")
  func lifetimes() {
    func name(_ lifetime: Lifetime) -> String {
      switch lifetime {
      case .singleton: "singleton"
      case .scoped: "scoped"
      case .transient: "transient"
      }
    }
    #expect([Lifetime.singleton, .scoped, .transient].map(name) == ["singleton", "scoped", "transient"])
  }
}
