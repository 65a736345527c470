import Foundation
import TestSupport
import Testing
import TroupeHost

@Suite("Loading and the entry") struct EntryTests {
  /// Starts a host with a faulty plugin and a healthy one. Expects that the healthy one works. Returns the fault.
  static func diagnosis(
    _ fixture: String, _ definitions: [String: String] = [:], options: [String] = [], log: LogLines = LogLines()
  ) async throws -> Diagnosis {
    let directory = try PluginDirectory()
    let path = try directory.add(fixture, as: "faulty", definitions, options: options)
    try directory.add("healthy/scalars.c", as: "zz-healthy")
    let host = directory.host(log: log)
    await host.start()
    #expect(try host.call("int", .integer(1)) == .integer(1))
    #expect(host.registrations.allSatisfy { $0.plugin == "org.example.scalars" })
    let diagnosis = try #require(host.diagnosis(path))
    #expect(!diagnosis.description.contains { $0.isNewline })
    #expect(diagnosis.description.hasPrefix(path + ": "))
    return diagnosis
  }

  @Test("A library without an entry is rejected")
  func noEntry() async throws {
    let diagnosis = try await Self.diagnosis("faulty/no-entry.c")
    #expect(diagnosis.code == .noEntry)
    #expect(diagnosis.reason == "has no function troupe_plugin_main; define it and mark it TROUPE_EXPORT")
  }

  @Test(
    "An entry that fails is rejected with its status and message, and its registrations are removed",
    arguments: [
      ("TROUPE_FAILED", "TROUPE_FAILED"), ("TROUPE_OUT_OF_MEMORY", "TROUPE_OUT_OF_MEMORY"), ("4711", "the status 4711"),
      ("-1", "the status -1"),
    ])
  func failingEntry(_ status: String, _ words: String) async throws {
    let diagnosis = try await Self.diagnosis("faulty/entry-fails.c", ["STATUS": status])
    #expect(diagnosis.code == .refused)
    #expect(diagnosis.problem.hasSuffix(" \(words): there is no license"))
  }

  @Test("An entry that fails without a message is rejected with its status and the remedy to report the reason")
  func silentEntry() async throws {
    let diagnosis = try await Self.diagnosis("faulty/entry-fails.c", ["REASON": "0"])
    #expect(diagnosis.problem == "was refused by its own entry, which returned TROUPE_FAILED and gave no reason")
    #expect(diagnosis.remedy == "report the reason with troupe_host.fail")
  }

  @Test("A message of several lines is reported on one line")
  func severalLines() async throws {
    let diagnosis = try await Self.diagnosis("faulty/entry-fails.c", ["REASON": "\"one\\ntwo\\033[2J\""])
    #expect(diagnosis.problem.hasSuffix(": one two [2J"))
  }

  @Test("A missing shared library is reported with the loader's message")
  func missingDependency() async throws {
    let elsewhere = try TemporaryDirectory()
    let source = try elsewhere.write("elsewhere.c", "int from_elsewhere(void) { return 0; }".utf8)
    try Repo.compile([source], to: elsewhere.file("libtroupe-elsewhere.so"), options: ["-fvisibility=default"])
    let diagnosis = try await Self.diagnosis(
      "faulty/missing-dependency.c", options: ["-L", elsewhere.path, "-ltroupe-elsewhere"])
    #expect(diagnosis.code == .notLoadable)
    #expect(diagnosis.problem.hasPrefix("cannot be loaded: libtroupe-elsewhere.so: cannot open shared object file"))
  }

  @Test("An undefined symbol is reported with the loader's message")
  func missingSymbol() async throws {
    let diagnosis = try await Self.diagnosis("faulty/missing-dependency.c")
    #expect(diagnosis.code == .notLoadable)
    #expect(diagnosis.problem.contains("undefined symbol: from_elsewhere"))
  }

  @Test("A duplicate UUID in one plugin is refused with both names")
  func duplicateUUID() async throws {
    let diagnosis = try await Self.diagnosis("faulty/duplicate-uuid.c")
    #expect(diagnosis.code == .refused)
    #expect(diagnosis.problem.contains("returned TROUPE_DUPLICATE: the factory \"second\": has the UUID"))
    #expect(diagnosis.problem.hasSuffix("which \"first\" of org.example.duplicate-uuid already has"))
    // The remedy of the refused registration, and no other.
    #expect(diagnosis.remedy == "make another with uuidgen")
  }

  @Test("An entry that ignores a duplicate UUID keeps its other factories, and the log names the refused one")
  func duplicateIgnored() async throws {
    let directory = try PluginDirectory()
    try directory.add("faulty/duplicate-uuid.c", ["IGNORE": "1"])
    let log = LogLines()
    let host = directory.host(log: log)
    await host.start()
    #expect(host.states == ["duplicate-uuid.so active"])
    #expect(host.registrations.map(\.name) == ["first"])
    #expect(log.texts.count == 1)
    #expect(log.texts.first?.hasPrefix("error org.example.duplicate-uuid: the factory \"second\": ") == true)
  }

  @Test("A thousand refusals are kept, and further ones are counted")
  func manyRefusals() async throws {
    let directory = try PluginDirectory()
    try directory.add("faulty/duplicate-uuid.c", ["IGNORE": "1", "TIMES": "1500"])
    let host = directory.host()
    await host.start()
    let refusals = try #require(host.plugins.first).refusals
    #expect(refusals.count == 1001)
    #expect(refusals.dropLast().allSatisfy { $0.code == .duplicateUUID })
    #expect(refusals.last?.problem.hasPrefix("500 ") == true)
  }

  @Test("A UUID that another plugin has registered is refused, and the fault names that plugin", .inProcess)
  func duplicateAcrossPlugins() async throws {
    let directory = try PluginDirectory()
    try directory.add("healthy/stage.c", as: "a")
    let later = try directory.add("healthy/stage.c", as: "b", ["ID": "org.example.later".quoted])
    try directory.add("faulty/duplicate-uuid.c", as: "c", ["IGNORE": "1"])
    let log = LogLines()
    let host = directory.host(log: log)
    await host.start()
    #expect(host.states == ["a.so active", "b.so rejected", "c.so active"])
    #expect(host.diagnosis(later)?.problem.contains("\"stage a\" of org.example.stage") == true)
    #expect(host.registrations.map(\.plugin) == ["org.example.stage"])
    #expect(log.texts.count == 1)
    #expect(log.texts.first?.contains("\"stage a\" of org.example.stage") == true)
  }
}
