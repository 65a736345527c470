import Foundation
import TestSupport
import Testing
import TroupeHost

@Suite("The host's service table for C") struct HostTableTests {
  static func host(
    log: LogLines = LogLines(), configuration: [String: [String: String]] = [:], services: [HostService] = []
  ) async throws -> PluginHost {
    let directory = try PluginDirectory()
    try directory.add("healthy/services.c")
    let host = directory.host(log: log, configuration: configuration, services: services)
    await host.start()
    try #require(host.states == ["services.so active"])
    return host
  }

  @Test("A log line has its level and the plugin's id")
  func log() async throws {
    let log = LogLines(from: .debug)
    let host = try await Self.host(log: log)
    let before = log.texts.count
    for level in 0...3 { _ = try host.call("log", .integer(Int128(level)), .string("line \(level)")) }
    _ = try host.call("log", .integer(77), .string(""))
    _ = try host.call("log", .integer(1), .string(nil))
    #expect(
      Array(log.texts[before...]) == ["debug", "info", "warning", "error"].enumerated().map {
        "\($1) org.example.services: line \($0)"
      } + [
        "error org.example.services: "
      ])
  }

  @Test("A plugin reads only its own configuration, and NULL for an unknown key")
  func configuration() async throws {
    let host = try await Self.host(configuration: [
      "org.example.services": ["key": "value", "": "empty", "leer": ""], "org.example.other": ["other": "value"],
    ])
    #expect(try host.call("configuration", .string("key")) == .string("value"))
    #expect(try host.call("configuration", .string("")) == .string("empty"))
    #expect(try host.call("configuration", .string("leer")) == .string(""))
    #expect(try host.call("configuration", .string("other")) == .string(nil))
    #expect(try host.call("configuration", .string(nil)) == .string(nil))
  }

  private static func settings(_ configuration: [String: String]) throws -> PluginHost {
    let directory = try PluginDirectory()
    try directory.add("healthy/settings.c")
    let host = directory.host(configuration: ["org.example.settings": configuration])
    try host.load()
    return host
  }

  @Test("A declared setting has its default or its configured value, in its type")
  func settings() throws {
    let host = try Self.settings(["width": "007", "break": "character"])
    try #require(host.plugins.map(\.state.diagnosis) == [nil])
    #expect(try host.call("integer", .string("width")) == .integer(7))
    #expect(try host.call("number", .string("ratio")) == .double(0.5))
    #expect(try host.call("boolean", .string("strict")) == .bool(false))
    #expect(try host.call("text", .string("prefix")) == .string("> "))
    #expect(try host.call("text", .string("break")) == .string("character"))
    #expect(try host.call("configured", .string("width")) == .string("7"))
    #expect(try host.call("configured", .string("ratio")) == .string("0.5"))
    let (invalidArgument, notFound) = (Value.integer(2), Value.integer(8))
    #expect(try host.call("status", .string("other")) == notFound)
    #expect(try host.call("status", .string(nil)) == invalidArgument)
  }

  @Test("A configuration that does not fit the declared settings rejects the plugin, with the nearest key or the range")
  func faultySettings() throws {
    let unknown = try #require(try Self.settings(["bread": "word"]).plugins.first?.state.diagnosis)
    #expect(unknown.code == .invalidSetting)
    #expect(unknown.problem.contains("\"bread\"") && unknown.remedy.contains("\"break\""))
    let value = try #require(try Self.settings(["width": "1001"]).plugins.first?.state.diagnosis)
    #expect(value.code == .invalidSetting)
    #expect(value.problem.contains("\"1001\"") && value.remedy.contains("1 to 1000"))
  }

  @Test("A service is found by its id, the first of two with one id is used, and a NULL id gives NULL", .inProcess)
  func services() async throws {
    let pointers = (1...2).map { _ in UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1) }
    defer { pointers.forEach { $0.deallocate() } }
    let host = try await Self.host(services: pointers.map { HostService("org.example.clock/1", $0) })
    #expect(try host.call("service", .string("org.example.clock/1")) == .pointer(Value.Pointer(pointers[0])))
    #expect(try host.call("service", .string("org.example.clock/2")) == .null)
    #expect(try host.call("service", .string(nil)) == .null)
  }

  @Test(
    "Allocated memory is aligned, also for 0 bytes, and NULL if the size is too large",
    arguments: [
      (0, true), (1, true), (1 << 20, true), (Int128(UInt64.max), false), (Int128(Int64.max), false),
    ] as [(Int128, Bool)])
  func memory(_ size: Int128, _ isThere: Bool) async throws {
    #expect(try await Self.host().call("allocate", .integer(size)) == .bool(isThere))
  }

  @Test("A call with NULL as the host does nothing")
  func withoutHost() async throws {
    #expect(try await Self.host().call("without-host") == .string("fine"))
  }
}
