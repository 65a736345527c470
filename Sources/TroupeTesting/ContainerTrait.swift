public import Testing
public import TroupeContainer

/// Gives each test a container of its own, which is `Container.current` for as long as the test runs.
///
/// ```swift
/// @Suite(.container { $0.register((any Clock).self) { _ in StoppedClock() } })
/// struct ShopTests {
///   let shop: Shop
///
///   init() throws {
///     Container.current.register(factory: auto(Shop.init))
///     shop = try Container.current.resolve()
///   }
///
///   @Test("The shop is closed at night", .container { $0.register(Int.self, tags: "hour") { _ in 3 } })
///   func night() {
///     #expect(!shop.isOpen)
///   }
/// }
/// ```
///
/// A suite's trait goes for all tests in it, also for those of suites within. Each test, and each case of a test with
/// arguments, has its own, so that tests which run at the same time do not see each other's. Where there are several traits on
/// the way to a test, they work on the same container, the outermost first, and what is registered later counts; one with a
/// parent begins anew.
///
/// The instance of a suite is made within it, so that its properties may resolve. When the test has ended the container goes,
/// with everything that nobody else keeps.
public struct ContainerTrait: TestTrait, SuiteTrait, TestScoping {
  private let parent: Container?
  private let register: @Sendable (Container) async throws -> Void

  fileprivate init(parent: Container?, register: @escaping @Sendable (Container) async throws -> Void) {
    self.parent = parent
    self.register = register
  }

  /// Whether it goes for the tests of suites within a suite: always.
  public var isRecursive: Bool { true }

  /// Runs a test with a container, once that has what is to be registered. What the closure throws is an issue of the test,
  /// which does not run then.
  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    let outer = parent == nil ? Container.ofTest : nil
    let container = outer ?? Container(parent: parent)
    try await register(container)
    try await Container.$ofTest.withValue(container, operation: function)
  }
}

extension Trait where Self == ContainerTrait {
  /// An empty container for each test; see `ContainerTrait`.
  public static var container: Self { Self(parent: nil) { _ in } }

  /// A container for each test with some registrations; see `ContainerTrait`.
  ///
  /// - Parameter register: Called anew for each test, before it, with its container; may also assemble. Tests run at the same time,
  ///   and so does this.
  public static func container(_ register: @escaping @Sendable (Container) async throws -> Void) -> Self {
    Self(parent: nil, register: register)
  }

  /// A child of a container for each test; see `ContainerTrait`. What a test registers, the others do not see; the singletons
  /// of the parent are the same for all.
  public static func container(
    parent: Container, _ register: @escaping @Sendable (Container) async throws -> Void = { _ in }
  ) -> Self {
    Self(parent: parent, register: register)
  }
}
