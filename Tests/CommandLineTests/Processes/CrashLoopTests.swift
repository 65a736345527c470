import Foundation
import TestSupport
import Testing

@Suite("Plugins that end the process each time they are loaded")
struct CrashLoopTests {
  private let plugins: TemporaryDirectory
  private let home: TemporaryDirectory

  init() throws {
    plugins = try TemporaryDirectory()
    home = try TemporaryDirectory()
    try Repo.compile([Repo.fixture("healthy/numbered.c")], to: plugins.file("numbered.so"))
  }

  private func add(options: [String] = []) throws {
    try Repo.compile([Repo.fixture("faulty/crash-after-probe.c")], to: plugins.file("crash.so"), options: options)
  }

  /// Calls a function of one plugin with all plugins opened.
  private func call(_ name: String, signal: Int32? = nil, crash: String? = nil) throws -> Run {
    try shell(
      #""$troupe" call --eager \#(name) --plugins "$plugins""#, environment: environment(crash: crash ?? signal.map { "\($0)" })
    )
  }

  private func environment(crash: String?) -> [String: String] {
    var environment = ["plugins": plugins.path, "XDG_STATE_HOME": home.file("state"), "XDG_CACHE_HOME": home.file("cache")]
    environment["CRASH"] = crash
    environment["CRASH_FILE"] = home.file("crash")
    return environment
  }

  private struct Entry: Decodable {
    let id, problem: String
  }

  private func quarantine() throws -> [Entry] {
    let list = try shell(#""$troupe" quarantine list --json"#, environment: ["XDG_STATE_HOME": home.file("state")])
    return try JSONDecoder().decode([Entry].self, from: list.output)
  }

  @Test("A plugin that crashed a process is quarantined by the next process, where the others work", arguments: [false, true])
  func crash(inConstructor: Bool) throws {
    try add(options: inConstructor ? ["-DIN_CONSTRUCTOR"] : [])
    #expect(try call("crash_seven").text == "7\n")
    let first = try call("crash_seven", signal: SIGSEGV)
    #expect(first.status == 128 + SIGSEGV)
    #expect(
      first.errors.contains("org.example.crash-after-probe \(inConstructor ? "when its library was opened" : "in its entry")"))
    let next = try call("crash_seven", signal: SIGSEGV)
    #expect(next.status == 69)
    #expect(try call("number", signal: SIGSEGV).status == 0)
    let entries = try quarantine()
    #expect(entries.map(\.id) == ["org.example.crash-after-probe"])
    #expect(entries.first?.problem.contains("SIGSEGV") == true)
    #expect(entries.first?.problem.contains(inConstructor ? "opened" : "entry") == true)
    #expect(!FileManager.default.fileExists(atPath: home.file("cache/troupe/loading")))
  }

  @Test("A plugin that crashed a process works in a worker, and is quarantined by the next process without one")
  func crashAndWorker() throws {
    try add()
    #expect(try call("crash_seven", signal: SIGSEGV).status == 128 + SIGSEGV)
    let isolated = try shell(
      #""$troupe" call --isolate all crash_seven --plugins "$plugins""#, environment: environment(crash: "\(SIGSEGV)"))
    #expect(isolated.text == "7\n" && isolated.status == 0, "\(isolated.errors)")
    #expect(try quarantine().isEmpty)
    #expect(try call("crash_seven", signal: SIGSEGV).status == 69)
    #expect(try quarantine().map(\.id) == ["org.example.crash-after-probe"])
  }

  @Test("A plugin that ended one process with exit is quarantined by the next process, in which the others work")
  func exits() throws {
    try add()
    let result = try call("number", crash: "exit")
    #expect(result.status == 69)
    #expect(result.errors.contains("org.example.crash-after-probe in its entry"))
    #expect(try call("number", crash: "exit").text == "1\n")
    #expect(try quarantine().map(\.id) == ["org.example.crash-after-probe"])
  }

  @Test("A plugin that closes the files of the process is quarantined after one or two processes, and the others work")
  func closes() throws {
    try add()
    // Dispatch ends the process with SIGILL if its thread waits for events only after their descriptor is closed. That leaves a mark
    // without a cause, and the next process leaves a second one.
    let first = try call("number", crash: "close")
    #expect([74, 128 + SIGILL].contains(first.status))
    if first.status != 74 { _ = try call("number", crash: "close") }
    #expect(try call("number", crash: "close").text == "1\n")
    #expect(try quarantine().map(\.id) == ["org.example.crash-after-probe"])
  }

  @Test("A plugin that crashes while another plugin's function runs is named, and quarantined by the next process")
  func thread() throws {
    try add()
    try Repo.compile([Repo.fixture("healthy/crashing.c")], to: plugins.file("crashing.so"))
    let result = try call("create_file_and_wait \(home.file("crash"))", crash: "thread")
    #expect(result.status == 128 + SIGSEGV)
    #expect(result.errors.contains("in the plugin org.example.crash-after-probe"))
    #expect(try call("number", crash: "thread").text == "1\n")
    #expect(try quarantine().map(\.id) == ["org.example.crash-after-probe"])
  }

  @Test("A plugin that ended two processes for an unknown cause is quarantined by the third")
  func killed() throws {
    try add()
    for _ in 0..<2 { #expect(try call("number", signal: SIGKILL).status == 128 + SIGKILL) }
    #expect(try call("number", signal: SIGKILL).status == 0)
    #expect(try quarantine().map(\.problem) == ["passed its probe, and 2 processes ended in its entry"])
  }

  @Test("A plugin that loads successfully after each killed process is not suspect")
  func killedOnce() throws {
    try add()
    for _ in 0..<2 {
      #expect(try call("number", signal: SIGKILL).status == 128 + SIGKILL)
      #expect(try call("crash_seven").text == "7\n")
    }
    #expect(try quarantine().isEmpty)
    #expect(!FileManager.default.fileExists(atPath: home.file("cache/troupe/loading")))
  }

  @Test(
    "A plugin is not suspect if a user ended processes that were loading it",
    arguments: [SIGTERM, SIGHUP, SIGQUIT, SIGALRM, SIGUSR1], [false, true])
  func interrupted(signal: Int32, inConstructor: Bool) throws {
    try add(options: inConstructor ? ["-DIN_CONSTRUCTOR"] : [])
    for _ in 0..<2 {
      let interrupted = try shell(
        #"""
        rm -f "$CRASH_FILE"
        "$troupe" call --eager number --plugins "$plugins" & process=$!
        while ! [ -e "$CRASH_FILE" ]; do sleep 0.01; done
        kill -\#(signal) $process
        wait $process
        """#, environment: environment(crash: "wait"))
      #expect(interrupted.status == 128 + signal, "\(interrupted.errors)")
    }
    #expect(try call("crash_seven").text == "7\n")
    #expect(try quarantine().isEmpty)
  }

  @Test("A plugin that is replaced after a crash is not suspect")
  func replaced() throws {
    try add()
    #expect(try call("number", signal: SIGSEGV).status == 128 + SIGSEGV)
    try add(options: ["-DID=\"org.example.other\""])
    #expect(try call("crash_seven").text == "7\n")
    #expect(try quarantine().isEmpty)
  }
}
