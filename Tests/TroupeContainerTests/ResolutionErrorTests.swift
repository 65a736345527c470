import Testing
@testable import TroupeContainer

@Suite("A resolution error names the problem, the dependency path and similar registrations", .timeLimit(.minutes(60)))
struct ResolutionErrorTests {
  @Test(
    "The description of an error has the problem and the key",
    arguments: [
      (ResolutionError.Reason.notFound, #"nothing is registered as Swift.Int ["a"]"#),
      (.invalidArgsType, #"the factory registered as Swift.Int ["a"] takes other arguments"#),
      (
        .invalidInstanceType,
        #"the factory registered as Swift.Int ["a"] made something that is not a Swift.Int; register it under the type of what it makes"#
      ),
      (
        .cycle([AnyKey(Int.self, tags: "a"), AnyKey(Int.self, tags: "a")]),
        #"Swift.Int ["a"] needs itself: Swift.Int ["a"] → Swift.Int ["a"]; have one of them take a LazyResolver of the next"#
      ),
      (.error(SampleError()), #"Swift.Int ["a"] could not be made: SampleError()"#),
    ])
  func description(reason: ResolutionError.Reason, text: String) {
    #expect(ResolutionError(Key<Int>(tags: "a"), reason: reason).description == text)
    #expect("\(ResolutionError(AnyKey(Int.self, tags: "a"), reason: reason))" == text)
  }

  @Test("The error for a missing dependency names the dependency, not its dependent")
  func missing() throws {
    let container = Container()
    container.register(Int.self) { resolver in try resolver.resolve(String.self, tags: "name").count }
    let error = try #require(throws: ResolutionError.self) { try container.resolve(Int.self) }
    #expect(error.reason.name == "notFound")
    #expect(error.key == Key<String>(tags: "name"))
  }

  /// Returns a line of this file as the source location after a key.
  private func at(_ line: Int) -> String { " (TroupeContainerTests/ResolutionErrorTests.swift:\(line))" }

  private struct Service: Sendable {}
  private enum Other { struct Service: Sendable {} }

  /// Returns the descriptions of the errors in each context, that of the synchronous resolve first.
  @MainActor
  private func descriptions<T>(_ container: Container, _ key: Key<T>) async throws -> [String] {
    let onMain = try #require(throws: ResolutionError.self) {
      _ = try container.resolve(key: key, isolation: MainActor.shared)
    }
    let sync = try #require(throws: ResolutionError.self) { _ = try container.resolve(key: key) }
    let async = try await #require(throws: ResolutionError.self) { _ = try await container.resolve(key: key) }
    return [sync, async, onMain].map(\.description)
  }

  @Test("The error for a missing key names it and the registrations of its type, those with most of the tags first")
  func otherTags() throws {
    let container = Container(parent: Container())
    for number in 0..<10 { container.register(Int.self, tags: "other", number) { _ in number } }
    let line = #line + 1
    container.parent?.register(Int.self, tags: "wanted", "b") { _ in 0 }
    container.register(Int.self) { _ in 0 }
    let error = try #require(throws: ResolutionError.self) { try container.resolve(Int.self, tags: "wanted", "a", "b") }
    let text = #"nothing is registered as Swift.Int ["a", "b", "wanted"]; registered are Swift.Int ["b", "wanted"]"#
    #expect(error.description.hasPrefix(text + at(line) + ", "))
    #expect(error.description.hasSuffix(#"; leave out "a" for Swift.Int ["b", "wanted"]"#))
    #expect(error.description.count { $0 == "[" } == 6)
  }

  @Test(
    "The error for tags that no registration has exactly says which tags to request",
    arguments: [
      (["a"], [["a", "b"]], "name all its tags, or resolve an array"),
      ([], [["a"], ["b"]], "name all tags of one of them, or resolve an array"),
      (["a", "b", "c"], [["a"]], #"leave out "b", "c""#),
      (["a", "b"], [["b", "x"], ["a"]], #"leave out "b" for Swift.Int ["a"]"#),
      (["a"], [[]], #"leave out "a""#),
      (["a", "b"], [["a", "x"]], nil),
      (["a"], [["b"]], nil),
    ] as [([String], [[String]], String?)])
  func tagRule(wanted: [String], registered: [[String]], advice: String?) throws {
    let container = Container()
    func key(_ tags: [String]) -> Key<Int> { Key(tagset: Set(tags.map { AnySendableHashable($0) })) }
    for tags in registered { container.register(key: key(tags)) { _ in 1 } }
    let error = try #require(throws: ResolutionError.self) { try container.resolve(key: key(wanted)) }
    let parts = error.description.split(separator: "; ").map(String.init)
    #expect(parts.count == (advice == nil ? 2 : 3) && parts[1].hasPrefix("registered are "))
    if let advice { #expect(parts.last == advice) }
  }

  @Test("Of registrations that share as many tags, the error names those with fewer others first")
  func nearestTags() throws {
    let container = Container()
    container.register(Int.self, tags: "a", "x", "y") { _ in 1 }
    container.register(Int.self, tags: "a", "z") { _ in 2 }
    let error = try #require(throws: ResolutionError.self) { try container.resolve(Int.self, tags: "a") }
    let list = #"registered are Swift.Int ["a", "z"]"#
    #expect(error.description.contains(list), "\(error)")
  }

  @Test("The error for a missing key names each type with the same name from another scope once")
  func otherModule() throws {
    let container = Container()
    let line = #line + 1
    container.register(Other.Service.self) { _ in Other.Service() }
    container.register(Other.Service.self) { (_, number: Int) in Other.Service() }
    let error = try #require(throws: ResolutionError.self) { try container.resolve(Service.self) }
    let (wanted, other) = (typeName(Service.self), typeName(Other.Service.self))
    #expect(error.description == "nothing is registered as \(wanted); registered are \(other)\(at(line))")
  }

  @Test("The error for a missing protocol or superclass shows how to register it, unless a registration exists")
  func conformance() throws {
    class Base {}
    final class Derived: Base {}
    let container = Container()
    container.register { _ in Hello() }
    let line = #line + 1
    container.register { _ in Derived() }
    let greeting = typeName((any Greeting).self)
    let error = try #require(throws: ResolutionError.self) { try container.resolve((any Greeting).self) }
    let rule = "; what conforms to it is found only if it is registered as (any \(greeting)).self"
    #expect(error.description == "nothing is registered as \(greeting)" + rule)
    let greetingLine = #line + 1
    container.register((any Greeting).self, tags: "a") { _ in Hello() }
    let tagged = try #require(throws: ResolutionError.self) { try container.resolve((any Greeting).self) }
    let nearest = #"\#(greeting) ["a"]"# + at(greetingLine) + "; name all its tags, or resolve an array"
    #expect(tagged.description == "nothing is registered as \(greeting); registered are \(nearest)")
    let (base, derived) = (typeName(Base.self), typeName(Derived.self))
    let superclass = try #require(throws: ResolutionError.self) { _ = try container.resolve(Base.self) }
    let list = "nothing is registered as \(base); registered are \(derived)\(at(line))"
    #expect(superclass.description == list + "; a subclass is found only if it is registered as \(base).self")
    // All types conform to these.
    for text in [
      try #require(throws: ResolutionError.self) { _ = try container.resolve(Any.self) }.description,
      try #require(throws: ResolutionError.self) { _ = try container.resolve(AnyObject.self) }.description,
    ] { #expect(!text.contains(";")) }
  }

  @Test("The description of an error is the same after later registrations and after the end of the container")
  func outlivesContainer() throws {
    struct Waiting: Assembly { func register(in registrar: any Registrar) {} }
    func errors(_ container: Container) -> [ResolutionError] {
      container.register(Other.Service.self, tags: "a") { _ in Other.Service() }
      container.register(Int.self, tags: "b") { _ in 1 }
      container.parent?.register(assembly: Waiting())
      func error<T>(_ key: Key<T>) -> ResolutionError? {
        #expect(throws: ResolutionError.self) { _ = try container.resolve(key: key) }
      }
      return [error(Key<Service>()), error(Key<Int>(tags: "b", "c")), error(Key<any Greeting>())].compactMap { $0 }
    }
    var container: Container? = Container(parent: Container())
    weak let weakContainer = container
    let errors = try errors(#require(container))
    let before = errors.map(\.withoutLocations)
    container?.register(Int.self, tags: "b", "c", "d") { _ in 1 }
    container?.unregister(key: Key<Other.Service>(tags: "a"))
    #expect(errors.map(\.withoutLocations) == before)
    container = nil
    #expect(weakContainer == nil)
    #expect(errors.map(\.withoutLocations) == before)
    let waiting = "; not assembled yet: TroupeContainerTests.ResolutionErrorTests.(Waiting); call assemble() before you resolve"
    let service = "TroupeContainerTests.ResolutionErrorTests.(Service)"
    let other = #"TroupeContainerTests.ResolutionErrorTests.(Other).Service ["a"]"#
    let greeting = "TroupeContainerTests.Greeting"
    #expect(
      before == [
        "nothing is registered as \(service); registered are \(other)" + waiting,
        #"nothing is registered as Swift.Int ["b", "c"]; registered are Swift.Int ["b"]; leave out "c""# + waiting,
        "nothing is registered as \(greeting); what conforms to it is found only if it is registered as (any \(greeting)).self"
          + waiting,
      ])
  }

  /// A tag that notes at its release whether the thread is reading a container.
  private final class NotingTag: Hashable, Sendable {
    let journal: Journal

    init(_ journal: Journal) { self.journal = journal }

    deinit { journal.write(EpochDomain.shared.pointee.record.pointee.isReading ? "reading" : "released") }

    static func == (left: NotingTag, right: NotingTag) -> Bool { left === right }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
  }

  @Test("A tag that only the samples for errors keep is released while its thread does not read the container")
  func releasedSamples() throws {
    let (container, owner, journal) = (Container(), Owner(name: "owner"), Journal())
    container.registrar(owner: owner).register(Int.self, tags: NotingTag(journal)) { _ in 1 }
    #expect(throws: ResolutionError.self) { try container.resolve(String.self) }
    container.unregister(owner: owner)
    // Each commit frees what earlier ones removed.
    for number in 0..<4 { container.register(UInt.self, tags: number) { _ in 1 } }
    #expect(journal.lines.isEmpty)
    #expect(throws: ResolutionError.self) { try container.resolve(String.self) }
    #expect(journal.lines == ["released"])
  }

  @Test("An error in a large container names the registrations with the requested tags")
  func largeContainer() throws {
    let container = Container()
    for number in 0..<1000 { container.register(Int.self, tags: number) { _ in number } }
    container.register(Int.self, tags: "wanted", "more") { _ in 1 }
    let error = try #require(throws: ResolutionError.self) { try container.resolve(Int.self, tags: "wanted", "a") }
    #expect(error.description.contains(#"registered are Swift.Int ["more", "wanted"]"#), "\(error)")
  }

  @Test("Private types with one name are not taken for copies of one type")
  func privateNamesakes() throws {
    func other() -> any Any.Type {
      struct Local {}
      return Local.self
    }
    struct Local {}
    let container = Container()
    container.add(
      Entry.plain(Int.self, tags: TagList([]), lifetime: .transient) { _ in 1 }.copied(
        to: AnyKey(metatype: other(), tagset: [])))
    let error = try #require(throws: ResolutionError.self) { try container.resolve(Local.self) }
    let name = "TroupeContainerTests.ResolutionErrorTests.(Local)"
    #expect(
      error.description == "nothing is registered as \(name); registered are \(name)"
        + "; that is another private type of the same name, of another file or function")
  }

  @Test("The error for a missing key names no registrations if none are similar")
  func nothingNear() throws {
    let error = try #require(throws: ResolutionError.self) { try Container().resolve(Int.self) }
    #expect(error.description == "nothing is registered as Swift.Int")
  }

  @MainActor
  @Test("The error has the path in every context, through collections, optionals, lazy resolvers and parents")
  func chain() async throws {
    let container = Container(parent: Container())
    let line = #line + 1
    container.parent?.register(UInt.self, tags: "a") { resolver in UInt(try resolver.resolve(Double.self)) }
    container.register(UInt.self, tags: "b") { resolver in
      try LazyResolver<[UInt]>(tags: "a", with: resolver).resolve().reduce(0, +)
    }
    container.register(UInt8.self, lifetime: .singleton) { resolver in
      UInt8(try resolver.resolve(UInt?.self, tags: "b") ?? 0)
    }
    container.register(Set<Int>.self) { resolver in try Set(resolver.resolve(Set<UInt8>.self).map { Int($0) }) }
    let path =
      #"Swift.Set<Swift.Int>\#(at(line + 7)) → Swift.UInt8\#(at(line + 4)) → Swift.UInt ["b"]\#(at(line + 1)) → "#
      + #"Swift.UInt ["a"]\#(at(line)) → Swift.Double"#
    let notFound = try await descriptions(container, Key<Set<Int>>())
    #expect(notFound == Array(repeating: "nothing is registered as Swift.Double; dependency path: \(path)", count: 3))
    container.register(Double.self) { (_, number: Int) in Double(number) }
    container[Key<Double>()] = nil
    for lifetime in [Lifetime.transient, .singleton] {
      let line = #line + 1
      container.register(Double.self, lifetime: lifetime) { _ async in 1 }
      // A synchronous factory cannot wait, in any context of the resolve.
      let asynchronous = try await descriptions(container, Key<Set<Int>>())
      for text in asynchronous {
        #expect(
          text.hasPrefix(#"the factory registered as Swift.Double\#(at(line)) is asynchronous, and that of Swift.UInt ["a"]"#))
        #expect(text.hasSuffix("; dependency path: \(path)"))
      }
    }
  }

  /// Returns the description of the error of a synchronous resolve.
  private func description<T>(_ container: Container, _ key: Key<T>) throws -> String {
    let error = try #require(throws: ResolutionError.self) { _ = try container.resolve(key: key) }
    return error.description
  }

  @MainActor
  @Test("The error for a wrong context has a remedy for the caller or for the factory that needs the key")
  func contexts() throws {
    let container = Container()
    let line = #line + 1
    container.register(Double.self) { _ async in 1 }
    container.register(Float.self, isolation: MainActor.shared) { _ in 1 }
    container.register(factory: auto { (number: Double) in Int(number) })
    container.register(factory: auto { (number: Float) in UInt(number) })
    let asynchronous = "the factory registered as Swift.Double\(at(line)) is asynchronous"
    let isolated = "the factory registered as Swift.Float\(at(line + 1)) runs on Swift.MainActor"
    #expect(try description(container, Key<Double>()) == asynchronous + "; resolve it with await, in an asynchronous function")
    let remedy = "; resolve it there with isolation: MainActor.shared, or with await"
    #expect(try description(container, Key<Float>()) == isolated + remedy)
    let waiting =
      ", and that of Swift.Int, which needs it, does not wait; let that wait, as auto { (…) async in … } and "
      + "{ resolver async throws in … } do; dependency path: Swift.Int\(at(line + 2)) → Swift.Double"
    #expect(try description(container, Key<Int>()) == asynchronous + waiting)
    let moving =
      ", and that of Swift.UInt, which needs it, does not wait; let that run there, with mainauto and isolation: "
      + "MainActor.shared, or wait, as auto { (…) async in … } does; dependency path: Swift.UInt\(at(line + 3)) → Swift.Float"
    #expect(try description(container, Key<UInt>()) == isolated + moving)
    // An injection waits if its caller does.
    final class Target { var number = 0.0 }
    container.into(injectable: Target.self).inject { target, resolver in
      target.number = try resolver.resolve()
      return target
    }.register()
    let error = try #require(throws: ResolutionError.self) { try container.resolve(into: Target()) }
    #expect(error.description.hasPrefix(asynchronous + "; inject it with await"))
  }

  @Test(
    "An error below asynchronous and main-actor factories has the path"
  )
  func asyncChain() async throws {
    let container = Container()
    let line = #line + 1
    container.register(UInt8.self, isolation: MainActor.shared, lifetime: .singleton) { resolver in
      UInt8(try resolver.resolve(Double.self, tags: 1))
    }
    container.register(UInt16.self, lifetime: .singleton) { resolver in
      UInt16(try await resolver.resolve([UInt8].self).count)
    }
    container.register(UInt32.self) { resolver async throws in UInt32(try await resolver.resolve(UInt16.self)) }
    container.register(UInt64.self) { resolver async throws in UInt64(try await resolver.resolve(UInt32?.self) ?? 0) }
    let outerPath = "Swift.UInt64\(at(line + 7)) → Swift.UInt32\(at(line + 6)) → Swift.UInt16"
    let path = outerPath + "\(at(line + 3)) → Swift.UInt8\(at(line)) → Swift.Double [1]"
    let notFound = try await #require(throws: ResolutionError.self) { try await container.resolve(UInt64.self) }
    #expect(notFound.description == "nothing is registered as Swift.Double [1]; dependency path: \(path)")
  }

  @Test("The errors for a required actor and for a released container have the path")
  func otherReasons() async throws {
    let container = Container()
    let line = #line + 2
    container.register(UInt8.self, isolation: MainActor.shared, lifetime: .singleton) { _ in 1 }
    container.register(UInt16.self) { resolver in UInt16(try resolver.resolve(UInt8.self)) }
    let lazy = LazyResolver<Int>(with: Container())
    container.register(UInt32.self) { _ in UInt32(try lazy.resolve()) }
    let isolated = try #require(throws: ResolutionError.self) { try container.resolve(UInt16.self) }
    #expect(isolated.description.hasSuffix("; dependency path: Swift.UInt16\(at(line)) → Swift.UInt8"))
    let gone = try #require(throws: ResolutionError.self) { try container.resolve(UInt32.self) }
    #expect(gone.description.hasSuffix("lazy resolvers are used; dependency path: Swift.UInt32\(at(line + 2)) → Swift.Int"))
  }

  @Test("The error for wrong arguments names the given and the expected types, in every context")
  func arguments() async throws {
    let container = Container()
    let line = #line + 1
    container.register(String.self, tags: "sync") { (_, number: Int, id: Bool?) in "" }
    container.register(String.self, tags: "async") { (_, number: Int, id: Bool?) async in "" }
    container.register(String.self, isolation: MainActor.shared, tags: "main") { (_, number: Int, id: Bool?) in "" }
    for (index, tag) in ["sync", "async", "main"].enumerated() {
      let location = "TroupeContainerTests/ResolutionErrorTests.swift:\(line + index)"
      let factory =
        "the factory registered as Swift.String [\"\(tag)\"] takes (Swift.Int, Swift.Optional<Swift.Bool>) (\(location))"
      let error = try await #require(throws: ResolutionError.self) {
        try await container.resolve(String.self, tags: tag, args: "one", UInt8(2))
      }
      #expect(error.description == "\(factory) and was given (Swift.String, Swift.UInt8)")
      let none = try await #require(throws: ResolutionError.self) { try await container.resolve(String.self, tags: tag) }
      #expect(none.description == "\(factory) and was given no arguments")
    }
  }

  @Test("The error for wrong arguments names the expected types of each of several factories")
  func severalArguments() throws {
    let container = Container(parent: Container())
    let line = #line + 1
    container.register(String.self) { (_, number: Int) in "" }
    container.register(String.self) { _ in "" }
    container.parent?.register(String.self) { (_, number: Double) in "" }
    container.register(Int.self) { resolver in try resolver.resolve(String.self, args: true).count }
    let error = try #require(throws: ResolutionError.self) { try container.resolve(Int.self) }
    let lines = (0..<3).map { "(TroupeContainerTests/ResolutionErrorTests.swift:\(line + $0))" }
    #expect(
      error.description
        == "the factories registered as Swift.String take no arguments \(lines[1]) or (Swift.Int) \(lines[0]) or "
        + "(Swift.Double) \(lines[2]) and were given (Swift.Bool); dependency path: Swift.Int\(at(line + 3)) → Swift.String")
  }
}
