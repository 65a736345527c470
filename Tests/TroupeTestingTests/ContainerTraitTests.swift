import Synchronization
import Testing
import TroupeContainer
import TroupeTesting

private final class Instance: Sendable {}

/// A parent of the containers of several tests.
private let parent: Container = {
  let parent = Container()
  parent.register(String.self) { _ in "of the parent" }
  parent.register(String.self, tags: "sentence") { resolver in try resolver.resolve(String.self) + "!" }
  parent.register(lifetime: .singleton) { _ in Instance() }
  return parent
}()

@Suite("The trait container gives each test a container of its own", .container { $0.register(Int.self) { _ in 1 } })
struct ContainerTraitTests {
  /// The instance of a suite is created within its test.
  let container = Container.current

  @Test("A test uses the registrations of its suite")
  func suite() throws {
    #expect(try Container.current.resolve(Int.self) == 1)
    #expect(container === Container.current)
  }

  @Test(
    "The registrations of a test's own trait take precedence, also for singletons",
    .container { $0.register(Int.self) { _ in 2 } })
  func own() throws {
    container.register(String.self, lifetime: .singleton) { "\(try $0.resolve(Int.self))" }
    #expect(try Container.current.resolve(String.self) == "2")
  }

  @Test(
    "Several traits of a test configure one container in their order",
    .container { $0.register(Int.self) { "\(try $0.resolve(String.self))".count } },
    .container { $0.register(String.self) { _ in "four" } })
  func several() throws {
    #expect(try Container.current.resolve(Int.self) == 4)
  }

  @Test("Concurrent tests, and the cases of one test, have separate containers", arguments: 0..<100)
  func cases(number: Int) async throws {
    #expect(try await Container.current.resolve(String?.self) == nil)
    Container.current.register(String.self) { _ in "\(number)" }
    for _ in 0..<10 { await Task.yield() }
    #expect(try await Container.current.resolve(String.self) == "\(number)")
    #expect(try await Container.current.resolve([String].self).count == 1)
  }

  @Test("The tasks that a test starts have its container")
  func tasks() async {
    async let child = Container.current
    let inherited = Task { Container.current }
    #expect(await child === container)
    #expect(await inherited.value === container)
  }

  @Suite("A nested suite uses the container of its suite")
  struct Inner {
    @Test("A nested suite has the registrations of its outer suite")
    func outer() throws {
      #expect(try Container.current.resolve(Int.self) == 1)
    }
  }

  @Suite(
    "A nested suite adds registrations to those of its suite",
    .container { $0.register(String.self) { "\(try $0.resolve(Int.self))" } })
  struct InnerWithTrait {
    @Test("A test has the registrations of its trait and of both suites", .container { $0.register(Int.self) { _ in 3 } })
    func both() throws {
      #expect(try Container.current.resolve(String.self) == "3")
    }
  }

  @Test("With a parent, the container is a new child of it", .container(parent: parent))
  func child() throws {
    #expect(Container.current.parent === parent)
    #expect(try Container.current.resolve(Int?.self) == nil)
    #expect(try Container.current.resolve(Instance.self) === parent.resolve(Instance.self))
  }

  @Test(
    "A registration in a child is not visible in its parent",
    .container(parent: parent) { $0.register(String.self) { _ in "mine" } })
  func overridden() throws {
    #expect(try Container.current.resolve(String.self, tags: "sentence") == "mine!")
    #expect(try parent.resolve(String.self, tags: "sentence") == "of the parent!")
  }

  @Test("The closure may wait and assemble", .container { try await $0.assemble(Numbers()) })
  func assembled() throws {
    #expect(try Container.current.resolve(Int.self, tags: "assembled") == 7)
  }

  private struct Numbers: Assembly {
    func register(in registrar: any Registrar) { registrar.register(Int.self, tags: "assembled") { _ in 7 } }
  }
}

@Suite("Without the trait a test has an empty container and an issue")
struct NoContainerTests {
  private static let line = #line + 4
  private static let issues = Mutex<[Issue]>([])

  // The issue is caught instead of marked as known, so that the run ends without known issues.
  @Test(
    "Without the trait the container is empty, and the issue is at the line of the test",
    .filterIssues { issue in
      guard issue.comments.contains(where: { $0.rawValue.contains("the trait .container") }) else { return true }
      issues.withLock { $0.append(issue) }
      return false
    })
  func none() throws {
    let container = Container.current
    let issue = try #require(Self.issues.withLock { $0.first })
    #expect(issue.sourceLocation?.fileName == "ContainerTraitTests.swift")
    #expect(issue.sourceLocation?.line == Self.line)
    #expect(issue.comments.contains { $0.rawValue.contains("detached") })
    #expect(try container.resolve([Int].self) == [])
  }

  @Test("A test may have a container without configuration", .container)
  func empty() throws {
    #expect(try Container.current.resolve([Int].self).isEmpty)
  }
}
