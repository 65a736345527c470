import Foundation
import TestSupport
import Testing
import TroupeHost

@Suite("Resolving from C") struct ResolverTableTests {
  /// A host with boxes, two stages, and the plugin that resolves them.
  static func host(log: LogLines = LogLines()) async throws -> PluginHost {
    let directory = try PluginDirectory()
    try directory.add("healthy/resolving.c")
    try directory.add("healthy/boxes.c")
    try directory.add("healthy/stage.c", as: "a", ["TAG": "a".quoted])
    try directory.add(
      "healthy/stage.c", as: "b",
      [
        "ID": "org.example.b".quoted, "UUID": "57a6e000-0000-4000-8000-000000000002".quoted, "MARK": "b".quoted,
        "TAG": "b".quoted,
      ])
    let host = directory.host(log: log)
    await host.start()
    try #require(host.plugins.allSatisfy { $0.state == .active }, "\(host.states)")
    return host
  }

  @Test("One match resolves, no match is not found, several are ambiguous, and the message names them", .inProcess)
  func resolve() async throws {
    let log = LogLines()
    let host = try await Self.host(log: log)
    let transform = Value.string(Contract.transform.name)
    #expect(try host.call("resolve", transform, .string("a")) == .integer(0))
    #expect(try host.call("message") == .string(nil))
    #expect(log.all == ["info org.example.stage: a stage ends"], "release ends the instance")
    #expect(try host.call("resolve", transform, .string("57A6E000-0000-4000-8000-000000000002")) == .integer(0))

    #expect(try host.call("resolve", transform, .string("c")) == .integer(8))
    #expect(try host.call("message") == .string("nothing is registered for troupe.transform/1 with the tags c"))
    #expect(try host.call("resolve", .string("org.example.none/1"), .string(nil)) == .integer(8))
    #expect(try host.call("resolve", transform, .string(nil)) == .integer(9))
    #expect(
      try host.call("message")
        == .string(
          "several are registered for troupe.transform/1: stage a 57a6e000-0000-4000-8000-000000000001 (org.example.stage), stage b 57a6e000-0000-4000-8000-000000000002 (org.example.b); add the UUID of one of them to the tags"
        ))
  }

  @Test("All matches resolve in order, or none; one failure fails the call", .inProcess)
  func resolveAll() async throws {
    let log = LogLines()
    let host = try await Self.host(log: log)
    let transform = Value.string(Contract.transform.name)
    #expect(try host.call("resolve-all", transform, .string(nil)) == .integer(2))
    #expect(log.all == ["info org.example.stage: a stage ends", "info org.example.b: a stage ends"])
    #expect(try host.call("resolve-all", transform, .string("b")) == .integer(1))
    #expect(try host.call("resolve-all", transform, .string("none")) == .integer(0))
    // "box" takes an argument and "the box" none.
    #expect(try host.call("resolve-all", .string("org.example.box/1"), .string("box")) == .integer(-2))
    #expect(try host.call("message") != .string(nil))
  }

  @Test(
    "Arguments of each kind are converted to the factory's parameters, or refused",
    .inProcess,
    arguments: [
      (1, "5", "5 42"), (2, "6", "6 42"), (3, "7", "7 42"), (1, "-9223372036854775808", "-9223372036854775808 42"),
      (2, "-1", "status 2"), (3, "7.5", "status 2"), (4, "8", "status 2"), (5, "", "status 2"), (0, "1", "1 42"),
      (1, "13", "status 1"),
      (1, "14", "status 1"), (6, "1", "status 2"), (-1, "1", "status 2"),
    ] as [(Int128, String, String)])
  func arguments(_ kind: Int128, _ text: String, _ answer: String) async throws {
    let host = try await Self.host()
    #expect(try host.call("box", .integer(kind), .string(text)) == .string(answer))
    let message = try host.call("message")
    #expect((message == .string(nil)) == !answer.hasPrefix("status"))
    if text == "13" { #expect("\(message)".contains("13 brings bad luck")) }
  }

  @Test("A malformed query gives TROUPE_INVALID_ARGUMENT", arguments: 0..<18)
  func malformed(_ number: Int128) async throws {
    let host = try await Self.host()
    #expect(try host.call("malformed", .integer(number)) == .integer(2))
    // Without a resolver no message can be stored.
    if number != 0 && number != 3 { #expect(try host.call("message") != .string(nil)) }
  }

  @Test("A plugin uses another plugin's transform through its table", .inProcess)
  func transform() async throws {
    let host = try await Self.host()
    #expect(try host.call("transform", .string("b"), .string("xyz")) == .string("bxyz."))
    #expect(try host.call("transform", .string("b"), .string("fail")) == .string("failed: the input says so"))
  }

  /// A transform of the program.
  private final class Shout: Transform {
    func feed(_ bytes: Span<UInt8>, to output: any TransformOutput) throws {
      var upper: [UInt8] = []
      for index in bytes.indices { upper.append(bytes[index] & 0xdf) }
      try output.write(upper)
    }

    func finish(to output: any TransformOutput) throws {}
  }

  @Test(
    "C resolves the registrations of the program, alone and among those of plugins, in the order of registration", .inProcess)
  func ownRegistrations() async throws {
    let host = try await Self.host()
    let transform = Value.string(Contract.transform.name)
    host.container.register((any Transform).self, tags: "own", "more") { _ in Shout() }
    #expect(try host.call("resolve", transform, .string("own")) == .integer(0))
    #expect(try host.call("transform", .string("own"), .string("xyz")) == .string("XYZ"))
    #expect(try host.call("resolve-all", transform, .string(nil)) == .integer(3))
    #expect(try host.call("resolve", transform, .string("other")) == .integer(8))
    // It shares the tag "a" with a plugin's stage.
    host.container.register((any Transform).self, tags: "a", "own too") { _ in Shout() }
    #expect(try host.call("resolve", transform, .string("a")) == .integer(9))
    // A registration with exactly the tags comes first.
    host.container.register((any Transform).self, tags: "a") { _ in Shout() }
    #expect(try host.call("transform", .string("a"), .string("xyz")) == .string("XYZ"))
  }

  @Test("A failing registration of the program gives C its reason, and a missing argument gives a status", .inProcess)
  func ownFailures() async throws {
    struct TestError: Error {}
    let host = try await Self.host()
    let transform = Value.string(Contract.transform.name)
    host.container.register((any Transform).self, tags: "failing") { _ in throw TestError() }
    #expect(try host.call("resolve", transform, .string("failing")) == .integer(1))
    let message = try "\(host.call("message"))"
    #expect(message.contains("failing") && message.contains("the program") && message.contains("TestError"))
    host.container.register((any Transform).self, tags: "arguments") { (_, _: Int) in Shout() }
    #expect(try host.call("resolve", transform, .string("arguments")) == .integer(2))
  }
}
