import Foundation
import TestSupport
import Testing
import TroupeHost

@Suite("Scopes and plugins in C") struct ScopeTests {
  private let directory: PluginDirectory

  init() throws {
    directory = try PluginDirectory()
    try directory.add("healthy/scoped.c")
  }

  private func host() async -> PluginHost {
    let host = directory.host()
    await host.start()
    return host
  }

  private static func tag(_ number: Int) -> UUID { uuid("5c09ed00-0000-4000-8000-00000000000\(number)") }

  /// The number of a task's session.
  private func session(_ task: ForeignInstance) -> Int32 { task.object.load(as: Int32.self) }

  private func instance(_ number: Int, _ container: Container) throws -> ForeignInstance {
    try container.resolve(tags: Self.tag(number))
  }

  private func task(_ container: Container) throws -> ForeignInstance { try instance(2, container) }

  @Test("A scoped instance is made once per scope, including the host's container, and released with it", .inProcess)
  func scoped() async throws {
    let host = await host()
    var scope: Container? = host.container.scope()
    let session = try instance(1, host.container)
    var other = try scope.map { try instance(1, $0) }
    #expect(try instance(1, host.container) === session)
    #expect(try scope.map { try instance(1, $0) } === other)
    #expect(other !== session)
    #expect(try host.call("made") == .integer(2))
    scope = nil
    #expect(try host.call("ended") == .integer(0))
    other = nil
    #expect(try host.call("ended") == .integer(1))
    #expect(host.registrations.first?.lifetime == .scoped)
  }

  @Test("A factory's resolver belongs to the scope of the request, also with arguments", .inProcess)
  func resolver() async throws {
    let host = await host()
    let (scope, nested) = (host.container.scope(), host.container.scope().scope())
    let numbers = try [host.container, scope, nested].map { session(try task($0)) }
    #expect(numbers == [1, 2, 3])
    #expect(try [host.container, scope, nested].map { session(try task($0)) } == numbers)
    func numbered() throws -> ForeignInstance { try scope.resolve(tags: Self.tag(3), args: Int32(7)) }
    #expect(try session(numbered()) == 7002)
    #expect(try host.call("made") == .integer(3))
  }

  @Test("A singleton that is first resolved in a scope gets its dependencies from the host's container", .inProcess)
  func singleton() async throws {
    let host = await host()
    let scope = host.container.scope()
    let only = try instance(4, scope)
    #expect(session(only) == session(try task(host.container)))
    #expect(session(only) != session(try task(scope)))
  }

  @Test("A resolver is valid as long as its instance, and resolves as long as its scope", .inProcess)
  func keptResolver() async throws {
    let host = await host()
    var scope: Container? = host.container.scope()
    var made: ForeignInstance? = try scope.map(task)
    let object = try Value.pointer(Value.Pointer(#require(made).object))
    #expect(try host.call("session-of", object) == .integer(1))
    scope = nil
    #expect(try host.call("session-of", object) == .integer(-1))
    // The task holds its session.
    #expect(try host.call("ended") == .integer(0))
    made = nil
    #expect(try host.call("ended") == .integer(1))
  }

  @Test("An untyped resolve uses the given scope", .inProcess)
  func untyped() async throws {
    let host = await host()
    let scope = host.container.scope()
    func sessions(_ scope: Container?) throws -> [ObjectIdentifier] {
      try host.resolve(tags: [], contract: "org.example.session/1", in: scope).map { ObjectIdentifier($0.value as AnyObject) }
    }
    #expect(try sessions(scope) == sessions(scope))
    #expect(try sessions(scope) != sessions(nil))
    #expect(try sessions(nil) == sessions(host.container))
  }
}
