import Testing
import TroupeContainer

@Suite("Resolving with ifPresent")
struct IfPresentTests {
  private let container = Container()

  @Test("A resolve returns the instance, or nil if exactly that key is not registered")
  func presence() throws {
    let key = container.register(Int.self, tags: "a", 1) { _ in 1 }
    #expect(try container.resolve(ifPresent: Int.self, tags: 1, "a") == 1)
    #expect(try container.resolve(ifPresent: Int.self, tags: "a") == nil)
    #expect(try container.resolve(ifPresent: Int.self) == nil)
    #expect(try container.resolve(ifPresent: key) == 1)
    #expect(try container.resolve(ifPresent: Key<Int>()) == nil)
    #expect(try container.resolve(ifPresent: (any Greeting).self) == nil)
    #expect(try container.resolve(ifPresent: Any.self) == nil)
    #expect(try (container as any Resolver).resolve(ifPresent: Int.self, tags: 1, "a") == 1)
  }

  @Test("A registration of the optional type is ignored")
  func optional() throws {
    container.register(Int?.self) { _ in 1 }
    #expect(try container.resolve(ifPresent: Int.self) == nil)
  }

  @Test("Every other error is thrown, including that of a missing dependency")
  func errors() throws {
    container.register(Int.self, tags: "faulty") { _ in throw Fault() }
    container.register(Int.self, tags: "lacking") { try $0.resolve(Int.self) }
    container.register(Int.self, tags: "late") { _ async in 1 }
    container.register(Int.self, tags: "arguments") { (_, number: Int) in number }
    #expect(throws: Fault.self) { try container.resolve(ifPresent: Int.self, tags: "faulty") }
    let reasons = ["lacking": "notFound", "late": "requiresAsync", "arguments": "invalidArgsType"]
    for (tag, reason) in reasons {
      let error = try #require(throws: ResolutionError.self) { try container.resolve(ifPresent: Int.self, tags: tag) }
      #expect(error.reason.name == reason)
    }
    #expect(try container.resolve(ifPresent: Int.self, tags: "arguments", args: 7) == 7)
  }

  @Test("A resolve in asynchronous contexts and on the main actor returns the same")
  @MainActor
  func contexts() async throws {
    let late = container.register(Int.self, tags: "late") { (_, number: Int) async in number }
    let main = container.register(Int.self, isolation: MainActor.shared, tags: "main") { _ in 2 }
    container.register(Int.self, tags: "lacking") { _ async throws in throw ResolutionError(Key<Int>(), reason: .notFound) }
    #expect(try await container.resolve(ifPresent: late, args: 1) == 1)
    #expect(try await container.resolve(ifPresent: Int.self, tags: "late", args: 1) == 1)
    #expect(try await container.resolve(ifPresent: Int.self) == nil)
    #expect(try await container.resolve(ifPresent: Key<Int>()) == nil)
    #expect(try await container.resolve(ifPresent: main) == 2)
    #expect(try container.resolve(ifPresent: Int.self, isolation: MainActor.shared, tags: "main") == 2)
    #expect(try container.resolve(ifPresent: main, isolation: MainActor.shared) == 2)
    #expect(try container.resolve(ifPresent: String.self, isolation: MainActor.shared) == nil)
    await #expect(throws: ResolutionError.self) { try await container.resolve(ifPresent: Int.self, tags: "lacking") }
    #expect(throws: ResolutionError.self) { try container.resolve(ifPresent: late, isolation: MainActor.shared, args: 1) }
  }
}
