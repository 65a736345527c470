import Foundation
import TestSupport
import Testing
import TroupeHost

@Suite("C factories with a contract") struct ContractTests {
  @Test("Transforms of several plugins resolve as one array, in registration order")
  func transforms() async throws {
    let directory = try PluginDirectory()
    try directory.add(
      "healthy/stage.c", as: "2",
      ["ID": "org.example.b".quoted, "UUID": "57a6e000-0000-4000-8000-000000000002".quoted, "MARK": "b".quoted])
    try directory.add("healthy/stage.c", as: "1")
    try directory.add(
      "healthy/stage.c", as: "3",
      ["ID": "org.example.c".quoted, "UUID": "57a6e000-0000-4000-8000-000000000003".quoted, "MARK": "c".quoted])
    let host = directory.host()
    await host.start()
    let stages: [any Transform] = try await host.container.resolve(tags: "text")
    #expect(try stages.map { try $0.transformed("x") } == ["ax.", "bx.", "cx."])
    let one: any Transform = try await host.container.resolve(
      tags: uuid("57a6e000-0000-4000-8000-000000000002"), "text", "org.example.b")
    #expect(try one.transformed("y") == "by.")
    #expect(
      try await host.resolve(tags: ["text"], contract: Contract.transform.name).map(\.registration.plugin) == [
        "org.example.stage", "org.example.b", "org.example.c",
      ])
    #expect(try await host.resolve(tags: ["57A6E000-0000-4000-8000-000000000003"]).count == 1)
    #expect(try await host.resolve(tags: ["text", "nothing"]).isEmpty)
    #expect(host.registrations.map(\.metadata) == [["mark": "a"], ["mark": "b"], ["mark": "c"]])
  }

  @Test("A transform's failure carries its own message; an output's error passes through C; a refused write fails the stream")
  func failures() async throws {
    struct Full: Error {}
    final class Refusing: TransformOutput {
      func write(_ bytes: Span<UInt8>) throws { throw Full() }
    }
    let directory = try PluginDirectory()
    try directory.add("healthy/stage.c")
    let host = directory.host()
    await host.start()
    let stages: [any Transform] = try await host.container.resolve(tags: "text")
    let stage = try #require(stages.first)
    #expect { try stage.transformed("fail") } throws: { "\($0)" == "the input says so" }
    // The plugin ignores the status of these writes.
    for text in ["NULL", "huge"] { #expect(throws: TransformError.self) { try stage.transformed(text) } }
    #expect(try stage.transformed("none") == ".")
    #expect(throws: Full.self) { try stage.feed([1].span, to: Refusing()) }
  }

  @Test("Instances of an unknown contract are foreign instances with the plugin's table", .inProcess)
  func unknown() async throws {
    let directory = try PluginDirectory()
    try directory.add("healthy/boxes.c")
    let host = directory.host()
    await host.start()
    let box: ForeignInstance = try await host.container.resolve(
      tags: uuid("b0e50000-0000-4000-8000-000000010000"), "box", args: 5)
    #expect(box.contract == "org.example.box/1")
    #expect(box.object.load(as: Int64.self) == 5)
    #expect(box.vtable?.load(fromByteOffset: 4, as: Int32.self) == 42)
  }

  @Test("Instances of the program's own contract have its Swift type", .inProcess)
  func own() async throws {
    struct Box: ForeignBacked {
      let foreign: ForeignInstance
      var number: Int64 { foreign.object.load(as: Int64.self) }
    }
    let directory = try PluginDirectory()
    try directory.add("healthy/boxes.c")
    let host = directory.host(contracts: [Contract("org.example.box/1", Box.self, minimumTableSize: 8) { Box(foreign: $0) }])
    await host.start()
    let box: Box = try await host.container.resolve(tags: uuid("b0e50000-0000-4000-8000-000000010000"), "box", args: 5)
    #expect(box.number == 5)
    #expect(try await host.resolve(tags: ["only"]).map { ($0.value as? Box)?.number } == [7])
  }

  @Test("A table that fails the check of the program's contract is refused", .inProcess)
  func ownCheck() async throws {
    let contracts = [
      Contract("org.example.box/1", ForeignInstance.self, minimumTableSize: 16) { $0 },
      Contract(
        "org.example.box/1", ForeignInstance.self, minimumTableSize: 8, checkTable: { _ in "vtable is not to my liking" }
      ) { $0 },
    ]
    for (contract, problem) in zip(
      contracts, ["at least 16", "vtable is not to my liking"])
    {
      let directory = try PluginDirectory()
      let path = try directory.add("healthy/boxes.c")
      let host = directory.host(contracts: [contract])
      await host.start()
      let diagnosis = try #require(host.diagnosis(path))
      #expect(diagnosis.code == .refused)
      #expect(diagnosis.problem.contains("TROUPE_INVALID_CONTRACT") && diagnosis.problem.contains(problem), "\(diagnosis)")
    }
  }

  @Test(
    "Wrong .inProcess, arguments and a failing factory are errors with the reason",
    .inProcess,
    arguments: [
      (["13"], "box of org.example.boxes: 13 brings bad luck"),
      (["14"], "box of org.example.boxes: it returned NULL and gave no reason"),
      ([], "box of org.example.boxes: 0 arguments given"),
      (["x"], "box of org.example.boxes: argument 1 \"number\": "),
      (["9223372036854775808"], "box of org.example.boxes: argument 1 \"number\": int64_t cannot hold 9223372036854775808"),
    ])
  func failing(_ arguments: [String], _ description: String) async throws {
    let directory = try PluginDirectory()
    try directory.add("healthy/boxes.c")
    let host = directory.host()
    await host.start()
    await #expect {
      try await host.resolve(tags: ["b0e50000-0000-4000-8000-000000010000"], arguments: .text(arguments))
    } throws: {
      "\($0)".hasPrefix(description)
    }
    // The message of one failure is not repeated for the next.
    await #expect {
      try await host.resolve(tags: ["b0e50000-0000-4000-8000-000000010000"], arguments: .values([.integer(14)]))
    } throws: {
      "\($0)".hasSuffix("it returned NULL and gave no reason")
    }
  }
}
