import TestSupport
import Testing
import TroupeHost

@Suite("Plugins that are compiled against the header of ABI 1.0")
struct ABIGrowthTests {
  /// A host with plugins that are compiled against the frozen header.
  private static func host(_ fixtures: String...) async throws -> PluginHost {
    let directory = try PluginDirectory()
    for fixture in fixtures { try directory.add(fixture, headers: Repo.firstHeaders) }
    let host = directory.host()
    await host.start()
    try #require(host.plugins.allSatisfy { $0.state == .active }, "\(host.states)")
    return host
  }

  @Test("A plain function is called")
  func function() async throws {
    let host = try await Self.host("healthy/scalars.c")
    #expect(try host.call("area", .double(3), .double(4.5)) == .double(13.5))
  }

  @Test("A transform is resolved and used by the host")
  func transform() async throws {
    let host = try await Self.host("healthy/stage.c")
    let stage: any Transform = try await host.container.resolve(tags: "text")
    #expect(try stage.transformed("xyz") == "axyz.")
  }

  @Test("A plugin resolves the registrations of others and uses them", .inProcess)
  func resolver() async throws {
    let host = try await Self.host("healthy/resolving.c", "healthy/boxes.c", "healthy/stage.c")
    #expect(try host.call("box", .integer(1), .string("5")) == .string("5 42"))
    #expect(try host.call("transform", .string("text"), .string("xyz")) == .string("axyz."))
  }

  @Test("A factory that is one byte smaller than in ABI 1.0 is refused")
  func smallFactory() async throws {
    let directory = try PluginDirectory()
    let path = try directory.add("faulty/small-struct-size.c", ["SIZE": "sizeof factory - 1"], headers: Repo.firstHeaders)
    let host = directory.host()
    await host.start()
    #expect(host.diagnosis(path)?.code == .refused)
  }
}
