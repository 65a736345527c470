import Foundation
import TestSupport
import Testing
import TroupeContainer

@testable import TroupeFiles
@testable import TroupeHost
@testable import TroupeSandbox

/// A protocol and types, whose names repeat words.
protocol MangledGreeter {}
struct MangledGreeterTypes {
  enum Kind { case a }
  final class KindList {}
  struct Box<Content> {}
}

@Suite("Types by mangled names of others")
struct MangledTypeTests {
  /// Types whose names have each form that is read.
  static let types: [any Any.Type] = [
    Int.self, UInt.self, String.self, Substring.self, Character.self, Bool.self, Double.self, Float.self, Int8.self,
    UInt64.self,
    UUID.self, Data.self, Duration.self, UnsafeRawPointer.self, ObjectIdentifier.self, (any Error).self,
    (any MangledGreeter).self,
    MangledGreeterTypes.self, MangledGreeterTypes.Kind.self, MangledGreeterTypes.KindList.self, (any Transform).self,
    [String].self, Double?.self, [UInt8].self, [[Int]?].self, [any MangledGreeter].self,
  ]

  @Test("The type of a plain name is found", arguments: types.indices)
  func plain(index: Int) throws {
    let name = try #require(_mangledTypeName(Self.types[index]))
    let type = try #require(MangledType(name), "\(name)")
    #expect(type.type == Self.types[index])
  }

  @Test(
    "A type that no image defines is unknown", arguments: ["5Chart6ColumnV", "5Chart6Column_p", "Say5Chart6ColumnVG", "$3_"])
  func unknown(name: String) throws {
    #expect(try #require(MangledType(name)).type == nil)
  }

  @Test("A name of another form is not read")
  func others() {
    let types: [any Any.Type] = [
      MangledGreeterTypes.Box<Int>.self, [String: Int].self, (Int, Int).self, ((Int) -> Void).self, Any.self,
      (any MangledGreeter & Sequence).self,
    ]
    for type in types { #expect(MangledType(_mangledTypeName(type) ?? "") == nil) }
    let forged = [
      "", "S", "Sa", "_p", "Si_p", "4Demo", "4DemoV", "4Demo3Foo", "4Demo3FooV_", "4Demo3FooVp", "9Demo", "0A", "0", "00",
      "4Demo0Z",
      "\u{1}\u{2}\u{3}\u{4}\u{5}", "Si\u{0}",
      String(repeating: "Say", count: 300_000) + "Si" + String(repeating: "G", count: 300_000),
      String(repeating: "9", count: 1 << 20), "Si" + String(repeating: "Sg", count: 500_000),
      "4Demo" + String(repeating: "1aV", count: 400),
    ]
    for name in forged { #expect(MangledType(name) == nil, "\(name.prefix(40))") }
  }

  @Test("No forged name crashes the process")
  func forged() async {
    await #expect(processExitsWith: .success) {
      var generator = SplitMix64(seed: 35)
      let names = MangledTypeTests.types.map { Array((_mangledTypeName($0) ?? "").utf8) }
      let parts = [
        "AA", "AB", "V", "C", "O", "_p", "S", "s", "0A", "0aB", "3Foo", "Say", "G", "Sg", "y", "LL", "$", "A", "_", "1a",
      ]
      for _ in 0..<20_000 {
        var name = names.randomElement(using: &generator) ?? []
        for _ in 0..<Int.random(in: 1...4, using: &generator) {
          let position = Int.random(in: 0...name.count, using: &generator)
          switch Int.random(in: 0..<4, using: &generator) {
          case 0: name.insert(contentsOf: (parts.randomElement(using: &generator) ?? "").utf8, at: position)
          case 1: name.removeLast(name.count - position)
          case 2: name.insert(UInt8.random(in: 0...127, using: &generator), at: position)
          default: name += (names.randomElement(using: &generator) ?? []).suffix(position)
          }
        }
        _ = MangledType(String(decoding: name, as: UTF8.self))
      }
    }
  }

  private func lazyRegistrations(_ types: RegistrationDescription.Types) -> PendingRegistrations? {
    let factory = RegistrationDescription(
      plugin: "org.example.a", uuid: nil, name: "a", contract: nil, tags: [], signature: "() -> A", lifetime: .transient,
      metadata: [:], types: types)
    let summary = PluginSummary(registrations: [factory], isComplete: true)
    return PendingRegistrations(summary, plugin: "org.example.a", factories: PluginRegistry(contracts: [])) {}
  }

  @Test(
    "A pending registration has a type that is known, or that no request can name; for any other the plugin has to be opened")
  func lazy() {
    #expect(lazyRegistrations(.swift(instance: "SS", arguments: ["Si"]))?.hasUnknownTypes == false)
    #expect(lazyRegistrations(.swift(instance: "5Chart6ColumnV", arguments: []))?.hasUnknownTypes == true)
    #expect(lazyRegistrations(.swift(instance: "SDySSSiG", arguments: [])) == nil)
    #expect(lazyRegistrations(.swift(instance: "SS", arguments: ["SDySSSiG"])) == nil)
    #expect(lazyRegistrations(.swift(instance: "S", arguments: [])) == nil)
  }

  // MARK: In a host

  static let forgedTypes = [
    (instance: "$3_", arguments: [String]()), (instance: "SS", arguments: ["$3_"]),
    (instance: "\u{1}\u{2}\u{3}\u{4}\u{5}", arguments: ["S", String(repeating: "9", count: 4000)]),
  ]

  private static func summary(_ plugin: String, _ types: RegistrationDescription.Types) -> PluginSummary {
    let forged = RegistrationDescription(
      plugin: plugin, uuid: nil, name: "forged", contract: nil, tags: ["forged"], signature: "() -> Forged",
      lifetime: .transient, metadata: [:], types: types)
    return PluginSummary(registrations: [forged], isComplete: true)
  }

  @Test("A worker that reports forged types does not harm the host", arguments: forgedTypes, [false, true])
  func forgedReport(types: (instance: String, arguments: [String]), isTransform: Bool) async throws {
    let instance = isTransform ? try #require(_mangledTypeName((any Transform).self)) : types.instance
    let summary = Self.summary("org.example.functions", .swift(instance: instance, arguments: types.arguments))
    let report = WorkerReport(plugins: [.init(id: "org.example.functions", summary: summary)], maps: [])
    let bytes = RecordWriter.bytes(report).map { "\($0)" }.joined(separator: ",")
    let isolated = try await IsolatedHost("isolation/functions.c", ["FORGED_REPORT": bytes]) { $0.concurrentCalls = 1 }
    let plugin = try #require(isolated.host.plugins.first)
    #expect(plugin.state == .active)
    #expect(isolated.host.registrations.map(\.name) == (isTransform ? ["forged"] : []))
    #expect(plugin.refusals.map(\.code) == (isTransform ? [] : [.unavailable]))
    // The arguments are read by the types of the parameters, as far as these are known.
    if isTransform {
      await #expect(throws: RegistrationError.self) {
        try await isolated.host.resolve(tags: ["forged"], arguments: .text(["a", "b", "c"]))
      }
    }
  }

  @Test("A report with the registrations of another plugin is malformed")
  func foreignReport() throws {
    let summary = Self.summary("org.example.a", .c)
    let bytes = { RecordWriter.bytes(WorkerReport(plugins: [.init(id: $0, summary: summary)], maps: [])) }
    #expect(try RecordReader.value(WorkerReport.self, bytes("org.example.a")).plugins.count == 1)
    #expect(throws: ReadError("the registrations of org.example.b are of another plugin")) {
      try RecordReader.value(WorkerReport.self, bytes("org.example.b"))
    }
  }

  @Test("A cache with forged types does not harm the host", arguments: forgedTypes)
  func forgedCache(types: (instance: String, arguments: [String])) async throws {
    let plugin = try VersionedPlugin()
    let cache = plugin.directory.directory.file("cache")
    func host() async -> PluginHost {
      var options = plugin.directory.options()
      (options.loading, options.probing, options.cacheDirectory) = (.lazy, .newContent, cache)
      let host = PluginHost(options)
      await host.start()
      return host
    }
    let names = await host().registrations.map(\.name)
    let directory = cache + "/registry"
    for name in try FileManager.default.contentsOfDirectory(atPath: directory) {
      let url = URL(filePath: "\(directory)/\(name)")
      var file = try ProbeCacheFile(bytes: Array(Data(contentsOf: url)))
      #expect(!file.entries.isEmpty)
      let id = try #require(file.entries.values.first?.summary.registrations.first?.plugin)
      let forged = Self.summary(id, .swift(instance: types.instance, arguments: types.arguments))
      file.entries = file.entries.mapValues {
        ProbeCacheFile.Entry(files: $0.files, content: $0.content, configuration: $0.configuration, summary: forged)
      }
      try Data(file.bytes).write(to: url)
    }
    let second = await host()
    #expect(second.plugins.count == 1 && second.plugins.allSatisfy { $0.state.diagnosis == nil })
    // A name that cannot be read has the plugin opened.
    if types.instance.hasPrefix("\u{1}") { #expect(second.registrations.map(\.name) == names) }
  }
}
