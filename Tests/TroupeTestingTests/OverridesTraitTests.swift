import Testing
import TroupeContainer
import TroupeTesting

/// The container of a program under test.
private enum App {
  static let container: Container = {
    let container = Container()
    container.register(String.self, tags: "name") { _ in "Ann" }
    container.register(String.self, tags: "word") { _ in "hello" }
    return container
  }()

  static func greeting() throws -> String {
    try container.resolve(String.self, tags: "word") + " " + container.resolve(String.self, tags: "name")
  }
}

@Suite(
  "The trait overrides changes a container for one test",
  .overrides(of: App.container) { $0.register(String.self, tags: "name") { _ in "Ben" } })
struct OverridesTraitTests {
  let greeting: String

  init() throws { greeting = try App.greeting() }

  @Test("The tested code resolves the overrides of the suite")
  func suite() throws {
    #expect(try App.greeting() == "hello Ben")
    #expect(greeting == "hello Ben")
  }

  @Test(
    "The overrides of a test add to those of the suite and take precedence over them",
    .overrides(of: App.container) {
      $0.register(String.self, tags: "word") { _ in "bye" }
      $0.register(String.self, tags: "name") { _ in "Cleo" }
    })
  func nested() throws {
    #expect(try App.greeting() == "bye Cleo")
  }

  @Test("The cases of a test have separate overrides", arguments: 0..<50)
  func cases(number: Int) async throws {
    try await App.container.withOverrides {
      $0.register(String.self, tags: "name") { _ in "\(number)" }
    } operation: { () async throws in
      await Task.yield()
      #expect(try App.greeting() == "hello \(number)")
    }
    #expect(try App.greeting() == "hello Ben")
  }

  @Test("The traits for containers and overrides work together", .container(parent: App.container))
  func together() throws {
    #expect(try Container.current.resolve(String.self, tags: "name") == "Ben")
  }
}

@Suite("Tests without the trait see no overrides")
struct NoOverridesTests {
  @Test("A test does not see the overrides of other tests", arguments: 0..<20)
  func none(number: Int) throws {
    #expect(try App.greeting() == "hello Ann")
  }
}
