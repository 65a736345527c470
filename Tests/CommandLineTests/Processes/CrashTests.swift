import Foundation
import TestSupport
import Testing

@Suite("Plugins that crash after their probe")
struct CrashTests {
  private let plugins: TemporaryDirectory
  private let home: TemporaryDirectory

  init() throws {
    plugins = try TemporaryDirectory()
    home = try TemporaryDirectory()
    try Repo.compile([Repo.fixture("healthy/crashing.c")], to: plugins.file("crashing.so"))
  }

  /// Runs the command in a shell, whose status names the signal that killed the command.
  private func call(_ words: String) throws -> Run {
    try shell(
      #""$troupe" \#(words) --plugins "$plugins" --probe-deadline 1"#,
      environment: ["plugins": plugins.path, "XDG_STATE_HOME": home.path, "XDG_CACHE_HOME": home.path])
  }

  @Test(
    "A crash in a called function is reported in one line: the signal, the function, the plugin and the location",
    arguments: [
      ("segfault", "SIGSEGV", "write_nowhere", SIGSEGV), ("jump", "SIGSEGV", "jump", SIGSEGV),
      ("stop", "SIGABRT", "stop", SIGABRT),
      ("overflow 1", "SIGSEGV", "overflow", SIGSEGV),
    ])
  func crash(words: String, name: String, function: String, signal: Int32) throws {
    let result = try call("call \(words)")
    #expect(result.status == 128 + signal)
    let lines = result.errorLines.filter { $0.hasPrefix("troupe: ") }
    #expect(lines.count == 1, "\(result.errors)")
    let called = words.prefix { $0 != " " }
    #expect(
      lines[0].wholeMatch(
        of: try Regex(
          "troupe: crashed with \(name) in the function \(called) of org.example.crashing, at \(function) \\(crashing.so\\+0x[0-9a-f]+\\)"
        )) != nil, "\(lines)")
  }

  @Test(
    "A crash in a library that several files adopt is reported of the called plugin, and quarantines none",
    arguments: [("length null", "length of org.example.a"), ("stop", "stop of org.example.crashing")])
  func sharedLibrary(words: String, function: String) throws {
    for id in ["a", "b"] {
      let file = """
        {"id": "org.example.\(id)", "name": "\(id)", "version": "1.0.0", "library": "libc.so.6", "functions": [
          {"uuid": "\(UUID())", "name": "\(id == "a" ? "length" : "other")", "symbol": "strlen",
           "signature": "size_t (const void *text)"}
        ]}
        """
      try plugins.write("\(id).troupe.json", file.utf8)
    }
    let result = try call("call \(words)")
    #expect(result.status > 128)
    #expect(result.errors.contains(" in the function \(function), at "), "\(result.errors)")
    // The next host probes the plugins that the marks name.
    let next = try shell(
      #""$troupe" list --plugins "$plugins""#,
      environment: ["plugins": plugins.path, "XDG_STATE_HOME": home.path, "XDG_CACHE_HOME": home.path])
    #expect(next.errors == "")
    #expect(try JSONDecoder().decode([[String: String]].self, from: quarantine().output).isEmpty)
  }

  @Test("With --backtrace the stack frames follow")
  func backtrace() throws {
    let lines = try call("call segfault --backtrace").errorLines
    let calls = lines.filter { $0.hasPrefix("troupe:   at ") }
    #expect(calls.count >= 2)
    #expect(calls[0].contains("write_nowhere (crashing.so+0x") && calls[1].contains("segfault (crashing.so+0x"))
  }

  @Test(
    "A plugin that crashes or hangs when the process exits does not change the status, and is named and quarantined",
    arguments: [
      ("crash", "crashed", "write_nowhere"), ("hang", "timedOut", "hang_at_exit"), ("wait", "timedOut", "wait_at_exit"),
    ])
  func exit(what: String, code: String, function: String) throws {
    let result = try call("call at_exit \(what)")
    #expect(result.status == 0)
    #expect(result.text == "0\n")
    #expect(result.errors.contains("troupe: \(plugins.file("crashing.so")): "))
    #expect(result.errors.contains("when the process exited, at \(function) (crashing.so+0x"))
    struct Entry: Decodable {
      let id, code: String
    }
    let entries = try JSONDecoder().decode([Entry].self, from: quarantine().output)
    #expect(entries.map(\.id) == ["org.example.crashing"])
    #expect(entries.map(\.code) == [code])
    #expect(try call("call at_exit none").status == 69)
  }

  @Test("A plugin that hangs with all signals blocked when the process exits does not change the status")
  func exitWithBlockedSignals() throws {
    let result = try call("call at_exit block")
    #expect(result.status == 0)
    #expect(result.text == "0\n")
  }

  @Test("A crash after all descriptors were closed ends the process")
  func closedDescriptors() throws {
    // Dispatch crashes with SIGILL if its thread begins to wait for events only after their descriptor is closed.
    #expect([128 + SIGSEGV, 128 + SIGILL].contains(try call("call close_all_and_crash").status))
  }

  @Test("A function that ends the process is reported, with any status", arguments: [0, 7])
  func end(status: Int) throws {
    let result = try call("call end_process \(status) --json")
    #expect(result.status == 69)
    #expect(result.text == "")
    #expect(result.errors.contains("the function end_process of org.example.crashing ended the process"))
  }

  @Test("A process that a function forks does not write the result a second time")
  func fork() throws {
    let result = try call("call fork_process")
    #expect(result.status == 0)
    #expect(result.text == "1\n")
  }

  @Test(
    "A function that closes or replaces descriptors of the command does not keep a processor busy",
    arguments: ["close_pipes", "replace_pipes"])
  func foreignPipes(function: String) throws {
    let result = try call("call \(function) >\(home.file("output"))")
    #expect(result.status == 0, "\(result.errors)")
    let time = try Int(String(contentsOfFile: home.file("output"), encoding: .utf8).trimmingCharacters(in: .newlines))
    #expect(try #require(time) < 150)
  }

  private func quarantine() throws -> Run {
    try shell(#""$troupe" quarantine list --json"#, environment: ["XDG_STATE_HOME": home.path])
  }

  @Test("The status of a failing command stays when a plugin crashes as the process exits")
  func failure() throws {
    // The function is called, but its result cannot be written.
    let result = try shell(
      #""$troupe" call at_exit crash --plugins "$plugins" >/dev/full"#, environment: ["plugins": plugins.path])
    #expect(result.status == 74)
    #expect(result.errors.contains("when the process exited"))
  }
}
