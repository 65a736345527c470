import Testing
import TroupeContainer
import TroupeScopes

private protocol Contract: AnyObject, Sendable {
  var word: String { get }
}

private class Base: @unchecked Sendable {}

private final class Implementation: Base, Contract, @unchecked Sendable {
  let word: String
  init(word: String = "made") { self.word = word }
}

private final class ResolvablePart: Base, Contract, Resolvable, @unchecked Sendable {
  let word: String
  init(scope: any DependencyResolutionScope) { word = scope.tryResolve() ?? "by itself" }
  init(word: String) { self.word = word }
}

/// The lifetimes with their methods.
enum Verb: CaseIterable, Sendable {
  case transient, scoped, singleton

  /// Whether resolves in one scope and in two scopes return the same instance.
  var isShared: (inScope: Bool, acrossScopes: Bool) {
    switch self {
    case .transient: (false, false)
    case .scoped: (true, false)
    case .singleton: (true, true)
    }
  }
}

@Suite("A builder registers in seven forms with three lifetimes")
struct RegistrationFormTests {
  private let builder = ContainerBuilder()

  @Test("A registration with a builder has its source location in every form, and one with a registry has none")
  func locations() {
    let first = #line + 1
    builder.transient { Implementation() }
    builder.scoped { scope in scope.resolve(Implementation.self).word }
    builder.singleton((any Contract).self) { Implementation() }
    builder.transient(Base.self) { scope in scope.resolve(Implementation.self) }
    builder.scoped(ResolvablePart.self)
    builder.singleton(AnyObject.self, assigned(Implementation.self))
    builder.transient((any Resolvable).self, assigned(ResolvablePart.self))
    let registry: any DependencyRegistry = builder
    registry.transient { 1 }
    let container = builder.build().container
    func location<T>(_ type: T.Type) -> String? { container.explain(type).answers.first?.registration.location }
    let locations = [
      location(Implementation.self), location(String.self), location((any Contract).self), location(Base.self),
      location(ResolvablePart.self),
      location(AnyObject.self), location((any Resolvable).self),
    ]
    #expect(locations == (0..<7).map { "TroupeScopesTests/RegistrationFormTests.swift:\(first + $0)" })
    #expect(container.explain(Int.self).outcome == .instance && location(Int.self) == nil)
  }

  /// Checks the identity of the instances in the root and in nested scopes.
  private func check<C>(_ contract: C.Type, _ verb: Verb, word: String = "made") {
    let root = builder.build()
    let first = root.scope()
    let scopes: [any DependencyResolutionScope] = [root, first, root.scope(), first.scope(), first.scope().scope()]
    var instances: [ObjectIdentifier] = []
    var kept: [AnyObject] = []
    for scope in scopes {
      for _ in 0..<2 {
        let (one, two) = (scope.resolve(contract) as AnyObject, scope.resolve() as C as AnyObject)
        #expect((one === two) == verb.isShared.inScope)
        #expect((one as? any Contract)?.word == word)
        kept += [one, two]
        instances.append(ObjectIdentifier(one))
      }
      #expect(scope.tryResolve(contract) != nil)
      let optional: C? = scope.resolve()
      #expect(optional != nil)
    }
    let count = verb == .transient ? 10 : verb == .scoped ? 5 : 1
    #expect(Set(instances).count == count)
  }

  @Test("Form 1 registers a function", arguments: Verb.allCases)
  func function(verb: Verb) {
    switch verb {
    case .transient: builder.transient { Implementation() }
    case .scoped: builder.scoped { Implementation() }
    case .singleton: builder.singleton { Implementation() }
    }
    check(Implementation.self, verb)
  }

  @Test("Form 2 registers a function of the scope", arguments: Verb.allCases)
  func functionOfScope(verb: Verb) {
    builder.transient { "from the scope" }
    switch verb {
    case .transient: builder.transient { scope in Implementation(word: scope.resolve()) }
    case .scoped: builder.scoped { scope in Implementation(word: scope.resolve()) }
    case .singleton: builder.singleton { scope in Implementation(word: scope.resolve()) }
    }
    check(Implementation.self, verb, word: "from the scope")
  }

  @Test("Form 3 registers a contract and a function", arguments: Verb.allCases)
  func contract(verb: Verb) {
    switch verb {
    case .transient: builder.transient((any Contract).self) { Implementation() }
    case .scoped: builder.scoped((any Contract).self) { Implementation() }
    case .singleton: builder.singleton((any Contract).self) { Implementation() }
    }
    check((any Contract).self, verb)
  }

  @Test("Form 4 registers a contract and a function of the scope", arguments: Verb.allCases)
  func contractOfScope(verb: Verb) {
    builder.transient { "from the scope" }
    switch verb {
    case .transient: builder.transient((any Contract).self) { scope in Implementation(word: scope.resolve()) }
    case .scoped: builder.scoped((any Contract).self) { scope in Implementation(word: scope.resolve()) }
    case .singleton: builder.singleton((any Contract).self) { scope in Implementation(word: scope.resolve()) }
    }
    check((any Contract).self, verb, word: "from the scope")
  }

  @Test("Form 5 registers a contract and a registered implementation", arguments: Verb.allCases)
  func assignment(verb: Verb) {
    builder.transient { Implementation() }
    switch verb {
    case .transient: builder.transient((any Contract).self, assigned(Implementation.self))
    case .scoped: builder.scoped((any Contract).self, assigned(Implementation.self))
    case .singleton: builder.singleton((any Contract).self, assigned(Implementation.self))
    }
    check((any Contract).self, verb)
  }

  @Test("Form 6 registers a resolvable type", arguments: Verb.allCases)
  func resolvable(verb: Verb) {
    switch verb {
    case .transient: builder.transient(ResolvablePart.self)
    case .scoped: builder.scoped(ResolvablePart.self)
    case .singleton: builder.singleton(ResolvablePart.self)
    }
    check(ResolvablePart.self, verb, word: "by itself")
  }

  @Test("Form 7 registers a contract and a resolvable type", arguments: Verb.allCases)
  func resolvableAssignment(verb: Verb) {
    switch verb {
    case .transient: builder.transient((any Contract).self, assigned(ResolvablePart.self))
    case .scoped: builder.scoped((any Contract).self, assigned(ResolvablePart.self))
    case .singleton: builder.singleton((any Contract).self, assigned(ResolvablePart.self))
    }
    check((any Contract).self, verb, word: "by itself")
  }

  @Test("An explicit registration of a resolvable type takes precedence over its initializer", arguments: Verb.allCases)
  func explicit(verb: Verb) {
    builder.transient { ResolvablePart(word: "explicit") }
    switch verb {
    case .transient: builder.transient((any Contract).self, assigned(ResolvablePart.self))
    case .scoped: builder.scoped((any Contract).self, assigned(ResolvablePart.self))
    case .singleton: builder.singleton((any Contract).self, assigned(ResolvablePart.self))
    }
    check((any Contract).self, verb, word: "explicit")
  }

  @Test("A resolvable type may be assigned to itself and to a superclass", arguments: Verb.allCases)
  func superclass(verb: Verb) {
    switch verb {
    case .transient:
      builder.transient(ResolvablePart.self, assigned(ResolvablePart.self))
      builder.transient(Base.self, assigned(ResolvablePart.self))
    case .scoped:
      builder.scoped(ResolvablePart.self, assigned(ResolvablePart.self))
      builder.scoped(Base.self, assigned(ResolvablePart.self))
    case .singleton:
      builder.singleton(ResolvablePart.self, assigned(ResolvablePart.self))
      builder.singleton(Base.self, assigned(ResolvablePart.self))
    }
    check(ResolvablePart.self, verb, word: "by itself")
    check(Base.self, verb, word: "by itself")
  }

  @Test("A scoped contract with a singleton implementation resolves to the singleton in every scope")
  func scopedContractOfSingleton() {
    builder.singleton { Implementation() }
    builder.scoped((any Contract).self, assigned(Implementation.self))
    let root = builder.build()
    #expect(root.resolve((any Contract).self) === root.scope().resolve((any Contract).self))
  }

  @Test("The methods of the protocol register in the same way")
  func registry() {
    func register(_ registry: some DependencyRegistry) {
      registry.transient { 1 }
      registry.scoped(String.self) { scope in "\(scope.resolve(Int.self))" }
      registry.singleton((any Contract).self, assigned(ResolvablePart.self))
    }
    register(builder)
    let root = builder.build()
    #expect(root.resolve((any Contract).self).word == "1")
  }

  @Test("The later of two registrations counts")
  func later() {
    builder.singleton((any Contract).self) { Implementation(word: "first") }
    builder.transient((any Contract).self) { Implementation(word: "second") }
    #expect(builder.build().resolve((any Contract).self).word == "second")
  }
}
