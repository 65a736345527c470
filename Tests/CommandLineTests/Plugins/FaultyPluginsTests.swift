import Foundation
import TestSupport
import Testing

/// All faulty plugins beside all healthy ones in one directory of plugins.
@Suite("Faulty plugins beside healthy ones", .timeLimit(.minutes(60)))
struct FaultyPluginsTests {
  private let plugins: TemporaryDirectory
  private let home: TemporaryDirectory
  /// An environment variable's value that identifies all processes of this test.
  private let marker = UUID().uuidString

  init() throws {
    plugins = try TemporaryDirectory()
    home = try TemporaryDirectory()
    for name in ["temporary", "cache", "state"] {
      try FileManager.default.createDirectory(atPath: home.file(name), withIntermediateDirectories: false)
    }
  }

  private func command(_ words: String..., loads: Bool = true) throws -> Run {
    let directory = ["--plugins", plugins.path] + (loads ? ["--probe-deadline", "1"] : [])
    return try run(
      unset(except: ["XDG_CACHE_HOME", "XDG_STATE_HOME"]) + [Repo.troupe] + words.prefix(1) + directory + words.dropFirst(),
      environment: [
        "XDG_CACHE_HOME": home.file("cache"), "XDG_STATE_HOME": home.file("state"), "TMPDIR": home.file("temporary"),
        "TROUPE_TEST_MARKER": marker,
      ])
  }

  private func list() throws -> [String: ListedPlugin] {
    let listed = try json([ListedPlugin].self, command("list", "--json", loads: false))
    return Dictionary(uniqueKeysWithValues: listed.map { ($0.path, $0) })
  }

  /// The codes of the plugins in quarantine, by their paths.
  private func quarantineCodes() throws -> [String: String] {
    struct Entry: Decodable {
      let path, code: String
    }
    let run = try run(
      unset(except: ["XDG_STATE_HOME"]) + [Repo.troupe, "quarantine", "list", "--json"],
      environment: ["XDG_STATE_HOME": home.file("state")])
    return Dictionary(try json([Entry].self, run).map { ($0.path, $0.code) }) { first, _ in first }
  }

  private func addHealthy() throws {
    for name in ["boxes", "resolving", "scalars", "services", "signatures", "stage"] {
      try Repo.compile([Repo.fixture("healthy/\(name).c")], to: plugins.file("healthy-\(name).so"))
    }
    try Repo.compile([Repo.fixture("healthy/empty.c")], to: plugins.file("aa-empty.so"))
    try Repo.compile(
      [Repo.fixture("healthy/needy.c")], to: plugins.file("healthy-needy.so"),
      options: [#"-DID="org.example.needy""#, #"-DREQUIRES=TROUPE_REQUIRES("org.example.boxes ^1.0.0")"#])
    for name in ["activation", "arguments", "chain", "upper"] { try plugins.add("healthy/\(name)") }
    try FileManager.default.createDirectory(atPath: plugins.file("library"), withIntermediateDirectories: false)
    try Repo.compile([Repo.fixture("healthy/box-library.c")], to: plugins.file("library/box.so"))
    try plugins.write(
      "healthy-adopted.troupe.json",
      """
      {
        "id": "org.example.adopted", "name": "Adopted", "version": "1.0.0", "library": "library/box.so",
        "functions": [
          {"uuid": "0d6a7f10-52c5-4a3c-9a1b-3f6f0b0c9a77", "name": "twice", "symbol": "box_twice", "signature": "int64_t (int64_t number)"}
        ]
      }

      """.utf8)
  }

  @Test("Each file of Tests/Fixtures/faulty is in the table, which has at least fifty entries")
  func complete() throws {
    let files = try FileManager.default.contentsOfDirectory(atPath: Repo.fixture("faulty"))
    #expect(Set(files) == Set(FaultyPlugin.all.map(\.fixture)))
    #expect(files.count >= 50)
    #expect(Set(FaultyPlugin.all.map(\.name)).count == FaultyPlugin.all.count)
  }

  @Test("Healthy plugins work, each faulty one has its own reason, the host survives, and no process or file is left")
  func everything() throws {
    try addHealthy()
    for plugin in FaultyPlugin.all { try plugin.add(to: plugins) }

    // list runs no plugin code.
    let found = try list()
    #expect(found.count == FaultyPlugin.all.count + 13)
    for plugin in FaultyPlugin.all {
      let listed = try #require(found[plugins.file(plugin.name + ".so")])
      if case .refused(let reason) = plugin.verdict {
        #expect(listed.state == "rejected", "\(plugin.name)")
        #expect(listed.reason?.contains(reason) == true, "\(plugin.name): \(listed.reason ?? "-")")
      } else {
        #expect(listed.state == "admitted", "\(plugin.name): \(listed.reason ?? "-")")
      }
    }

    // resolve runs the plugins' code.
    let texts = try command("resolve", "--tag", "text", "--json")
    #expect(texts.status == 0, "\(texts.errors)")
    let instances = try JSONDecoder().decode([ListedInstance].self, from: texts.output)
    #expect(Set(instances.map(\.name)) == ["stage a", "upper"])
    let lines = Dictionary(
      texts.errorLines.map { line in
        let parts = line.dropFirst("troupe: ".count).split(separator: ": ", maxSplits: 1)
        return (String(parts[0]), String(parts.last ?? ""))
      }, uniquingKeysWith: { first, _ in first })
    for plugin in FaultyPlugin.all {
      let line = lines[plugins.file(plugin.name + ".so")]
      switch plugin.verdict {
      case .rejected(let reason): #expect(line?.contains(reason) == true, "\(plugin.name): \(line ?? "-")")
      case .quarantined(_, let reason, let isLocated):
        #expect(line?.contains(reason) == true, "\(plugin.name): \(line ?? "-")")
        #expect(!isLocated || line?.contains("\(plugin.name).so+0x") == true, "\(plugin.name): \(line ?? "-")")
      case .refused, .works: #expect(line == nil, "\(plugin.name): \(line ?? "-")")
      }
    }
    #expect(!texts.errors.contains("healthy-"), "\(texts.errors)")

    // Quarantined plugins are not run again.
    let known = try list()
    let codes = try quarantineCodes()
    for plugin in FaultyPlugin.all {
      guard case .quarantined(let code, _, _) = plugin.verdict else { continue }
      let path = plugins.file(plugin.name + ".so")
      #expect(known[path]?.state == "quarantined", "\(plugin.name)")
      #expect(codes[path] == code.rawValue, "\(plugin.name)")
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: home.file("state/troupe/quarantine")).count == quarantined)

    // Each healthy plugin works.
    for (words, result) in [
      (["call", "51c7a700-0000-4000-8000-000000000000", "3", "4"], "12"), (["call", "int", "7"], "7\n"),
      (["call", "made"], "0\n"),
      (["call", "twice", "21"], "42\n"), (["call", "allocate", "64"], "true\n"),
      (["call", "resolve", "org.example.box/1", "box"], nil),
    ] as [([String], String?)] {
      let call = try command(words[0], words.dropFirst())
      #expect(call.status == 0, "\(words): \(call.errors)")
      if let result { #expect(call.text.hasPrefix(result), "\(words): \(call.text)") }
    }
    let census: [ListedInstance] = try decoded(command("resolve", "--tag", "census", "--json"))
    #expect(census.map(\.instance) == ["2 transforms, 2 after a cast"])
    let described: [ListedInstance] = try decoded(
      command("resolve", "--tag", "describe", "--arg", "1", "--arg", "2", "--arg", "true", "--arg", "x", "--json"))
    #expect(described.map(\.instance) == ["1 2.0 true x"])

    // No process and no unknown file is left.
    #expect(try processes() == [])
    #expect(try FileManager.default.contentsOfDirectory(atPath: home.file("temporary")) == [])
    #expect(try FileManager.default.contentsOfDirectory(atPath: home.file("state")) == ["troupe"])
    #expect(try FileManager.default.contentsOfDirectory(atPath: home.file("state/troupe")) == ["quarantine"])
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: home.file("cache/troupe")).sorted() == ["registry", "rejections"])
    let entries = try FileManager.default.contentsOfDirectory(atPath: home.file("state/troupe/quarantine"))
    #expect(entries.allSatisfy { $0.wholeMatch(of: #/[0-9a-f]{64}-[0-9]+\.json/#) != nil }, "\(entries)")
    let registries = try FileManager.default.contentsOfDirectory(atPath: home.file("cache/troupe/registry"))
    #expect(registries.allSatisfy { $0.wholeMatch(of: #/[0-9a-f]{64}/#) != nil }, "\(registries)")
  }

  private var quarantined: Int {
    FaultyPlugin.all.count {
      if case .quarantined = $0.verdict { true } else { false }
    }
  }

  private func command(_ word: String, _ words: ArraySlice<String>) throws -> Run {
    try run(
      unset(except: ["XDG_CACHE_HOME", "XDG_STATE_HOME"]) + [Repo.troupe, word, "--plugins", plugins.path] + words,
      environment: [
        "XDG_CACHE_HOME": home.file("cache"), "XDG_STATE_HOME": home.file("state"), "TMPDIR": home.file("temporary"),
        "TROUPE_TEST_MARKER": marker,
      ])
  }

  private func decoded<Content: Decodable>(_ run: Run) throws -> Content {
    #expect(run.status == 0, "\(run.errors)")
    return try JSONDecoder().decode(Content.self, from: run.output)
  }

  /// The running processes of this test.
  private func processes() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: "/proc").filter { name in
      guard Int(name) != nil, let environment = try? Data(contentsOf: URL(filePath: "/proc/\(name)/environ")) else {
        return false
      }
      return environment.range(of: Data(marker.utf8)) != nil
    }
  }
}
