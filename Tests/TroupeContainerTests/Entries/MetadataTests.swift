import Testing

@testable import TroupeContainer

private struct Granularity: Equatable, Sendable {
  var meters: Int
}

@Suite("An entry returns its metadata by type, without making an instance")
struct MetadataTests {
  private let container = Container()

  @Test("Metadata is read with its type without creating an instance")
  func read() throws {
    let key = container.annotated(metadata: Granularity(meters: 4)).register(Int.self, lifetime: .singleton) { _ in
      Issue.record("the factory ran")
      return 1
    }
    let entry = try #require(container[key])
    #expect(entry.metadata(as: Granularity.self) == Granularity(meters: 4))
    #expect(entry.metadata as? Granularity == Granularity(meters: 4))
    #expect(entry.lifetime == .singleton)
    #expect((container as any Resolver)[AnyKey(key)]?.metadata(as: Granularity.self)?.meters == 4)
  }

  @Test("Metadata of another type and missing metadata are nil")
  func otherType() throws {
    let (with, without) = (Key<Int>(tags: "with"), Key<Int>(tags: "without"))
    container.annotated(metadata: Granularity(meters: 4)).register(key: with) { _ in 1 }
    container.register(key: without) { _ in 1 }
    #expect(container[with]?.metadata(as: String.self) == nil)
    #expect(container[with]?.metadata(as: Granularity?.self) == .some(.some(Granularity(meters: 4))))
    #expect(container[with]?.metadata(as: (any Equatable).self) != nil)
    let plain = try #require(container[without])
    #expect(plain.metadata == nil)
    #expect(plain.metadata(as: Granularity.self) == nil)
    #expect(plain.metadata(as: Granularity?.self) == nil)
    #expect(plain.detailsBox == nil)
  }

  private struct Info: RegistrantInfo {
    let metadata: [String: String]
  }

  @Test("The texts of a registrant are metadata beside a value of the registration, which comes first")
  func registrant() throws {
    let registrar = container.annotated(registrantInfo: Info(metadata: ["unit": "m"]))
    let (both, texts) = (Key<Int>(tags: "both"), Key<Int>(tags: "texts"))
    registrar.annotated(metadata: Granularity(meters: 4)).register(key: both) { _ in 1 }
    registrar.register(key: texts) { _ in 1 }
    container.annotated(registrantInfo: Info(metadata: [:])).register(Int.self, tags: "none") { _ in 1 }
    for key in [both, texts] { #expect(container[key]?.metadata(as: [String: String].self) == ["unit": "m"]) }
    #expect(container[both]?.metadata as? Granularity == Granularity(meters: 4))
    #expect(container[texts]?.metadata as? [String: String] == ["unit": "m"])
    #expect(container[texts]?.metadata(as: Granularity.self) == nil)
    #expect(container.filter(Int.self) { (texts: [String: String]) in texts["unit"] == "m" } == [both, texts])
    // Without texts there is no metadata.
    #expect(container[Key<Int>(tags: "none")]?.metadata == nil)
    #expect(container.filter(Int.self) { (_: [String: String]) in true } == [both, texts])
  }

  @Test("Metadata that is nil has its optional type and no other")
  func nothing() throws {
    let key = container.annotated(metadata: Int?.none).register(Int.self) { _ in 1 }
    let entry = try #require(container[key])
    #expect(entry.metadata != nil)
    #expect(entry.metadata(as: Int.self) == nil)
    #expect(entry.metadata(as: Int?.self) == .some(.none))
  }

  @Test("Every synchronous overload of register takes metadata")
  func verbs() throws {
    let line = #line + 2
    let keys = [
      container.annotated(metadata: 1).register(String.self) { _ in "a" },
      container.annotated(metadata: 1).register(String.self, tags: "b") { _ in "b" },
      container.annotated(metadata: 1).register(key: Key<String>(tags: "c"), lifetime: .singleton) { _ in "c" },
      container.annotated(metadata: 1).register(String.self, tags: "d") { (_, number: Int) in "d\(number)" },
      container.annotated(metadata: 1).register(key: Key<String>(tags: "e")) { (_, number: Int) in "e\(number)" },
      container.annotated(metadata: 1).register(String.self, tags: "f", instance: "f"),
      container.annotated(metadata: 1).register(tags: "g", lifetime: .singleton) { _ in "g" },
    ]
    for key in keys { #expect(container[key]?.metadata(as: Int.self) == 1) }
    #expect(try container.resolve(String.self, tags: "d", args: 7) == "d7")
    #expect(try container.resolve(String.self, tags: "f") == "f")
    #expect(container[keys[0]]?.location?.hasSuffix("MetadataTests.swift:\(line)") == true)
    container.annotated(metadata: 2).register(instance: "h")
    #expect(container[Key<String>()]?.metadata(as: Int.self) == 2)
  }

  @Test("A registrar attaches its metadata to every kind of registration through it, and to no other")
  @MainActor
  func annotated() async throws {
    struct Part: Sendable {}
    let registrar = container.annotated(metadata: Granularity(meters: 2))
    let object = Instance()
    let keys: [AnyKey] = [
      AnyKey(registrar.register(Int.self) { _ in 1 }),
      AnyKey(registrar.register(Int.self, tags: "async") { _ async in 2 }),
      AnyKey(registrar.register(Int.self, isolation: MainActor.shared, tags: "main") { _ in 3 }),
      AnyKey(registrar.register(Int.self, tags: "arguments") { (_, number: Int) in number }),
      AnyKey(registrar.register(instance: "text")),
      AnyKey(registrar.register(weak: object)),
      AnyKey(registrar.register(factory: auto(Part.init))),
      AnyKey(registrar.annotated(cached: true).register(Int.self, tags: "cached") { _ in 4 }),
    ]
    container.register(Double.self) { _ in 1 }
    for key in keys { #expect(container[key]?.metadata(as: Granularity.self)?.meters == 2, "\(key)") }
    #expect(container[Key<Double>()]?.metadata == nil)
    #expect(try await container.resolve(Int.self) == 1)
    #expect(try await container.resolve(Int.self, tags: "async") == 2)
    #expect(try container.resolve(Int.self, isolation: MainActor.shared, tags: "main") == 3)
    #expect(try await container.resolve(Int.self, tags: "arguments", args: 5) == 5)
    #expect(try await container.resolve(Instance.self) === object)
    #expect(container[keys[0]]?.location?.contains("MetadataTests.swift") == true)
  }

  @Test("The metadata closest to the registration takes precedence")
  func nearest() {
    let outer = container.annotated(metadata: "outer")
    outer.annotated(metadata: "own").register(Int.self, tags: 1) { _ in 1 }
    outer.annotated(metadata: "inner").register(Int.self, tags: 2) { _ in 1 }
    #expect(container[Key<Int>(tags: 1)]?.metadata(as: String.self) == "own")
    #expect(container[Key<Int>(tags: 2)]?.metadata(as: String.self) == "inner")
  }

  @Test("An annotated registrar works in a batch and for an owner")
  func layers() throws {
    let owner = Owner(name: "plugin")
    try container.batch { registrar in
      let annotated = registrar.annotated(metadata: 1)
      annotated.register(Int.self, tags: "batch") { _ in 1 }
      #expect(annotated[Key<Int>(tags: "batch")]?.metadata(as: Int.self) == 1)
      #expect(container[Key<Int>(tags: "batch")] == nil)
    }
    container.registrar(owner: owner).annotated(metadata: 2).register(Int.self, tags: "owner") { _ in 2 }
    #expect(container[Key<Int>(tags: "batch")]?.metadata(as: Int.self) == 1)
    #expect(container[Key<Int>(tags: "owner")]?.metadata(as: Int.self) == 2)
    #expect(container.unregister(owner: owner) == 1)
  }

  @Test("The subscript of an annotated registrar adds metadata to a copy and leaves the original unchanged")
  func subscripts() throws {
    let (first, second) = (Key<Int>(tags: 1), Key<Int>(tags: 2))
    container.register(key: first) { _ in 1 }
    let registrar = container.annotated(metadata: "copied")
    registrar[second] = container[first]
    #expect(container[second]?.metadata(as: String.self) == "copied")
    #expect(container[first]?.metadata == nil)
    #expect(try container.resolve(key: second) == 1)
    registrar[first] = nil
    #expect(container[first] == nil)
  }

  @Test("A registration that is copied to another key or type keeps its metadata")
  func copies() throws {
    let key = container.annotated(metadata: "number").register(Int.self) { _ in 1 }
    container[Key<Int>(tags: "copy")] = container[key]
    container[Key<Any>()] = container[key]
    let other = Container()
    other[key] = container[key]
    for entry in [container[Key<Int>(tags: "copy")], container[Key<Any>()], other[key]] {
      #expect(entry?.metadata(as: String.self) == "number")
    }
    #expect(try container.resolve(Any.self) as? Int == 1)
  }

  @Test("A replacing registration has its own metadata or none")
  func replaced() {
    let key = container.annotated(metadata: "first").register(Int.self) { _ in 1 }
    container.annotated(metadata: "second").register(Int.self) { _ in 1 }
    #expect(container[key]?.metadata(as: String.self) == "second")
    container.register(Int.self) { _ in 1 }
    #expect(container[key]?.metadata == nil)
  }

  @Test("An assembly registered through an annotated registrar registers without the metadata")
  func assembly() async throws {
    struct Numbers: Assembly {
      func register(in registrar: any Registrar) { registrar.register(instance: 1) }
    }
    container.annotated(metadata: "outer").register(assembly: Numbers())
    try await container.assemble()
    let entry = try #require(container[Key<Int>()])
    #expect(entry.metadata == nil)
  }

  @Test("Metadata is released with its registration")
  func released() {
    weak var object: Instance?
    do {
      let instance = Instance()
      object = instance
      container.annotated(metadata: instance).register(Int.self) { _ in 1 }
    }
    #expect(object != nil)
    container.unregister(key: Key<Int>())
    #expect(object == nil)
  }
}
