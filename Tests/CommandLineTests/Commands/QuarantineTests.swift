import Foundation
import TestSupport
import Testing

/// An entry as `quarantine list --json` prints it.
private struct QuarantinedPlugin: Decodable, Equatable {
  let id, path: String?
  let content, time, code, problem, remedy: String
  let backtrace: [String]
}

@Suite("troupe quarantine")
struct QuarantineTests {
  private let plugins: TemporaryDirectory
  private let state: TemporaryDirectory

  init() throws {
    plugins = try TemporaryDirectory()
    state = try TemporaryDirectory()
  }

  private func troupe(_ words: String...) throws -> Run {
    try run(unset(except: ["XDG_STATE_HOME"]) + [Repo.troupe] + words, environment: ["XDG_STATE_HOME": state.path])
  }

  /// Quarantines plugins by loading them.
  private func fill(_ fixtures: String...) throws {
    for name in fixtures { try Repo.compile([Repo.fixture("faulty/\(name).c")], to: plugins.file(name + ".so")) }
    _ = try troupe("resolve", "--tag", "nothing", "--plugins", plugins.path)
  }

  private func list() throws -> [QuarantinedPlugin] {
    try json([QuarantinedPlugin].self, troupe("quarantine", "list", "--json"))
  }

  @Test("lists and clears nothing if it is empty")
  func empty() throws {
    for words in [["list"], ["clear"], ["clear", "org.example.a"]] {
      let result = try run(
        unset(except: ["XDG_STATE_HOME"]) + [Repo.troupe, "quarantine"] + words, environment: ["XDG_STATE_HOME": state.path])
      #expect(result.status == 0 && result.text == "")
      #expect(result.errors == "troupe: the quarantine is empty\n")
    }
    #expect(try output(of: troupe("quarantine", "list", "--json")) == "[\n\n]\n")
  }

  @Test("lists the time, the plugin, the fault and the file")
  func table() throws {
    try fill("exit", "crash-in-entry")
    let lines = output(of: try troupe("quarantine", "list")).split(separator: "\n")
    #expect(lines.count == 5)
    #expect(lines.first?.hasPrefix("TIME") == true)
    let index = try #require(lines.firstIndex { $0.contains("  org.example.exit  ") })
    let line = lines[index]
    #expect(line.wholeMatch(of: #/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ  org\.example\.exit .*/#) != nil, "\(line)")
    #expect(line.hasSuffix("  " + plugins.file("exit.so")))
    // The reason is on the line below, as in `troupe list`.
    #expect(try lines[index + 1] == "    " + #require(list().first { $0.id == "org.example.exit" }).problem)
  }

  @Test("prints all fields as JSON, including the stack frames of a crash")
  func everything() throws {
    try fill("crash-in-entry")
    let entries = try list()
    let entry = try #require(entries.first)
    #expect(entries.count == 1)
    #expect(entry.id == "org.example.crash-in-entry" && entry.path == plugins.file("crash-in-entry.so"))
    #expect(entry.code == "crashed")
    #expect(entry.problem.contains("troupe_plugin_main (crash-in-entry.so+0x"))
    #expect(entry.remedy.hasSuffix("org.example.crash-in-entry"))
    #expect(entry.backtrace.first?.hasPrefix("troupe_plugin_main (crash-in-entry.so+0x") == true)
    // Frames of the host are not about the plugin.
    #expect(!entry.backtrace.contains { $0.contains("libTroupe.so") })
    let hash = try succeed(["sha256sum", #require(entry.path)]).text.prefix(64)
    #expect(entry.content == hash)
  }

  @Test("has the absolute path of a file that was named by a relative one")
  func absolutePath() throws {
    try Repo.compile([Repo.fixture("faulty/exit.c")], to: plugins.file("exit.so"))
    for name in ["./exit.so", "exit.so"] {
      let words = unset(except: ["XDG_STATE_HOME"]) + [Repo.troupe, "inspect", name]
      _ = try run(words, environment: ["XDG_STATE_HOME": state.path], directory: plugins.path)
      #expect(try list().map(\.path) == [plugins.file("exit.so")])
      _ = try troupe("quarantine", "clear")
    }
  }

  @Test("releases one plugin, which is then probed again, and keeps the others")
  func clearOne() throws {
    try fill("exit", "crash-in-entry")
    let cleared = try json([QuarantinedPlugin].self, troupe("quarantine", "clear", "org.example.exit", "--json"))
    #expect(cleared.map(\.id) == ["org.example.exit"])
    #expect(try list().map(\.id) == ["org.example.crash-in-entry"])
    try fill()
    #expect(Set(try list().map(\.id)) == ["org.example.crash-in-entry", "org.example.exit"])
  }

  @Test("releases all plugins and lists them, the oldest first")
  func clearAll() throws {
    try fill("exit", "crash-in-entry", "abort")
    // Different times of detection, in another order than the hashes.
    let directory = state.file("troupe/quarantine")
    let names = try FileManager.default.contentsOfDirectory(atPath: directory).sorted()
    #expect(names.count == 3)
    for (name, year) in zip(names, [2003, 2001, 2002]) {
      let path = "\(directory)/\(name)"
      let text = try String(contentsOfFile: path, encoding: .utf8).replacing(#/"\d{4}-/#, with: "\"\(year)-")
      try Data(text.utf8).write(to: URL(filePath: path))
    }
    let listed = try list().map { String($0.time.prefix(4)) }
    #expect(listed == ["2001", "2002", "2003"])
    let cleared = try json([QuarantinedPlugin].self, troupe("quarantine", "clear", "--json"))
    #expect(cleared.map { String($0.time.prefix(4)) } == listed)
    #expect(try list().isEmpty)
  }

  @Test("answers an unknown id with the nearest one, or else with the known ones")
  func unknown() throws {
    try fill("exit", "crash-in-entry")
    let result = try troupe("quarantine", "clear", "org.example.exitt")
    expectFailure(result, 69, "no plugin \"org.example.exitt\" in quarantine; did you mean \"org.example.exit\"?")
    expectFailure(try troupe("quarantine", "clear", "x"), 69, "org.example.exit", "org.example.crash-in-entry")
    #expect(try list().count == 2)
  }

  @Test("lists entries with an unreadable reason, and clearing all entries probes their plugins again")
  func damaged() throws {
    try fill("exit")
    let directory = state.file("troupe/quarantine")
    let name = try #require(try FileManager.default.contentsOfDirectory(atPath: directory).first)
    try state.write("troupe/quarantine/\(name)", "nonsense".utf8)
    let entry = try #require(try list().first)
    #expect(entry.id == nil && entry.path == nil && entry.code == "notProbed")
    let table = output(of: try troupe("quarantine", "list"))
    #expect(table.contains("Z  -   -\n"), "\(table)")
    #expect(table.contains("    SHA-256 \(entry.content): ") && table.contains("\(directory)/\(name)"), "\(table)")
    expectFailure(
      try troupe("quarantine", "clear", "org.example.exit"), 69,
      "no plugin \"org.example.exit\" in quarantine; all entries are unreadable; remove them with troupe quarantine clear"
    )
    #expect(try troupe("list", "--plugins", plugins.path).text.contains("quarantined"))
    #expect(try json([QuarantinedPlugin].self, troupe("quarantine", "clear", "--json")) == [entry])
    #expect(try troupe("list", "--plugins", plugins.path).text.contains("admitted"))
    #expect(try list().isEmpty)
  }

  /// Compiles a plugin with a handler of a signal, see `handler.c`, and returns a call of its function.
  private func callWithHandler(_ options: [String]) throws -> Run {
    try Repo.compile(
      [Repo.fixture("healthy/handler.c")], to: plugins.file("handler.so"),
      options: options.map { "-D" + $0 } + ["-Wl,-z,nodelete"])
    return try troupe("call", "answer", isolation: [])
  }

  private func troupe(_ words: String..., isolation: [String]) throws -> Run {
    try run(
      unset(except: ["XDG_STATE_HOME"]) + [Repo.troupe] + words + isolation + ["--plugins", plugins.path],
      environment: ["XDG_STATE_HOME": state.path])
  }

  @Test("does not keep a plugin from a worker, and its remedy names the worker")
  func worker() throws {
    let refused = try callWithHandler(["SIGNAL=SIGTERM"])
    #expect(refused.status == 69)
    let remedy =
      "changes the handler of SIGTERM; run it in a worker with --isolate org.example.handler, in programs with the option"
    #expect(refused.errors.contains("\(remedy) isolations, or fix it"), "\(refused.errors)")
    for isolation in [["--isolate", "all"], ["--isolate", "org.example.handler"]] {
      #expect(output(of: try troupe("call", "answer", isolation: isolation)) == "42\n")
      #expect(output(of: try troupe("list", isolation: isolation)).contains(" admitted "))
      #expect(output(of: try troupe("inspect", "org.example.handler", isolation: isolation)).contains("answer"))
      let doctor = output(of: try troupe("doctor", "org.example.handler", isolation: isolation))
      #expect(doctor.contains("does not matter to a worker"), "\(doctor)")
      #expect(doctor.contains("nothing keeps org.example.handler from being used"), "\(doctor)")
    }
    #expect(try list().map(\.id) == ["org.example.handler"])
    let table = output(of: try troupe("list", isolation: []))
    #expect(table.contains(" quarantined "), "\(table)")
    #expect(table.contains("; run it in a worker with --isolate org.example.handler, "), "\(table)")
    let doctor = try troupe("doctor", "org.example.handler", isolation: [])
    #expect(doctor.status == 69)
    let cause = "changes state of the whole process: it changes the handler of SIGTERM; --isolate org.example.handler"
    #expect(doctor.text.contains("\ncause: \(cause) runs it in a worker\n"), "\(doctor.text)")
    #expect(try troupe("call", "answer", isolation: []).status == 69)
  }

  @Test(
    "has no plugin whose handler forwards the faults of others on the alternate stack, or takes SIGPIPE or SIGURG there",
    arguments: ["SIGSEGV", "SIGBUS", "SIGFPE", "SIGILL", "SIGTRAP", "SIGPIPE", "SIGURG"])
  func forwards(signal: String) throws {
    #expect(output(of: try callWithHandler(["SIGNAL=\(signal)", "FORWARDS"])) == "42\n")
  }

  @Test(
    "has plugins with other handlers: on the stack of the thread, that keep faults, that end the process, or of other signals",
    arguments: [
      ["SIGNAL=SIGSEGV", "FORWARDS", "FLAGS=0"], ["SIGNAL=SIGSEGV"], ["SIGNAL=SIGSEGV", "EXITS"],
      ["SIGNAL=SIGABRT", "FORWARDS"],
      ["SIGNAL=SIGPIPE", "FLAGS=0"], ["SIGNAL=SIGINT", "FORWARDS"], ["SIGNAL=SIGUSR1", "FORWARDS"],
      ["SIGNAL=SIGCHLD", "FORWARDS"],
    ])
  func keeps(options: [String]) throws {
    let result = try callWithHandler(options)
    #expect(result.status == 69)
    #expect(result.errors.contains("it changes the handler of \(options[0].dropFirst("SIGNAL=".count));"), "\(result.errors)")
  }

  @Test("reports that no variable names its directory")
  func nowhere() throws {
    for action in ["list", "clear"] {
      expectFailure(
        try run(unset() + [Repo.troupe, "quarantine", action]), 69,
        "no quarantine is kept: neither XDG_STATE_HOME nor HOME is set; set XDG_STATE_HOME")
      expectFailure(
        try run(unset() + ["HOME=/no/such/home", Repo.troupe, "quarantine", action]), 69,
        "no quarantine is kept: XDG_STATE_HOME is not set, and HOME is /no/such/home, which does not exist; set XDG_STATE_HOME")
    }
  }

  @Test("Without a home no message names the quarantine, and root creates no home", arguments: [false, true])
  func homeless(hasName: Bool) throws {
    let home = plugins.path + "/none/home"
    let plugin = plugins.file("crash.so")
    try Repo.compile([Repo.fixture("faulty/crash-in-entry.c")], to: plugin)
    let setting = hasName ? ["HOME=\(home)"] : []
    for words in [["inspect", plugin], ["doctor", plugin]] {
      let result = try run(unset() + setting + [Repo.troupe] + words)
      #expect((result.text + result.errors).contains("crashed with SIGSEGV in its entry"))
      #expect(!(result.text + result.errors).contains("quarantine clear"))
    }
    #expect(!FileManager.default.fileExists(atPath: home))
  }

  @Test("reports the path that blocks its directory")
  func inTheWay() throws {
    try state.write("troupe", "".utf8)
    for action in ["list", "clear"] {
      expectFailure(try troupe("quarantine", action), 74, "troupe/quarantine: ")
    }
  }
}

/// Hosts that cannot store results probe new plugins each time.
@Suite("Probing without a cache directory")
struct HomelessProbingTests {
  private let plugins: TemporaryDirectory

  init() throws {
    plugins = try TemporaryDirectory()
    try Repo.compile([Repo.fixture("healthy/stage.c")], to: plugins.file("stage.so"))
    try Repo.compile([Repo.fixture("faulty/exit.c")], to: plugins.file("exit.so"))
  }

  /// Expects that the healthy plugin works and that each command reports the faulty one.
  private func expectWork(_ environment: [String: String], sourceLocation: SourceLocation = #_sourceLocation) throws {
    for _ in 0..<2 {
      let result = try run(
        unset(except: environment.keys) + [Repo.troupe, "resolve", "--tag", "text", "--plugins", plugins.path],
        environment: environment)
      #expect(result.status == 0, "\(result.errors)", sourceLocation: sourceLocation)
      #expect(result.text.contains("stage a"), sourceLocation: sourceLocation)
      #expect(result.errors.contains("status 3"), sourceLocation: sourceLocation)
    }
  }

  @Test("is done each time without a home")
  func noHome() throws { try expectWork([:]) }

  @Test("is done each time in a home that is missing or not writable")
  func noWritableHome() throws {
    try expectWork(["HOME": "/dev/null/home"])
    // Not even the superuser can create a directory there.
    try expectWork(["HOME": "/proc/self"])
  }

  @Test("is done each time if the directories are files")
  func files() throws {
    let home = try TemporaryDirectory()
    for name in ["cache", "state"] { try home.write(name, "".utf8) }
    try expectWork(["XDG_CACHE_HOME": home.file("cache"), "XDG_STATE_HOME": home.file("state")])
  }

  @Test("is done each time if the disk is full")
  func full() throws {
    // /dev/full is not a directory, so no file can be created below it.
    try expectWork(["XDG_CACHE_HOME": "/dev/full", "XDG_STATE_HOME": "/dev/full"])
  }

  @Test("is done each time if no file may be written, or none of that size")
  func limited() throws {
    for limit in [0, 2] {
      let home = try TemporaryDirectory()
      // Through a pipe, because the limit also applies to the command's output.
      let line =
        #"{ ulimit -f "$limit"; "$troupe" resolve --tag text --plugins "$directory"; echo "status $?"; } 2>&1 | cat"#
      for _ in 0..<2 {
        let result = try shell(
          line, environment: ["directory": plugins.path, "limit": "\(limit)", "HOME": home.path])
        #expect(result.text.contains("stage a") && result.text.contains("status 0"), "\(result.text)")
        // A quarantine entry has fewer bytes than two blocks.
        #expect(result.text.contains("/quarantine: ") == (limit == 0), "\(result.text)")
      }
    }
  }

  @Test("is done each time with a relative home path, which is ignored")
  func relativeHome() throws {
    let directory = try TemporaryDirectory()
    let result = try run(
      unset(except: ["HOME"]) + [Repo.troupe, "resolve", "--tag", "text", "--plugins", plugins.path],
      environment: ["HOME": "home"], directory: directory.path)
    #expect(result.status == 0, "\(result.errors)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).isEmpty)
  }

  @Test("is done by a command with closed standard streams or a limit of 64 files")
  func oddStart() throws {
    for start in ["exec 0<&-", "ulimit -n 64", "trap '' CHLD QUIT TERM"] {
      let result = try shell(
        "\(start); \"$troupe\" resolve --tag text --plugins \"$directory\"", environment: ["directory": plugins.path])
      #expect(result.status == 0, "\(start): \(result.errors)")
      #expect(result.text.contains("stage a"), "\(start): \(result.errors)")
      #expect(result.errors.contains("status 3"), "\(start): \(result.errors)")
    }
  }
}
