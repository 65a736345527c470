public import Testing
public import TroupeContainer

/// Has what a test resolves from a container come from other registrations, by `Container.withOverrides`: for code that has a
/// container of its own.
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
/// A suite's trait goes for all tests in it, also for those of suites within; a test's own comes in addition and counts first.
/// Other tests, also those that run at the same time, see none of that, nor do threads and detached tasks.
public struct OverridesTrait: TestTrait, SuiteTrait, TestScoping {
  private let container: Container
  private let register: @Sendable (any Registrar) throws -> Void

  fileprivate init(container: Container, register: @escaping @Sendable (any Registrar) throws -> Void) {
    self.container = container
    self.register = register
  }

  /// Whether it goes for the tests of suites within a suite: always.
  public var isRecursive: Bool { true }

  /// Runs a test with the overrides. What the closure throws that makes them is an issue of the test, which does not run then.
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
  ///   - register: Makes the other registrations, anew for each test.
  public static func overrides(
    of container: Container, _ register: @escaping @Sendable (any Registrar) throws -> Void
  ) -> Self {
    Self(container: container, register: register)
  }
}
