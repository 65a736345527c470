import Foundation
import TestSupport
import Testing

/// Kills the command `TROUPE_KILLS` times, twenty by default, each time before a system call by which it changes a
/// file or starts a process.
@Suite("Hosts that are killed, and concurrent hosts", .serialized, .timeLimit(.minutes(60)))
struct KillTests {
  private static let kills = ProcessInfo.processInfo.environment["TROUPE_KILLS"].flatMap { Int($0) } ?? 20

  private let plugins: TemporaryDirectory
  private let home: TemporaryDirectory
  /// Both versions of each replaced file, with the version's number after the name.
  private let versions: TemporaryDirectory
  /// The built `kill-at-call`, and the file to which it writes the number of system calls.
  private let (killer, callCount): (String, String)
  private static let replaced = ["stage.so", "crash.so"]

  init() throws {
    plugins = try TemporaryDirectory()
    home = try TemporaryDirectory()
    versions = try TemporaryDirectory()
    (killer, callCount) = (versions.file("kill-at-call"), versions.file("calls"))
    try succeed(["cc", "-O1", "-o", killer, Repo.fixture("tools/kill-at-call.c")])
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
    try Repo.compile([Repo.fixture(fixture)], to: path, options: options)
  }

  /// Replaces each file that has two versions by a rename, as installers do.
  private func replace(version: Int) throws {
    for name in Self.replaced {
      // rename(2) does nothing if both names are the same file; the temporary name then stays.
      unlink(plugins.file(".new"))
      try #require(link(versions.file("\(name).\(version)"), plugins.file(".new")) == 0)
      try #require(rename(plugins.file(".new"), plugins.file(name)) == 0)
    }
  }

  // MARK: The command

  /// Starts the command, which probes each unknown plugin.
  ///
  /// - Parameter call: The number of the system call before which it is killed; 0 for no kill.
  private func start(in directory: String, killedAt call: Int = 0) throws -> SpawnedProcess {
    try spawn(["resolve", "--plugins", plugins.path, "--tag", "text", "--json"], directory, killedAt: call)
  }

  /// Starts the command. Waiting for it also waits for all processes that it started.
  private func spawn(_ words: [String], _ directory: String, killedAt call: Int = 0) throws -> SpawnedProcess {
    try SpawnedProcess(
      [killer, "\(call)", callCount, Repo.troupe] + words,
      environment: [
        "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "", "XDG_CACHE_HOME": home.file("\(directory)/cache"),
        "XDG_STATE_HOME": home.file("\(directory)/state"), "TMPDIR": home.file("\(directory)/temporary"),
      ])
  }

  /// The command's status and its two listings of the plugins, without messages.
  private struct Answer: Equatable {
    let status: Int32
    let instances: String
    let plugins: String
  }

  private func answer(in directory: String, _ run: Run) throws -> Answer {
    let listed = try spawn(["list", "--plugins", plugins.path, "--json"], directory).wait()
    #expect(listed.status == 0, "\(listed.errors)")
    // The address of an instance differs in each run.
    let instances = run.text.replacing(#/0x[0-9a-f]+/#, with: "0x…")
    return Answer(status: run.status, instances: instances, plugins: listed.text)
  }

  // MARK: Kept files

  /// Creates an empty home directory with this name after removing an earlier one.
  private func empty(_ directory: String) throws {
    let files = FileManager.default
    if files.fileExists(atPath: home.file(directory)) { try files.removeItem(atPath: home.file(directory)) }
    try files.createDirectory(atPath: home.file(directory + "/temporary"), withIntermediateDirectories: true)
  }

  private func names(_ directory: String) throws -> [String] {
    FileManager.default.fileExists(atPath: home.file(directory))
      ? try FileManager.default.contentsOfDirectory(atPath: home.file(directory)).sorted() : []
  }

  /// The files of the cache and of the quarantine, each with its inode and modification time.
  private func files(in directory: String) throws -> [String: [UInt64]] {
    var files: [String: [UInt64]] = [:]
    for path in ["\(directory)/cache/troupe/registry", "\(directory)/state/troupe/quarantine"] {
      for name in try names(path) where !name.hasPrefix(".") {
        var status = stat()
        try #require(stat(home.file("\(path)/\(name)"), &status) == 0)
        files[name] = [UInt64(status.st_ino), UInt64(status.st_mtim.tv_sec), UInt64(status.st_mtim.tv_nsec)]
      }
    }
    return files
  }

  /// The temporary files that killed hosts left behind.
  private func leftovers(in directory: String) throws -> [String] {
    try ["\(directory)/cache/troupe/registry", "\(directory)/state/troupe/quarantine"].flatMap { path in
      try names(path).filter { $0.hasPrefix(".") }.map { "\(path)/\($0)" }
    }
  }

  /// Expects complete files: a host that starts now probes no plugin, writes no file, and reports no unknown file.
  private func expectWhole(_ directory: String, _ expected: Answer, _ comment: Comment) throws {
    let before = try files(in: directory)
    let registries = before.keys.filter { !$0.hasSuffix(".json") }
    #expect(registries.count == 1, comment)
    let next = try answer(in: directory, start(in: directory).wait())
    #expect(next == expected, comment)
    #expect(try files(in: directory) == before, comment)
    for name in before.keys {
      #expect(name.wholeMatch(of: #/[0-9a-f]{64}(-[0-9]+\.json)?/#) != nil, comment)
    }
    for name in try leftovers(in: directory) {
      #expect(name.wholeMatch(of: #/.*\/\.[0-9a-f]{64}(-[0-9]+\.json)?\.\d+\.\d+\.troupe-partial/#) != nil, comment)
    }
    let list = try spawn(["quarantine", "list", "--json"], directory).wait()
    let quarantined = try JSONDecoder().decode([QuarantinedPlugin].self, from: list.output)
    #expect(Set(quarantined.map(\.content)) == Set(before.keys.map { String($0.prefix(64)) }).subtracting(registries), comment)
    for entry in quarantined {
      #expect(["org.example.crash-in-entry", "org.example.exit"].contains(entry.id) && !entry.problem.isEmpty, comment)
    }
    #expect(
      try names(directory + "/cache/troupe") == ["registry"] && names(directory + "/state/troupe") == ["quarantine"], comment)
    #expect(try names(directory + "/temporary") == [], comment)
  }

  private struct QuarantinedPlugin: Decodable {
    let id, content, problem: String
  }

  // MARK: The tests

  /// The state of the kept files when a host starts.
  private enum Beginning: CaseIterable {
    /// No plugin is known.
    case cold
    /// All plugins are known.
    case warm
    /// Some files have other content than the known ones.
    case replaced
    /// All files have new modification times, so the host must hash them to recognize them.
    case touched
  }

  /// - Returns: The version of the replaced files.
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

  @Test("After a kill at any system call, the next host starts with correct results and complete files")
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
    // The number of counted system calls of each run that is not killed; the last one ends the process.
    var calls: [Beginning: Int] = [:]
    for beginning in Beginning.allCases {
      version = try prepare(beginning, version: version)
      _ = try start(in: "home").wait()
      let count: Int = try #require(Int(String(contentsOfFile: callCount, encoding: .utf8).dropLast()))
      calls[beginning] = count
    }

    var generator = SplitMix64(seed: 14)
    var (killed, hasLeftovers) = (0, 0)
    for number in 0..<Self.kills {
      let beginning = Beginning.allCases[number % Beginning.allCases.count]
      version = try prepare(beginning, version: version)
      let call = Int.random(in: 1...(calls[beginning] ?? 1), using: &generator)
      let comment: Comment = "kill \(number), \(beginning), before system call \(call)"
      if try start(in: "home", killedAt: call).wait().status == 128 + SIGKILL { killed += 1 }
      let next = try answer(in: "home", start(in: "home").wait())
      #expect(next == right[version], comment)
      try expectWhole("home", right[version], comment)
      if try !leftovers(in: "home").isEmpty { hasLeftovers += 1 }
    }
    // Runs of one kind differ by a few calls, because threads race.
    #expect(killed > Self.kills / 2)
    print(
      "\(killed) of \(Self.kills) killed before the end, \(hasLeftovers) with leftovers; system calls:", calls.values.sorted())

    // The next host that writes a file there removes old leftovers.
    let name = String(repeating: "0", count: 64)
    for path in [
      "cache/troupe/registry/.\(name).1.2.troupe-partial", "state/troupe/quarantine/.\(name).json.1.2.troupe-partial",
    ] {
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

  /// Two hours ago, for utimes(2).
  private var leftoverTime: [timeval] {
    [timeval](repeating: timeval(tv_sec: time(nil) - 7200, tv_usec: 0), count: 2)
  }

  @Test("Eight hosts that start together without a cache return correct results and leave complete files")
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
  }
}
