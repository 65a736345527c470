import Testing

@testable import TroupeContainer

/// Resolves the same registrations in all forms and contexts.
@Suite("All forms of resolve return the same instances", .timeLimit(.minutes(60)))
struct ResolveFormTests {
  private final class TestError: Error, Sendable {}

  /// A way to resolve one instance of a type, in one context.
  private struct Form<T: Sendable>: Sendable {
    let name: String
    /// Whether the form returns nil, and not an error, if there is no registration.
    var isOptional = false
    let resolve: @Sendable (Container) async throws -> T?
  }

  /// The forms for a registration without tags.
  private static func forms<T: Sendable>(_ type: T.Type) -> [Form<T>] {
    let key = Key<T>()
    func sync(
      _ name: String, isOptional: Bool = false, _ resolve: @escaping @Sendable (Container) throws -> T?
    ) -> Form<T> {
      Form(name: "sync " + name, isOptional: isOptional) { try resolve($0) }
    }
    func main(
      _ name: String, isOptional: Bool = false, _ resolve: @escaping @MainActor @Sendable (Container) throws -> T?
    ) -> Form<T> {
      Form(name: "main " + name, isOptional: isOptional) { container in try await MainActor.run { try resolve(container) } }
    }
    return [
      sync("type") { try $0.resolve(T.self) },
      sync("key") { try $0.resolve(key: key) },
      sync("any key") { try $0.resolve(key: AnyKey(key)) as? T },
      sync("cached") { try $0.resolve(key: Key<T>(), cached: true) },
      sync("past a cache") { try $0.resolve(key: Key<T>(), cached: false) },
      sync("if present", isOptional: true) { try $0.resolve(ifPresent: T.self) },
      sync("key if present", isOptional: true) { try $0.resolve(ifPresent: key) },
      sync("optional", isOptional: true) { try $0.resolve(T?.self) },
      sync("optional by key", isOptional: true) { try $0.resolve(key: Key<T?>()) },
      sync("array", isOptional: true) { try $0.resolve([T].self).first },
      sync("array by key", isOptional: true) { try $0.resolve(key: Key<[T]>()).first },
      sync("keys", isOptional: true) { try $0.resolve(keys: [key]).first },
      sync("any keys", isOptional: true) { try $0.resolve(keys: [AnyKey(key)]).first?.instance as? T },
      sync("lazy") { try $0.resolve(LazyResolver<T>.self).resolve() },
      Form(name: "async type") { try await $0.resolve(T.self) },
      Form(name: "async key") { try await $0.resolve(key: key) },
      Form(name: "async cached") { try await $0.resolve(key: Key<T>(), cached: true) },
      Form(name: "async if present", isOptional: true) { try await $0.resolve(ifPresent: T.self) },
      Form(name: "async key if present", isOptional: true) { try await $0.resolve(ifPresent: key) },
      Form(name: "async optional", isOptional: true) { try await $0.resolve(T?.self) },
      Form(name: "async array", isOptional: true) { try await $0.resolve([T].self).first },
      Form(name: "async keys", isOptional: true) { try await $0.resolve(keys: [key]).first },
      Form(name: "async lazy") { try await $0.resolve(LazyResolver<T>.self).resolve() },
      main("type") { try $0.resolve(T.self, isolation: MainActor.shared) },
      main("key") { try $0.resolve(key: key, isolation: MainActor.shared) },
      main("cached") { try $0.resolve(key: Key<T>(), isolation: MainActor.shared, cached: true) },
      main("if present", isOptional: true) { try $0.resolve(ifPresent: T.self, isolation: MainActor.shared) },
      main("key if present", isOptional: true) { try $0.resolve(ifPresent: key, isolation: MainActor.shared) },
      main("optional", isOptional: true) { try $0.resolve(T?.self, isolation: MainActor.shared) },
      main("array", isOptional: true) { try $0.resolve([T].self, isolation: MainActor.shared).first },
      main("keys", isOptional: true) { try $0.resolve(keys: [key], isolation: MainActor.shared).first },
    ]
  }

  /// The forms for a registration with the tags "a" and "b".
  private static func taggedForms<T: Sendable>(_ type: T.Type) -> [Form<T>] {
    let key = Key<T>(tags: "a", "b")
    let set: Set<AnySendableHashable> = [AnySendableHashable("a"), AnySendableHashable("b")]
    func sync(
      _ name: String, isOptional: Bool = false, _ resolve: @escaping @Sendable (Container) throws -> T?
    ) -> Form<T> {
      Form(name: "sync " + name, isOptional: isOptional) { try resolve($0) }
    }
    return [
      sync("tags") { try $0.resolve(T.self, tags: "a", "b") },
      sync("tags in another order") { try $0.resolve(T.self, tags: "b", "a") },
      sync("repeated tags") { try $0.resolve(T.self, tags: "a", "b", "a") },
      sync("erased tags") { try $0.resolve(T.self, tags: AnySendableHashable("a"), "b") },
      sync("key") { try $0.resolve(key: key) },
      sync("key of a set") { try $0.resolve(key: Key<T>(tagset: set)) },
      sync("if present", isOptional: true) { try $0.resolve(ifPresent: T.self, tags: "a", "b") },
      sync("optional", isOptional: true) { try $0.resolve(T?.self, tags: "a", "b") },
      sync("array by a tag", isOptional: true) { try $0.resolve([T].self, tags: "a").first },
      sync("array by two tags", isOptional: true) { try $0.resolve([T].self, tags: "b", "a").first },
      sync("keys", isOptional: true) { try $0.resolve(keys: [key]).first },
      sync("lazy") { try $0.resolve(LazyResolver<T>.self, tags: "a", "b").resolve() },
      Form(name: "async tags") { try await $0.resolve(T.self, tags: "a", "b") },
      Form(name: "async key") { try await $0.resolve(key: key) },
      Form(name: "async if present", isOptional: true) { try await $0.resolve(ifPresent: T.self, tags: "a", "b") },
      Form(name: "async optional", isOptional: true) { try await $0.resolve(T?.self, tags: "a", "b") },
      Form(name: "async array by a tag", isOptional: true) { try await $0.resolve([T].self, tags: "a").first },
      Form(name: "main tags") { container in
        try await MainActor.run { try container.resolve(T.self, isolation: MainActor.shared, tags: "a", "b") }
      },
    ]
  }

  /// Containers that find what `register` registers with a root: the root, a grandchild, a scope, and one that records dependencies.
  private static func containers(_ register: (Container) -> Void) -> [(name: String, container: Container)] {
    let root = Container()
    let recording = Container(learnsDependencies: true)
    register(root)
    register(recording)
    return [
      ("root", root), ("grandchild", Container(parent: Container(parent: root))), ("scope", root.scope()),
      ("recording", recording),
    ]
  }

  private static let allForms = forms(Instance.self) + taggedForms(Instance.self)

  private static func register(
    in container: Container, _ lifetime: Lifetime, _ factory: @escaping @Sendable () throws -> Instance
  ) {
    container.register(Instance.self, lifetime: lifetime) { _ in try factory() }
    container.register(Instance.self, tags: "a", "b", lifetime: lifetime) { _ in try factory() }
  }

  @Test("Each form returns the one instance of a singleton, synchronous or asynchronous, also if it is the first")
  func singletons() async throws {
    for forms in [Self.forms(Instance.self), Self.taggedForms(Instance.self)] {
      for first in forms.indices {
        let places = Self.containers { Self.register(in: $0, .singleton) { Instance() } }
        for (location, container) in places {
          let expected = try await forms[first].resolve(container)
          #expect(expected != nil, "\(forms[first].name), \(location)")
          for form in forms {
            let instance = try await form.resolve(container)
            // The array without tags has the tagged instance as well, and it comes second.
            #expect(instance === expected, "\(form.name) after \(forms[first].name), \(location)")
          }
        }
      }
    }
  }

  @Test("Each form makes a new instance of a transient")
  func transients() async throws {
    for (location, container) in Self.containers({ Self.register(in: $0, .transient) { Instance() } }) {
      var known: [ObjectIdentifier: Instance] = [:]
      for form in Self.allForms {
        let instance = try #require(try await form.resolve(container), "\(form.name), \(location)")
        #expect(known.updateValue(instance, forKey: ObjectIdentifier(instance)) == nil, "\(form.name), \(location)")
      }
    }
  }

  @Test("Each form returns the instance of the scope")
  func scoped() async throws {
    let root = Container()
    Self.register(in: root, .scoped) { Instance() }
    for forms in [Self.forms(Instance.self), Self.taggedForms(Instance.self)] {
      for first in forms.indices {
        let scope = root.scope()
        let expected = try await forms[first].resolve(scope)
        let other = try await forms[first].resolve(root)
        #expect(expected != nil && expected !== other)
        for form in forms {
          let instance = try await form.resolve(scope)
          #expect(instance === expected, "\(form.name) after \(forms[first].name)")
        }
      }
    }
  }

  @Test("Each form throws the error of the factory unchanged")
  func errors() async throws {
    let refusal = TestError()
    for (location, container) in Self.containers({ Self.register(in: $0, .transient) { throw refusal } }) {
      for form in Self.allForms {
        await #expect("\(form.name), \(location)") {
          _ = try await form.resolve(container)
        } throws: {
          ($0 as? TestError) === refusal
        }
      }
    }
  }

  @Test("Without a registration each form throws .notFound or returns nil")
  func missing() async throws {
    for (location, container) in Self.containers({ $0.register(Int.self) { _ in 1 } }) {
      for form in Self.allForms {
        if form.isOptional {
          let instance = try await form.resolve(container)
          #expect(instance == nil, "\(form.name), \(location)")
          continue
        }
        let error = await #expect(throws: ResolutionError.self, "\(form.name), \(location)") {
          _ = try await form.resolve(container)
        }
        guard case .notFound? = error?.reason else {
          Issue.record("\(form.name), \(location): \(String(describing: error))")
          continue
        }
      }
    }
  }

  @Test("Each form of an array has the instances in registration order, of factories of all kinds")
  func order() async throws {
    func register(_ container: Container) {
      for number in 0..<12 where number % 4 != 1 {
        container.register(Int.self, tags: "group", number, lifetime: number % 2 == 0 ? .transient : .singleton) { _ in number }
        container.register(Int.self, tags: "group", number, "other") { _ in number + 100 }
      }
    }
    let expected = (0..<12).filter { $0 % 4 != 1 }.flatMap { [$0, $0 + 100] }
    for (location, container) in Self.containers(register) {
      for _ in 0..<2 {
        for numbers in try Self.arrays(of: container) { #expect(numbers == expected, "\(location)") }
        let async = [
          try await container.resolve([Int].self), try await container.resolve([Int].self, tags: "group"),
          try await container.resolve(key: Key<[Int]>(tags: "group")),
          try await container.resolve(keys: container.filter(Int.self)),
        ]
        for numbers in async { #expect(numbers == expected, "async, \(location)") }
        let main = try await MainActor.run { try container.resolve([Int].self, isolation: MainActor.shared, tags: "group") }
        #expect(main == expected, "main actor, \(location)")
        let set = try await container.resolve(Set<Int>.self, tags: "group")
        #expect(set == Set(expected))
      }
    }
  }

  /// Resolves the numbers of a group in all synchronous forms.
  private static func arrays(of container: Container) throws -> [[Int]] {
    try [
      container.resolve([Int].self), container.resolve([Int].self, tags: "group"),
      container.resolve(key: Key<[Int]>(tags: "group")), container.resolve(ifPresent: [Int].self, tags: "group") ?? [],
      container.resolve([Int]?.self, tags: "group") ?? [], container.resolve(keys: container.filter(Int.self)),
      container.resolve(Set<Int>.self, tags: "group").sorted { $0 % 100 == $1 % 100 ? $0 < $1 : $0 % 100 < $1 % 100 },
    ]
  }

  @Test("A registration of an optional, an array or a lazy resolver itself comes before the instances of its parts")
  func registeredComposites() async throws {
    let container = Container()
    container.register(Int.self) { _ in 1 }
    container.register(Int?.self) { _ in 2 }
    container.register([Int].self) { _ in [3] }
    let lazy = LazyResolver<Int>(tags: "mine", with: container)
    container.register(LazyResolver<Int>.self) { _ in lazy }
    let child = Container(parent: Container(parent: container))
    for location in [container, child, container.scope()] {
      let sync = try Self.composites(of: location)
      #expect(sync.optional == 2 && sync.array == [3] && sync.lazy === lazy)
      let (optional, array) = (try await location.resolve(Int?.self), try await location.resolve([Int].self))
      let resolver = try await location.resolve(LazyResolver<Int>.self)
      #expect(optional == 2 && array == [3] && resolver === lazy)
      let number = try await location.resolve(ifPresent: Int.self)
      #expect(number == 1)
    }
  }

  private static func composites(of container: Container) throws -> (optional: Int?, array: [Int], lazy: LazyResolver<Int>) {
    try (container.resolve(Int?.self), container.resolve([Int].self), container.resolve(LazyResolver<Int>.self))
  }
}
