public import Testing
public import TroupeContainer

/// Overrides registrations of a container during a test, for code that has a container of its own; see `Container.withOverrides`.
///
/// ```swift
/// enum App {
///   static let container = Container()
/// }
///
/// @Suite(.overrides(of: App.container) { $0.register((any Clock).self) { _ in StoppedClock() } })
/// struct AppTests {
///   @Test("The greeting is for the time of day")
///   func greeting() throws {
///     #expect(try App.greeting() == "Good morning")
///   }
/// }
/// ```
///
/// The trait of a suite applies to all tests in it, also to those of nested suites. The overrides of the test itself are added, and
/// take precedence. Other tests, also concurrent ones, do not see the overrides, nor do threads and detached tasks.
public struct OverridesTrait: TestTrait, SuiteTrait, TestScoping {
  private let container: Container
  private let register: @Sendable (any Registrar) throws -> Void

  fileprivate init(container: Container, register: @escaping @Sendable (any Registrar) throws -> Void) {
    self.container = container
    self.register = register
  }

  /// True: it applies to the tests of nested suites.
  public var isRecursive: Bool { true }

  /// Runs a test with the overrides. An error of the registering closure is an issue of the test, which then does not run.
  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    try await container.withOverrides(register, operation: function)
  }
}

extension Trait where Self == OverridesTrait {
  /// Overrides registrations of a container for each test; see `OverridesTrait`.
  ///
  /// - Parameters:
  ///   - container: The container that the tested code resolves from.
  ///   - register: Makes the overriding registrations. Called for each test.
  public static func overrides(
    of container: Container, _ register: @escaping @Sendable (any Registrar) throws -> Void
  ) -> Self {
    Self(container: container, register: register)
  }
}
