import Foundation
import TestSupport
import Testing
import TroupeHost

@Suite("C factories whose calls fail") struct FailedFactoryTests {
  private static let factories = [
    #"{"uuid": "ad0a0000-0000-4000-8000-000000000001", "name": "live", "symbol": "box_live", "signature": "int (void)"}"#,
    #"{"uuid": "ad0a0000-0000-4000-8000-000000000002", "name": "listen", "symbol": "box_listen", "signature": "void (pointer)"}"#,
    factory(3, "told", "pointer (int64_t content)"),
    factory(4, "failed", "pointer (int64_t content) errno(any)"),
    factory(5, "named", "pointer (int64_t content, out string *name)"),
  ]

  private static func factory(_ digit: Int, _ name: String, _ signature: String) -> String {
    #"{"uuid": "ad0a0000-0000-4000-8000-00000000000\#(digit)", "name": "\#(name)", "symbol": "box_\#(name)", "tags": ["\#(name)"],"#
      + #""signature": "\#(signature)", "contract": "org.example.box/1", "destroy": "box_free"}"#
  }

  private static func host(_ directory: PluginDirectory, _ functions: [String]) async throws -> (PluginHost, file: String) {
    try directory.add("healthy/box-library.c", as: "libbox")
    let text = AdoptionTests.text("./libbox.so", functions.joined(separator: ","))
    let file = try directory.write("boxes.troupe.json", text.utf8)
    let host = directory.host()
    await host.start()
    return (host, file)
  }

  private static func box(_ host: PluginHost, _ digit: Int, _ name: String, _ content: some Sendable) throws -> ForeignInstance
  {
    try host.container.resolve(tags: uuid("ad0a0000-0000-4000-8000-00000000000\(digit)"), name, args: content)
  }

  @Test("An instance is destroyed if a callback failed during its call, for typed and untyped arguments", .inProcess)
  func callback() async throws {
    let directory = try PluginDirectory()
    let (host, _) = try await Self.host(directory, Self.factories)
    let listener = try Callback(signature: Signature(parsing: "void (int64_t)")) { (arguments: [Value]) in
      guard arguments == [.integer(1)] else { throw CancellationError() }
      return .void
    }
    _ = try host.call("listen", .pointer(Value.Pointer(listener.address)))
    let box = try Self.box(host, 3, "told", Int64(1))
    #expect(try host.call("live") == .integer(1))
    #expect(throws: CallError.self) { try Self.box(host, 3, "told", Int64(2)) }
    #expect(throws: CallError.self) { try Self.box(host, 3, "told", Value.integer(2)) }
    #expect(try host.call("live") == .integer(1))
    _ = try host.call("listen", .pointer(.null))
    withExtendedLifetime((box, listener)) {}
  }

  @Test("An instance is destroyed if errno reports that the function failed", .inProcess)
  func systemError() async throws {
    let directory = try PluginDirectory()
    let (host, _) = try await Self.host(directory, Self.factories)
    #expect(throws: CallError.self) { try Self.box(host, 4, "failed", Int64(1)) }
    #expect(try host.call("live") == .integer(0))
  }

  @Test("A factory may have out parameters, and an unreadable one destroys the instance", .inProcess)
  func outputs() async throws {
    let directory = try PluginDirectory()
    let (host, _) = try await Self.host(directory, Self.factories)
    let box = try Self.box(host, 5, "named", Int64(1))
    #expect(box.object.load(as: Int64.self) == 1)
    #expect(throws: CallError.self) { try Self.box(host, 5, "named", Int64(-1)) }
    #expect(try host.call("live") == .integer(1))
  }

  @Test("A factory that returns NULL throws an error with plugin, factory and reason, and the log shows the path", .inProcess)
  func null() async throws {
    let directory = try PluginDirectory()
    try directory.add("healthy/boxes.c")
    let lines = LogLines(from: .debug)
    let host = directory.host(log: lines)
    await host.start()
    let id = uuid("b0e50000-0000-4000-8000-000000010000")
    host.container.register(Int64.self) { resolver in
      try resolver.resolve(ForeignInstance.self, tags: id, "box", args: Int64(13)).object.load(as: Int64.self)
    }
    let error = try #require(throws: ForeignFactoryError.self) { try host.container.resolve(Int64.self) }
    #expect(error.plugin == "org.example.boxes" && error.factory == "box" && error.reason == "13 brings bad luck")
    let reports = lines.all.filter { $0.contains("bad luck") }
    #expect(reports.count == 1)
    let report = try #require(reports.first)
    #expect(report.hasPrefix("debug org.example.boxes: the factory of Troupe.ForeignInstance ["))
    #expect(report.contains(" threw box of org.example.boxes: 13 brings bad luck; dependency path: Swift.Int64 ("))
  }

  @Test("A factory that returns a buffer makes no instances and is refused")
  func buffer() async throws {
    let directory = try PluginDirectory()
    let (host, file) = try await Self.host(directory, [Self.factory(6, "told", "pointer[content] (int64_t content)")])
    #expect(host.diagnosis(file)?.code == .invalidManifest)
  }

  @Test("A variable is refused as the function that frees a result")
  func owner() async throws {
    let directory = try PluginDirectory()
    let signature = "owned(box_released) char *(void)"
    let text =
      #"{"uuid": "ad0a0000-0000-4000-8000-000000000007", "name": "text", "symbol": "box_text", "signature": "\#(signature)"}"#
    let (host, file) = try await Self.host(directory, [text])
    #expect(host.diagnosis(file)?.problem.contains("\"box_released\"") == true)
    #expect(host.registrations.isEmpty)
  }
}
