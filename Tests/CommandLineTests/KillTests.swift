import Foundation
import TestSupport
import Testing

/// Kills the command `TROUPE_KILLS` times, twenty by default.
///
/// One test after the other: what a process that is started here inherits, such as a file that the other test just writes, is
/// open for as long as the process.
@Suite("Hosts that are killed, and hosts at once", .serialized, .timeLimit(.minutes(30)))
struct KillTests {
  private static let kills = ProcessInfo.processInfo.environment["TROUPE_KILLS"].flatMap { Int($0) } ?? 20

  private let plugins: TemporaryDirectory
  private let home: TemporaryDirectory
  /// In the environment of everything that is started.
  private let marker = UUID().uuidString
  /// The files that are replaced, in two versions each, whose number stands behind their names.
  private let versions: TemporaryDirectory
  private static let replaced = ["stage.so", "crash.so"]

  init() throws {
    plugins = try TemporaryDirectory()
    home = try TemporaryDirectory()
    versions = try TemporaryDirectory()
    for number in 0..<2 {
      try Self.compile("healthy/stage.c", to: versions.file("stage.so.\(number)"), "-DMARK=\"\(number)\"")
      try Self.compile("faulty/crash-in-entry.c", to: versions.file("crash.so.\(number)"), "-Wl,-soname,crash.so.\(number)")
    }
    for name in ["boxes", "scalars", "services", "signatures", "versioned"] {
      try Self.compile("healthy/\(name).c", to: plugins.file(name + ".so"))
    }
    try Self.compile("faulty/exit.c", to: plugins.file("exit.so"))
    try FileManager.default.createDirectory(atPath: plugins.file("library"), withIntermediateDirectories: false)
    try Self.compile("healthy/box-library.c", to: plugins.file("library/box.so"))
    try plugins.write(
      "adopted.troupe.json",
      """
      {
        "id": "org.example.adopted", "name": "Adopted", "version": "1.0.0", "library": "library/box.so",
        "functions": [
          {"uuid": "0d6a7f10-52c5-4a3c-9a1b-3f6f0b0c9a77", "name": "twice", "symbol": "box_twice",
           "signature": "int64_t (int64_t number)", "tags": ["text"]}
        ]
      }

      """.utf8)
    try replace(version: 0)
  }

  private static func compile(_ fixture: String, to path: String, _ options: String...) throws {
    try Tree.compile([Tree.fixture(fixture)], to: path, options: options)
  }

  /// Puts one version of each file that has two into its place, as an installer does it.
  private func replace(version: Int) throws {
    for name in Self.replaced {
      // It is still there if both were the same file, in which case renaming does nothing.
      unlink(plugins.file(".new"))
      try #require(link(versions.file("\(name).\(version)"), plugins.file(".new")) == 0)
      try #require(rename(plugins.file(".new"), plugins.file(name)) == 0)
    }
  }

  // MARK: The command

  /// Starts the command, which has every plugin probed of which nothing is known.
  private func start(in folder: String) throws -> SpawnedProcess {
    try spawn(["resolve", "--plugins", plugins.path, "--tag", "text", "--json"], folder)
  }

  private func spawn(_ words: [String], _ folder: String) throws -> SpawnedProcess {
    try SpawnedProcess(
      [Tree.troupe] + words,
      environment: [
        "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "", "XDG_CACHE_HOME": home.file("\(folder)/cache"),
        "XDG_STATE_HOME": home.file("\(folder)/state"), "TMPDIR": home.file("\(folder)/temporary"),
        "TROUPE_TEST_MARKER": marker,
      ])
  }

  /// What the command says of all plugins, without what it says about the way there.
  private struct Answer: Equatable {
    let status: Int32
    let instances: String
    let plugins: String
  }

  private func answer(in folder: String, _ run: Run) throws -> Answer {
    let listed = try spawn(["list", "--plugins", plugins.path, "--json"], folder).wait()
    #expect(listed.status == 0, "\(listed.errors)")
    // Where an instance lies is different each time.
    let instances = run.text.replacing(#/0x[0-9a-f]+/#, with: "0x…")
    return Answer(status: run.status, instances: instances, plugins: listed.text)
  }

  // MARK: What is kept

  /// A home of its own for each folder of that name; what was in it is gone.
  private func empty(_ folder: String) throws {
    let files = FileManager.default
    if files.fileExists(atPath: home.file(folder)) { try files.removeItem(atPath: home.file(folder)) }
    try files.createDirectory(atPath: home.file(folder + "/temporary"), withIntermediateDirectories: true)
  }

  private func names(_ directory: String) throws -> [String] {
    FileManager.default.fileExists(atPath: home.file(directory))
      ? try FileManager.default.contentsOfDirectory(atPath: home.file(directory)).sorted() : []
  }

  /// Which file the registry is, and which one the quarantine's, with the times at which they were written.
  private func files(in folder: String) throws -> [String: [UInt64]] {
    var files: [String: [UInt64]] = [:]
    for directory in ["\(folder)/cache/troupe/registry", "\(folder)/state/troupe/quarantine"] {
      for name in try names(directory) where !name.hasPrefix(".") {
        var status = stat()
        try #require(stat(home.file("\(directory)/\(name)"), &status) == 0)
        files[name] = [UInt64(status.st_ino), UInt64(status.st_mtim.tv_sec), UInt64(status.st_mtim.tv_nsec)]
      }
    }
    return files
  }

  /// What hosts that were killed while they wrote a file have left behind.
  private func leftovers(in folder: String) throws -> [String] {
    try ["\(folder)/cache/troupe/registry", "\(folder)/state/troupe/quarantine"].flatMap { directory in
      try names(directory).filter { $0.hasPrefix(".") }.map { "\(directory)/\($0)" }
    }
  }

  /// Expects that all that is kept is whole: a host that starts now has nothing to find out and nothing to write, and there is
  /// nothing that nobody knows.
  private func expectWhole(_ folder: String, _ expected: Answer, _ comment: Comment) throws {
    let before = try files(in: folder)
    let registries = before.keys.filter { !$0.hasSuffix(".json") }
    #expect(registries.count == 1, comment)
    let next = try answer(in: folder, start(in: folder).wait())
    #expect(next == expected, comment)
    #expect(try files(in: folder) == before, comment)
    for name in before.keys {
      #expect(name.wholeMatch(of: #/[0-9a-f]{64}(-[0-9]+\.json)?/#) != nil, comment)
    }
    for name in try leftovers(in: folder) {
      #expect(name.wholeMatch(of: #/.*\/\.[0-9a-f]{64}(-[0-9]+\.json)?\.\d+\.\d+/#) != nil, comment)
    }
    let list = try spawn(["quarantine", "list", "--json"], folder).wait()
    let quarantined = try JSONDecoder().decode([QuarantinedPlugin].self, from: list.output)
    #expect(Set(quarantined.map(\.content)) == Set(before.keys.map { String($0.prefix(64)) }).subtracting(registries), comment)
    for entry in quarantined {
      #expect(["org.example.crash-in-entry", "org.example.exit"].contains(entry.id) && !entry.problem.isEmpty, comment)
    }
    #expect(try names(folder + "/cache/troupe") == ["registry"] && names(folder + "/state/troupe") == ["quarantine"], comment)
    #expect(try names(folder + "/temporary") == [], comment)
  }

  private struct QuarantinedPlugin: Decodable {
    let id, content, problem: String
  }

  /// Waits until nothing runs any more of all that was started here. Gives what does all the same, after ten seconds.
  private func survivors() throws -> [String] {
    let end = ContinuousClock.now + .seconds(10)
    while true {
      let processes = try FileManager.default.contentsOfDirectory(atPath: "/proc").filter { name in
        guard Int(name) != nil, let environment = try? Data(contentsOf: URL(filePath: "/proc/\(name)/environ")) else {
          return false
        }
        return environment.range(of: Data(marker.utf8)) != nil
      }
      if processes.isEmpty || ContinuousClock.now > end { return processes }
      sched_yield()
    }
  }

  // MARK: The tests

  /// What a host finds when it starts.
  private enum Beginning: CaseIterable {
    /// Nothing is known.
    case cold
    /// Everything is.
    case warm
    /// Some files are others than those that are known.
    case replaced
    /// All files are as they were, but have to be hashed for that to be known.
    case touched
  }

  /// - Returns: Which version there is now.
  private func prepare(_ beginning: Beginning, version: Int) throws -> Int {
    switch beginning {
    case .cold: try empty("home")
    case .warm: break
    case .replaced:
      try replace(version: 1 - version)
      return 1 - version
    case .touched:
      for name in try FileManager.default.contentsOfDirectory(atPath: plugins.path) where name.hasSuffix(".so") {
        try #require(utimes(plugins.file(name), nil) == 0)
      }
    }
    return version
  }

  @Test("Killed at any moment, whatever is known by then, a host leaves nothing that the next one is wrong about")
  func kills() throws {
    var right: [Answer] = []
    for version in 0..<2 {
      try replace(version: version)
      try empty("undisturbed")
      right.append(try answer(in: "undisturbed", start(in: "undisturbed").wait()))
      #expect(right[version].status == 0 && right[version].instances.contains("\"stage \(version)\""))
    }
    var version = 1
    try empty("home")
    // How long each takes that nobody kills.
    let clock = ContinuousClock()
    var usual: [Beginning: Duration] = [:]
    for beginning in Beginning.allCases {
      version = try prepare(beginning, version: version)
      usual[beginning] = try clock.measure { _ = try start(in: "home").wait() }
    }

    var (killed, hasLeftovers) = (0, 0)
    for number in 0..<Self.kills {
      let beginning = Beginning.allCases[number % Beginning.allCases.count]
      version = try prepare(beginning, version: version)
      let moment = (usual[beginning] ?? .zero) * Double.random(in: 0..<1)
      let comment: Comment = "kill \(number), \(beginning), after \(moment)"
      let process = try start(in: "home")
      usleep(UInt32(moment / .microseconds(1)))
      if try process.kill().status == -SIGKILL { killed += 1 }
      let next = try answer(in: "home", start(in: "home").wait())
      #expect(next == right[version], comment)
      try expectWhole("home", right[version], comment)
      #expect(try survivors() == [], comment)
      if try !leftovers(in: "home").isEmpty { hasLeftovers += 1 }
    }
    #expect(killed > 0)
    print(
      "\(killed) of \(Self.kills) killed before the end, \(hasLeftovers) with leftovers; usual times:", usual.values.sorted())

    // What somebody left long ago goes with the next file that is written there.
    let name = String(repeating: "0", count: 64)
    for path in ["cache/troupe/registry/.\(name).1.2", "state/troupe/quarantine/.\(name).json.1.2"] {
      try home.write("home/" + path, [])
    }
    let old = leftoverTime
    for path in try leftovers(in: "home") { try #require(utimes(home.file(path), old) == 0) }
    let cleared = try spawn(["quarantine", "clear"], "home").wait()
    #expect(cleared.status == 0, "\(cleared.errors)")
    _ = try prepare(.touched, version: version)
    let next = try answer(in: "home", start(in: "home").wait())
    #expect(next == right[version])
    #expect(try leftovers(in: "home") == [])
  }

  /// Two hours ago, as utimes(2) has it.
  private var leftoverTime: [timeval] {
    [timeval](repeating: timeval(tv_sec: time(nil) - 7200, tv_usec: 0), count: 2)
  }

  @Test("Eight at once with nothing known are all right, and what they leave is whole")
  func together() throws {
    try empty("undisturbed")
    let right = try answer(in: "undisturbed", start(in: "undisturbed").wait())
    try empty("home")
    let processes = try (0..<8).map { _ in try start(in: "home") }
    for run in try processes.map({ try $0.wait() }) {
      let answer = try answer(in: "home", run)
      #expect(answer == right, "\(run.errors)")
    }
    try expectWhole("home", right, "eight at once")
    #expect(try leftovers(in: "home") == [])
    #expect(try survivors() == [])
  }
}
