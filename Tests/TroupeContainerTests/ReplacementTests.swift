import Testing
import TroupeContainer

@Suite("A replacement swaps an owner's registrations in one change", .timeLimit(.minutes(60)))
struct ReplacementTests {
  /// An instance with its tag and the version of the plugin that created it.
  private final class Part: Sendable {
    let name: String
    init(name: String) { self.name = name }
  }

  /// Returns the entries of a version of a plugin: parts with the tag "part" and a unique tag.
  private func parts(_ version: Int, _ tags: [String], lifetime: Lifetime = .transient) -> [Entry] {
    tags.map { tag in
      Entry.plain(Part.self, tags: TagList(Set(elements: "part", tag)), lifetime: lifetime) { _ in
        Part(name: "\(tag)\(version)")
      }
    }
  }

  private func names(_ container: Container) throws -> [String] {
    try container.resolve([Part].self, tags: "part").map(\.name)
  }

  @Test(
    "A replacement removes the old registrations and adds the new ones, each under its owner",
    arguments: [Lifetime.transient, .singleton])
  func owners(lifetime: Lifetime) throws {
    let container = Container()
    let (first, second) = (Owner(name: "plugin"), Owner(name: "plugin"))
    container.add(parts(1, ["a", "b"], lifetime: lifetime), owner: first)
    #expect(try names(container) == ["a1", "b1"])
    container.replace(owner: first, with: parts(2, ["b", "c"], lifetime: lifetime), owner: second)
    #expect(try names(container) == ["b2", "c2"])
    #expect(try container.resolve(Part?.self, tags: "part", "a") == nil)
    #expect(container[Key<Part>(tags: "part", "a")] == nil)
    #expect(container.find(Criteria<Part>(op: .subset)).count == 2)
    #expect(container.unregister(owner: first) == 0)
    #expect(container.unregister(owner: second) == 2)
    #expect(try names(container) == [])
  }

  @Test("The old and the new registrations may have the same owner")
  func sameOwner() throws {
    let container = Container()
    let owner = Owner(name: "plugin")
    container.add(parts(1, ["a", "b"]), owner: owner)
    container.replace(owner: owner, with: parts(2, ["b", "c", "d"]), owner: owner)
    #expect(try names(container) == ["b2", "c2", "d2"])
    #expect(container.unregister(owner: owner) == 3)
  }

  @Test("A replacement removes nothing for a nil owner and for an owner without registrations")
  func nothing() throws {
    let container = Container()
    container.add(parts(1, ["a"]), owner: nil)
    container.replace(owner: nil, with: parts(1, ["b"]), owner: Owner(name: "first"))
    container.replace(owner: Owner(name: "none"), with: parts(1, ["c"]), owner: Owner(name: "second"))
    #expect(try names(container) == ["a1", "b1", "c1"])
  }

  @Test("A replacement with the key of an old registration takes its position in arrays, and the others are appended")
  func order() throws {
    let container = Container()
    let owner = Owner(name: "plugin")
    container.add(parts(0, ["first"]), owner: nil)
    container.add(parts(1, ["a", "b", "c"]), owner: owner)
    container.add(parts(0, ["last"]), owner: nil)
    container.replace(owner: owner, with: parts(2, ["new", "c", "a"]), owner: owner)
    let expected = ["first0", "a2", "c2", "last0", "new2"]
    #expect(try names(container) == expected)
    #expect(try container.resolve([Part].self).map(\.name) == expected)
    container.add(parts(0, ["end"]), owner: nil)
    container.replace(owner: owner, with: parts(3, ["new", "b", "c", "a"]), owner: owner)
    #expect(try names(container) == ["first0", "a3", "c3", "last0", "new3", "end0", "b3"])
  }

  @Test(
    "Positions in arrays persist through many replacements among many registrations",
    arguments: [Lifetime.transient, .singleton])
  func manyTimes(lifetime: Lifetime) throws {
    let container = Container()
    let owners = (0..<3).map { Owner(name: "plugin \($0)") }
    let tags = (0..<60).map { "\($0)." }
    for (number, tag) in tags.enumerated() { container.add(parts(0, [tag], lifetime: lifetime), owner: owners[number % 3]) }
    var versions = [0, 0, 0]
    for round in 1...300 {
      let plugin = round * 7 % 3
      versions[plugin] = round
      let own = tags.indices.filter { $0 % 3 == plugin }.map { tags[$0] }
      let order = round % 2 == 0 ? own : own.reversed()
      container.replace(owner: owners[plugin], with: parts(round, order, lifetime: lifetime), owner: owners[plugin])
      #expect(try names(container) == tags.indices.map { "\(tags[$0])\(versions[$0 % 3])" })
      #expect(try container.resolve(Part.self, tags: "part", own[3]).name == "\(own[3])\(round)")
    }
    for owner in owners { #expect(container.unregister(owner: owner) == 20) }
    #expect(try names(container) == [])
  }

  @Test("Types are replaced separately, and a registration without tags keeps its position")
  func types() throws {
    let container = Container()
    let owner = Owner(name: "plugin")
    func entries(_ version: Int) -> [Entry] {
      [
        Entry.plain(Int.self, tags: TagList([]), lifetime: .transient) { _ in version },
        Entry.plain(String.self, tags: TagList([]), lifetime: .transient) { _ in "\(version)" },
      ]
    }
    container.add(entries(1), owner: owner)
    container.register(Int.self, tags: "other") { _ in 0 }
    container.replace(owner: owner, with: entries(2).reversed(), owner: owner)
    #expect(try container.resolve([Int].self) == [2, 0])
    #expect(try container.resolve([String].self) == ["2"])
    #expect(try container.resolve(Int.self) == 2)
  }

  @Test("Of registrations with one key, each takes the position of the one with its argument types")
  func arguments() throws {
    let container = Container()
    let owner = Owner(name: "plugin")
    func register(_ version: Int, in registrar: any Registrar, reversed: Bool) {
      let registrations = [
        { registrar.register(String.self, tags: "a") { _ in "none \(version)" } },
        { registrar.register(String.self, tags: "a") { (_: any Resolver, number: Int) in "\(number) \(version)" } },
        { registrar.register(String.self, tags: "a") { (_: any Resolver, number: Double) in "\(number) \(version)" } },
      ]
      for registration in reversed ? registrations.reversed() : registrations { _ = registration() }
    }
    register(1, in: container.registrar(owner: owner), reversed: false)
    let next = Container()
    register(2, in: next, reversed: true)
    let entries = next.entries(of: String.self, including: [])
    let known = container.entries(of: String.self, including: []).map { $0.argumentTypes?.map { "\($0)" } }
    container.replace(owner: owner, with: entries, owner: owner)
    #expect(container.entries(of: String.self, including: []).map { $0.argumentTypes?.map { "\($0)" } } == known)
    #expect(try container.resolve(String.self, tags: "a") == "none 2")
    #expect(try container.resolve(String.self, tags: "a", args: 1) == "1 2")
    #expect(try container.resolve(String.self, tags: "a", args: 0.5) == "0.5 2")
  }

  @Test("A replacement with the key of another owner's registration replaces that registration")
  func collision() throws {
    let container = Container()
    let (owner, other) = (Owner(name: "plugin"), Owner(name: "other"))
    container.add(parts(1, ["a"]), owner: owner)
    container.add(parts(7, ["b"]), owner: other)
    container.add(parts(0, ["end"]), owner: nil)
    container.replace(owner: owner, with: parts(2, ["b", "a"]), owner: owner)
    #expect(try names(container) == ["a2", "end0", "b2"])
    #expect(container.unregister(owner: other) == 0)
    #expect(container.unregister(owner: owner) == 2)
  }

  @Test("Of two replacements with one key, the last counts and takes the position of the old registration")
  func twice() throws {
    let container = Container()
    let owner = Owner(name: "plugin")
    container.add(parts(1, ["a"]), owner: owner)
    container.add(parts(0, ["end"]), owner: nil)
    let entries = parts(2, ["a", "b"]) + parts(3, ["a", "b"])
    container.replace(owner: owner, with: entries, owner: owner)
    #expect(try names(container) == ["a3", "end0", "b3"])
    #expect(container.unregister(owner: owner) == 2)
  }

  @Test("With the policy keep, another owner's registration and the first of two replacements stay")
  func keepPolicy() throws {
    let container = Container(collisions: .keep)
    let owner = Owner(name: "plugin")
    container.add(parts(1, ["a", "c"]), owner: owner)
    container.add(parts(7, ["b"]), owner: nil)
    container.replace(owner: owner, with: parts(2, ["a", "b", "c"]) + parts(3, ["a", "d"]), owner: owner)
    #expect(try names(container) == ["a2", "c2", "b7", "d3"])
  }

  @Test("With the policy fail, the replacement of a key is not a collision")
  func failPolicy() throws {
    let container = Container(collisions: .fail)
    let owner = Owner(name: "plugin")
    container.add(parts(1, ["a", "b"]), owner: owner)
    container.replace(owner: owner, with: parts(2, ["b", "a"]), owner: owner)
    #expect(try names(container) == ["a2", "b2"])
  }

  @Test("With the policy fail, the key of another owner's registration ends the program")
  func failPolicyCollision() async {
    await #expect(processExitsWith: .failure) {
      let container = Container(collisions: .fail)
      let owner = Owner(name: "plugin")
      container.register(Int.self, tags: "taken") { _ in 1 }
      container.add([Entry.plain(Int.self, tags: TagList(Set(elements: "own")), lifetime: .transient) { _ in 1 }], owner: owner)
      let entries = ["own", "taken"].map { tag in
        Entry.plain(Int.self, tags: TagList(Set(elements: tag)), lifetime: .transient) { _ in 2 }
      }
      container.replace(owner: owner, with: entries, owner: owner)
    }
  }

  @Test("A registered entry that is replaced by itself loses its instance")
  func again() throws {
    let container = Container()
    let owner = Owner(name: "plugin")
    let entries = parts(1, ["a", "b"], lifetime: .singleton)
    container.add(entries, owner: owner)
    let before = try container.resolve([Part].self, tags: "part")
    container.replace(owner: owner, with: entries, owner: owner)
    let after = try container.resolve([Part].self, tags: "part")
    #expect(after.map(\.name) == ["a1", "b1"])
    #expect(zip(before, after).allSatisfy { $0 !== $1 })
  }

  @Test(
    "A waiter receives a singleton that is replaced during its creation, and later callers the new one")
  func underway() throws {
    let container = Container()
    let owner = Owner(name: "plugin")
    let (begun, replaced) = (Rendezvous(2), Rendezvous(2))
    container.registrar(owner: owner).register(Part.self, tags: "part", "a", lifetime: .singleton) { _ in
      begun.meet()
      replaced.meet()
      return Part(name: "a1")
    }
    let parts = try onThreads(2) { thread in
      if thread == 0 { return try container.resolve(Part.self, tags: "part", "a").name }
      begun.meet()
      container.replace(owner: owner, with: self.parts(2, ["a"], lifetime: .singleton), owner: owner)
      let new = try container.resolve(Part.self, tags: "part", "a").name
      replaced.meet()
      return new
    }
    #expect(parts == ["a1", "a2"])
    #expect(try container.resolve(Part.self, tags: "part", "a").name == "a2")
  }

  @Test(
    "Replaced singletons are released at once, the newest first, and may use the container when deinitialized")
  func released() throws {
    final class Closing: Sendable {
      let name: String
      let container: Container
      let journal: Journal
      init(_ name: String, _ container: Container, _ journal: Journal) {
        (self.name, self.container, self.journal) = (name, container, journal)
      }
      deinit {
        container.register(Int.self, tags: name) { _ in 1 }
        journal.write("\(name) \((try? container.resolve([Part].self, tags: "part").map(\.name)) ?? [])")
      }
    }
    let (container, journal) = (Container(), Journal())
    let owner = Owner(name: "plugin")
    for name in ["first", "second"] {
      container.registrar(owner: owner).register(Closing.self, tags: name, lifetime: .singleton) { [unowned container] _ in
        Closing(name, container, journal)
      }
    }
    _ = try container.resolve([Closing].self)
    container.replace(owner: owner, with: parts(2, ["a"]), owner: owner)
    #expect(journal.lines == [#"second ["a2"]"#, #"first ["a2"]"#])
    #expect(try container.resolve([Int].self) == [1, 1])
  }

  @Test("A replacement does not affect instances that callers hold")
  func instancesStay() throws {
    let container = Container()
    let owner = Owner(name: "plugin")
    container.add(parts(1, ["a"], lifetime: .singleton), owner: owner)
    let old = try container.resolve(Part.self, tags: "part", "a")
    container.replace(owner: owner, with: parts(2, ["a"], lifetime: .singleton), owner: owner)
    #expect(old.name == "a1")
    #expect(try container.resolve(Part.self, tags: "part", "a").name == "a2")
  }

  @Test("An assembly of the replaced owner may be assembled again")
  func assemblies() async throws {
    struct Numbers: Assembly {
      func register(in registrar: any Registrar) { registrar.register(Int.self) { _ in 1 } }
    }
    let container = Container()
    let owner = Owner(name: "plugin")
    container.registrar(owner: owner).register(assembly: Numbers())
    try await container.assemble()
    container.replace(owner: owner, with: [], owner: owner)
    #expect(try await container.resolve(Int?.self) == nil)
    container.registrar(owner: owner).register(assembly: Numbers())
    try await container.assemble()
    #expect(try await container.resolve(Int.self) == 1)
  }

  @Test("A child uses a replacement in its parent")
  func nested() throws {
    let parent = Container()
    let child = Container(parent: parent)
    let owner = Owner(name: "plugin")
    parent.add(parts(1, ["a", "b"]), owner: owner)
    child.add(parts(0, ["own"]), owner: nil)
    parent.replace(owner: owner, with: parts(2, ["b", "a"]), owner: owner)
    #expect(try names(child) == ["a2", "b2", "own0"])
    #expect(try child.resolve(Part.self, tags: "part", "b").name == "b2")
  }

  @Test("A rejected replacement changes nothing, and the reason is returned")
  func rejection() throws {
    let container = Container()
    let (first, second) = (Owner(name: "first"), Owner(name: "second"))
    container.add(parts(1, ["a", "b"]), owner: first)
    let reason = container.replace(owner: first, with: parts(2, ["b", "c"]), owner: second) {
      container.ownEntries(including: Set(elements: "part")).isEmpty ? nil : "taken"
    }
    #expect(reason == "taken")
    #expect(try names(container) == ["a1", "b1"])
    #expect(container.entries(owner: second).isEmpty)
    #expect(container.replace(owner: first, with: parts(2, ["b"]), owner: second) { String?.none } == nil)
    #expect(try names(container) == ["b2"])
  }

  @Test("The entries of a container are in the order of registration, of all types, and exclude those of a parent")
  func ownEntries() {
    let container = Container(parent: Container())
    container.parent?.register(Int.self, tags: "a") { _ in 0 }
    container.register(String.self, tags: "a", "b") { _ in "" }
    container.register(Int.self, tags: "a") { _ in 1 }
    container.register(Double.self, tags: "b") { _ in 2 }
    let all = container.ownEntries(including: [])
    #expect(
      all.map(\.key) == [AnyKey(String.self, tags: "a", "b"), AnyKey(Int.self, tags: "a"), AnyKey(Double.self, tags: "b")])
    #expect(container.ownEntries(including: Set(elements: "a")).map(\.key) == all.prefix(2).map(\.key))
    #expect(container.ownEntries(including: Set(elements: "c")).isEmpty)
  }
}
