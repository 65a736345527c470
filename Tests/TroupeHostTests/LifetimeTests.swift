import Foundation
import TestSupport
import Testing
import TroupeCall
import TroupeHost

@Suite("Lifetimes of C instances") struct LifetimeTests {
  /// The UUIDs of the fixture's factories.
  static let box = uuid("b0e50000-0000-4000-8000-000000010000")
  static let only = uuid("b0e50000-0000-4000-8000-000000020000")

  @Test("A transient instance is made for each resolve and destroyed once, after its last use", .inProcess)
  func transient() async throws {
    let directory = try PluginDirectory()
    try directory.add("healthy/boxes.c")
    let host = directory.host()
    await host.start()
    var first: ForeignInstance? = try await host.container.resolve(tags: Self.box, "box", args: 1)
    var second: ForeignInstance? = try await host.container.resolve(tags: Self.box, "box", args: 2)
    #expect(first?.object != second?.object)
    #expect(try host.call("made") == .integer(2))
    let third = first
    first = nil
    #expect(try host.call("ended") == .integer(0))
    second = nil
    #expect(try host.call("ended") == .integer(1))
    #expect(third?.object.load(as: Int64.self) == 1)
  }

  @Test("Arguments of other types are converted, and the error of an invalid one names it", .inProcess)
  func arguments() async throws {
    let directory = try PluginDirectory()
    try directory.add("healthy/boxes.c")
    let host = directory.host()
    await host.start()
    func box(_ argument: some Sendable) throws -> Int64 {
      let box: ForeignInstance = try host.container.resolve(tags: Self.box, "box", args: argument)
      return box.object.load(as: Int64.self)
    }
    #expect(try box(Int64(-1)) == -1)
    #expect(try box(2) == 2)
    #expect(try box(UInt8(3)) == 3)
    #expect(try box(Value.integer(4)) == 4)
    let error = try #require(throws: CallError.self) { try box("five") }
    #expect(error.description.contains("argument 1"))
    #expect(throws: CallError.self) { try box(UInt64.max) }
  }

  @Test("A singleton is made once for all callers, and destroyed once, at shutdown", .inProcess)
  func singleton() async throws {
    let directory = try PluginDirectory()
    try directory.add("healthy/boxes.c")
    let log = LogLines()
    let host = directory.host(log: log)
    await host.start()
    let objects = try await withThrowingTaskGroup(of: UInt.self) { group in
      for _ in 0..<8 {
        group.addTask {
          let box: ForeignInstance = try host.container.resolve(tags: Self.only, "box", "only")
          return UInt(bitPattern: box.object)
        }
      }
      return try await group.reduce(into: Set<UInt>()) { $0.insert($1) }
    }
    #expect(objects.count == 1)
    #expect(try host.call("made") == .integer(1))
    #expect(try host.call("ended") == .integer(0))
    host.shutdown()
    host.shutdown()
    #expect(log.all == ["info org.example.boxes: the box 7 ends"])
  }

  @Test("Singletons are destroyed in the reverse order of the plugins", .inProcess)
  func reverseOrder() async throws {
    let directory = try PluginDirectory()
    for (index, name) in ["a", "b", "c"].enumerated() {
      try directory.add("healthy/boxes.c", as: name, ["ID": "org.example.\(name)".quoted, "SERIES": "000\(index)".quoted])
    }
    let log = LogLines()
    let host = directory.host(log: log)
    await host.start()
    #expect(try await host.resolve(tags: ["only"]).count == 3)
    host.shutdown()
    #expect(log.all == ["c", "b", "a"].map { "info org.example.\($0): the box 7 ends" })
    #expect(host.states == ["a.so retired", "b.so retired", "c.so retired"])
  }

  @Test("Shutdown closes a C image without remaining users, on request", .inProcess)
  func closed() async throws {
    let directory = try PluginDirectory()
    let path = try directory.add("healthy/boxes.c")
    let host = directory.host(unloads: true)
    await host.start()
    #expect(try isMapped(path))
    #expect(try await host.resolve(tags: ["only"]).count == 1)
    host.shutdown()
    #expect(try !isMapped(path))
    #expect(host.registrations.isEmpty)
  }

  @Test("A C image stays open while an instance lives, and is closed after its release", .inProcess)
  func instanceHoldsImage() async throws {
    let directory = try PluginDirectory()
    let path = try directory.add("healthy/boxes.c")
    let log = LogLines()
    let host = directory.host(log: log, unloads: true)
    await host.start()
    var box: ForeignInstance? = try await host.container.resolve(tags: Self.box, "box", args: 1)
    host.shutdown()
    #expect(try isMapped(path))
    #expect(box?.object.load(as: Int64.self) == 1)
    #expect(log.all.isEmpty)
    box = nil
    #expect(log.all == ["info org.example.boxes: the box 1 ends"])
    #expect(try !isMapped(path))
  }

  @Test("A held function keeps the image open", .inProcess)
  func functionHoldsImage() async throws {
    let directory = try PluginDirectory()
    let path = try directory.add("healthy/scalars.c")
    let host = directory.host(unloads: true)
    await host.start()
    var area: ForeignFunction? = try host.function(try #require(host.functions("area").first))
    host.shutdown()
    #expect(try isMapped(path))
    #expect(try area?(2.0, 3.0) == .double(6))
    area = nil
    #expect(try !isMapped(path))
  }

  @Test("A typed call keeps the image open without its function", .inProcess)
  func typedCallHoldsImage() async throws {
    let directory = try PluginDirectory()
    let path = try directory.add("healthy/scalars.c")
    let host = directory.host(unloads: true)
    await host.start()
    var area: TypedCall<(Double, Double) -> Double>? =
      try host.function(try #require(host.functions("area").first)).typed(as: ((Double, Double) -> Double).self)
    host.shutdown()
    #expect(try isMapped(path))
    #expect(area?(2, 3) == 6)
    area = nil
    #expect(try !isMapped(path))
  }

  @Test("The image of a plugin that registers nothing stays open until the host shuts down", .inProcess)
  func registersNothing() async throws {
    let directory = try PluginDirectory()
    let path = try directory.add("healthy/empty.c")
    let host = directory.host(unloads: true)
    await host.start()
    #expect(host.states == ["empty.so active"])
    #expect(try isMapped(path))
    host.shutdown()
    #expect(try !isMapped(path))
  }

  @Test("A host shuts down when its last reference is released", .inProcess)
  func hostEnds() async throws {
    let directory = try PluginDirectory()
    let path = try directory.add("healthy/boxes.c")
    let log = LogLines()
    var host: PluginHost? = directory.host(log: log, unloads: true)
    await host?.start()
    #expect(try await host?.resolve(tags: ["only"]).count == 1)
    host = nil
    #expect(log.all == ["info org.example.boxes: the box 7 ends"])
    #expect(try !isMapped(path))
  }
}
