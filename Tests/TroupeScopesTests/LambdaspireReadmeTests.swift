import Testing
import TroupeScopes

// The examples in Lambdaspire's README in their order and wording, with `any` before protocols, which the settings of this
// package require. Where the README applies `@Resolvable`, the generated initializer is written out.

private class TodoList: @unchecked Sendable {
  private(set) var items: [String] = []
  func add(_ item: String) { items.append(item) }
}

private final class SomeStatelessService: Sendable, Resolvable {
  required init(scope: any DependencyResolutionScope) {}
}
private final class SomeContextuallyStatefulService: Sendable, Resolvable {
  required init(scope: any DependencyResolutionScope) {}
}
private final class SomeGloballyStatefulService: Sendable, Resolvable {
  required init(scope: any DependencyResolutionScope) {}
}

private struct User: Equatable {}

private protocol AuthenticationService {
  var name: String { get }
}
private class OpenIdConnectAuthenticationService: AuthenticationService, Resolvable {
  var name: String { "OpenID Connect" }
  required init(scope: any DependencyResolutionScope) {}
}
private class MockAuthenticationService: AuthenticationService, Resolvable {
  var name: String { "mock" }
  required init(scope: any DependencyResolutionScope) {}
}

private struct Dependency {}

private protocol Contract {}
private class Implementation: Contract {
  let dependency: Dependency?
  init() { dependency = nil }
  init(dependency: Dependency) { self.dependency = dependency }
}
private class Plain: Contract {}

private class ResolvableImplementation: Contract, Resolvable {
  let dependency: Dependency
  required init(scope: any DependencyResolutionScope) { dependency = scope.resolve() }
}

private struct OktaConfig {
  static func fromBundle() -> OktaConfig { OktaConfig() }
}

private protocol AuthService {
  func signIn() async throws -> User
}

private class OktaAuthService: AuthService, Resolvable {
  init(config: OktaConfig) {}
  required convenience init(scope: any DependencyResolutionScope) { self.init(config: scope.resolve()) }
  func signIn() async throws -> User { User() }
}

private class AuthContext: Resolvable {
  let auth: any AuthService

  init(auth: any AuthService) {
    self.auth = auth
  }

  required convenience init(scope: any DependencyResolutionScope) { self.init(auth: scope.resolve()) }
}

@Suite("The examples of Lambdaspire's README work")
struct LambdaspireReadmeTests {
  @Test("High level")
  func highLevel() {
    let builder: ContainerBuilder = .init()

    builder.transient(SomeStatelessService.self)
    builder.scoped(SomeContextuallyStatefulService.self)
    builder.singleton(SomeGloballyStatefulService.self)

    let container = builder.build()

    let scope = container.scope()
    #expect(scope.resolve(SomeStatelessService.self) !== scope.resolve(SomeStatelessService.self))
    #expect(scope.resolve(SomeContextuallyStatefulService.self) === scope.resolve(SomeContextuallyStatefulService.self))
    #expect(scope.resolve(SomeContextuallyStatefulService.self) !== container.resolve(SomeContextuallyStatefulService.self))
    #expect(scope.resolve(SomeGloballyStatefulService.self) === container.resolve(SomeGloballyStatefulService.self))
  }

  @Test("Clients need only the abstractions")
  func abstractions() {
    func register(in registry: any DependencyRegistry) { registry.scoped { TodoList() } }
    func use(_ resolver: any DependencyResolver) -> TodoList { resolver.resolve() }
    func nest(_ scope: any DependencyResolutionScope) -> any DependencyResolutionScope { scope.scope() }
    let builder = ContainerBuilder()
    register(in: builder)
    let container = builder.build()
    #expect(use(container) === use(container))
    #expect(use(nest(container)) !== use(container))
  }

  @Test("Scopes")
  func scopes() {
    let builder: ContainerBuilder = .init()

    builder.scoped { TodoList() }

    let container = builder.build()

    let rootList: TodoList = container.resolve()
    rootList.add("Demonstrate Scoped Dependencies")
    #expect(rootList.items.count == 1)

    let scope = container.scope()

    let scopedList: TodoList = scope.resolve()
    #expect(scopedList.items.count == 0)
  }

  @Test("Registration as self")
  func asSelf() {
    let builder: ContainerBuilder = .init()

    builder.transient(OpenIdConnectAuthenticationService.self)

    let container = builder.build()

    let openIdAuth: OpenIdConnectAuthenticationService = container.resolve()
    #expect(openIdAuth.name == "OpenID Connect")
  }

  @Test("Registration as abstraction")
  func asAbstraction() {
    let builder: ContainerBuilder = .init()

    builder.transient((any AuthenticationService).self, assigned(OpenIdConnectAuthenticationService.self))

    let auth: any AuthenticationService = builder.build().resolve()
    #expect(auth.name == "OpenID Connect")

    builder.transient((any AuthenticationService).self, assigned(MockAuthenticationService.self))
    #expect(builder.build().resolve((any AuthenticationService).self).name == "mock")
  }

  @Test("1. Implementation factory")
  func implementationFactory() {
    let builder: ContainerBuilder = .init()
    builder.transient { Implementation() }
    let r: Implementation = builder.build().resolve()
    #expect(r.dependency == nil)

    builder.singleton(Plain.init)
    let s: Plain = builder.build().resolve()
    withExtendedLifetime(s) {}
  }

  @Test("2. Implementation factory with scope parameter")
  func implementationFactoryWithScope() {
    let builder: ContainerBuilder = .init()
    builder.transient { Dependency() }
    builder.scoped { scope in
      Implementation(dependency: scope.resolve())
    }
    let r: Implementation = builder.build().resolve()
    #expect(r.dependency != nil)
  }

  @Test("3. Contract factory")
  func contractFactory() {
    let builder: ContainerBuilder = .init()
    builder.transient((any Contract).self) { Implementation() }
    let r: any Contract = builder.build().resolve()
    #expect(r is Implementation)

    builder.scoped((any Contract).self, Plain.init)
    let s: any Contract = builder.build().resolve()
    #expect(s is Plain)
  }

  @Test("4. Contract factory with scope parameter")
  func contractFactoryWithScope() {
    let builder: ContainerBuilder = .init()
    builder.transient { Dependency() }
    builder.singleton((any Contract).self) { scope in
      Implementation(dependency: scope.resolve())
    }
    let r: any Contract = builder.build().resolve()
    #expect((r as? Implementation)?.dependency != nil)
  }

  @Test("5. Contract as implementation by types")
  func contractAsImplementation() {
    let builder: ContainerBuilder = .init()
    builder.transient(Plain.init)
    builder.transient((any Contract).self, assigned(Plain.self))
    let r: any Contract = builder.build().resolve()
    #expect(r is Plain)
  }

  @Test("6. Resolvable implementation by type")
  func resolvableImplementation() {
    let builder: ContainerBuilder = .init()
    builder.transient(Dependency.init)
    builder.transient(ResolvableImplementation.self)
    let r: ResolvableImplementation = builder.build().resolve()
    withExtendedLifetime(r) {}
  }

  @Test("7. Contract as resolvable implementation by types")
  func contractAsResolvableImplementation() {
    let builder: ContainerBuilder = .init()
    builder.transient { Dependency() }
    builder.transient((any Contract).self, assigned(ResolvableImplementation.self))
    let r: any Contract = builder.build().resolve()
    #expect(r is ResolvableImplementation)
  }

  @Test("The not ideal approach")
  func notIdeal() async throws {
    let builder: ContainerBuilder = .init()

    builder.singleton { scope in
      AuthContext(auth: scope.resolve())
    }

    builder.transient((any AuthService).self) { scope in
      OktaAuthService(config: OktaConfig.fromBundle())
    }

    let container = builder.build()

    #expect(try await container.resolve(AuthContext.self).auth.signIn() == User())
  }

  @Test("The more ideal approach")
  func moreIdeal() async throws {
    let builder: ContainerBuilder = .init()

    builder.singleton(AuthContext.self)

    builder.transient((any AuthService).self, assigned(OktaAuthService.self))

    builder.transient(OktaConfig.fromBundle)

    let container = builder.build()

    #expect(try await container.resolve(AuthContext.self).auth.signIn() == User())
    #expect(container.resolve(AuthContext.self) === container.scope().resolve(AuthContext.self))
  }
}
