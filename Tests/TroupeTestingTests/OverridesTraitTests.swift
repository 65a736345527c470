import Testing
import TroupeContainer
import TroupeTesting

/// What a program has for itself.
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

@Suite("Overrides for each test", .overrides(of: App.container) { $0.register(String.self, tags: "name") { _ in "Ben" } })
struct OverridesTraitTests {
  let greeting: String

  init() throws { greeting = try App.greeting() }

  @Test("The tested code resolves what the suite overrides")
  func suite() throws {
    #expect(try App.greeting() == "hello Ben")
    #expect(greeting == "hello Ben")
  }

  @Test(
    "What a test overrides comes in addition, and first",
    .overrides(of: App.container) {
      $0.register(String.self, tags: "word") { _ in "bye" }
      $0.register(String.self, tags: "name") { _ in "Cleo" }
    })
  func nested() throws {
    #expect(try App.greeting() == "bye Cleo")
  }

  @Test("The cases of a test are apart", arguments: 0..<50)
  func cases(number: Int) async throws {
    try await App.container.withOverrides {
      $0.register(String.self, tags: "name") { _ in "\(number)" }
    } operation: { () async throws in
      await Task.yield()
      #expect(try App.greeting() == "hello \(number)")
    }
    #expect(try App.greeting() == "hello Ben")
  }

  @Test("The traits go together", .container(parent: App.container))
  func together() throws {
    #expect(try Container.current.resolve(String.self, tags: "name") == "Ben")
  }
}

@Suite("Tests without overrides")
struct NoOverridesTests {
  @Test("They see none of those of others", arguments: 0..<20)
  func none(number: Int) throws {
    #expect(try App.greeting() == "hello Ann")
  }
}
