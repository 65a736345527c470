public import Testing
public import TroupeContainer

/// Gives each test a container of its own, which is `Container.current` while the test runs.
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
/// The trait of a suite applies to all tests in it, also to those of nested suites. Each test, and each case of a test with
/// arguments, has its own container, so that concurrent tests do not affect each other. The traits of a test and of its suites
/// share one container: the outermost registers first, and later registrations replace earlier ones. A trait with a parent begins
/// with a new container, without the registrations of outer traits.
///
/// The instance of a suite is created while its container exists, so that its properties may resolve. The container is released at
/// the end of the test.
public struct ContainerTrait: TestTrait, SuiteTrait, TestScoping {
  private let parent: Container?
  private let register: @Sendable (Container) async throws -> Void

  fileprivate init(parent: Container?, register: @escaping @Sendable (Container) async throws -> Void) {
    self.parent = parent
    self.register = register
  }

  /// True: it applies to the tests of nested suites.
  public var isRecursive: Bool { true }

  // Testing calls a trait for each case, since this one is recursive and for tests.
  /// Runs a test after the registrations. An error of the registering closure is an issue of the test, which then does not run.
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
  /// Gives each test an empty container; see `ContainerTrait`.
  public static var container: Self { Self(parent: nil) { _ in } }

  /// Gives each test a container with some registrations; see `ContainerTrait`.
  ///
  /// - Parameter register: Called for each test with its container before the test runs; may also assemble. Tests run concurrently,
  ///   and so do these calls.
  public static func container(_ register: @escaping @Sendable (Container) async throws -> Void) -> Self {
    Self(parent: nil, register: register)
  }

  /// Gives each test a child of a container; see `ContainerTrait`. A test does not see the registrations of other tests. All tests share
  /// the singletons of the parent.
  public static func container(
    parent: Container, _ register: @escaping @Sendable (Container) async throws -> Void = { _ in }
  ) -> Self {
    Self(parent: parent, register: register)
  }
}

extension Container {
  /// The container of the current test, which the trait `.container` made.
  ///
  /// The tasks that a test starts inherit it; pass it to a detached task or a thread. Without the trait, the property records an
  /// issue at the line of the test and returns a new empty container each time.
  public static var current: Container {
    if let container = ofTest { return container }
    Issue.record(
      """
      this test has no container; give it or its suite the trait .container, and pass Container.current to detached tasks and \
      threads, which do not inherit it
      """, sourceLocation: Test.current?.sourceLocation ?? #_sourceLocation)
    return Container()
  }

  /// The container of the test that the current task belongs to. Nil without the trait.
  @TaskLocal static var ofTest: Container?
}
