import Foundation
import TestSupport
import Testing

@Suite("troupe watch", .timeLimit(.minutes(60)))
struct WatchTests {
  private let home: TemporaryDirectory
  private let plugins: TemporaryDirectory

  init() throws {
    (home, plugins) = (try TemporaryDirectory(), try TemporaryDirectory())
  }

  /// A running command.
  private final class Watch {
    private let process = Process()
    private let output: FileHandle
    private var buffer = Data()

    private let errorFile: String

    init(_ arguments: [String], home: String) throws {
      let pipe = Pipe()
      errorFile = home + "/errors"
      _ = FileManager.default.createFile(atPath: errorFile, contents: nil)
      process.standardError = FileHandle(forWritingAtPath: errorFile)
      process.executableURL = URL(filePath: "/usr/bin/env")
      process.arguments = unset() + ["HOME=\(home)", Repo.troupe, "watch"] + arguments
      process.standardOutput = pipe
      output = pipe.fileHandleForReading
      try process.run()
    }

    /// Returns the lines up to the first that contains all of some parts.
    func lines(upTo parts: String...) throws -> [String] {
      var lines: [String] = []
      while true {
        while let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
          let line = String(decoding: buffer[..<end], as: UTF8.self)
          buffer.removeSubrange(...end)
          lines.append(line)
          if parts.allSatisfy({ line.contains($0) }) { return lines }
        }
        let piece = output.availableData
        try #require(!piece.isEmpty, "it ended behind \(lines)")
        buffer.append(piece)
      }
    }

    /// Interrupts the command and returns its status.
    func interrupt() -> Int32 {
      kill(process.processIdentifier, SIGINT)
      process.waitUntilExit()
      return process.terminationStatus
    }

    /// Sends SIGQUIT twice and returns the signal that ended the command.
    func quit() -> Int32 {
      for _ in 0..<2 { kill(process.processIdentifier, SIGQUIT) }
      process.waitUntilExit()
      return process.terminationReason == .uncaughtSignal ? process.terminationStatus : 0
    }

    /// Returns the remaining output.
    func rest() -> [String] {
      buffer.append(output.readDataToEndOfFile())
      return String(decoding: buffer, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// The text on standard error.
    var errors: String { get throws { try String(contentsOfFile: errorFile, encoding: .utf8) } }
  }

  private func watch(_ options: String...) throws -> Watch {
    try Watch(["--plugins", plugins.path] + options, home: home.path)
  }

  /// Installs an example under a name by a rename, as installers do.
  private func install(_ example: String, as name: String) throws {
    try succeed(["cp", try Examples.directory() + "/\(example).so", plugins.file(".new")])
    try succeed(["mv", plugins.file(".new"), plugins.file(name)])
  }

  @Test("Shows present, added, replaced and removed plugins, and ends with 0 when it is interrupted")
  func changes() throws {
    try install("counter", as: "a.so")
    let watch = try watch("--eager")
    _ = try watch.lines(upTo: "org.example.counter 1.0.0 is active", "/a.so")
    try install("geometry", as: "b.so")
    _ = try watch.lines(upTo: "org.example.geometry 1.0.0 is active", "/b.so")
    try install("base64", as: "a.so")
    let replacing = try watch.lines(upTo: "org.example.base64 1.0.0 is active", "/a.so")
    #expect(replacing.contains { $0.contains("org.example.counter 1.0.0 is retired") }, "\(replacing)")
    try FileManager.default.removeItem(atPath: plugins.file("b.so"))
    _ = try watch.lines(upTo: "org.example.geometry 1.0.0 is retired", "/b.so")
    #expect(watch.interrupt() == 0)
  }

  @Test("SIGQUIT ends the command, also twice at once")
  func quit() throws {
    try install("counter", as: "a.so")
    let watch = try watch()
    _ = try watch.lines(upTo: "org.example.counter")
    #expect(watch.quit() == SIGQUIT)
    #expect(try watch.errors.split(separator: "\n").count == 1)
  }

  @Test("A plugin that is still being written is shown once it is complete")
  func writing() throws {
    let watch = try watch()
    let content = try Data(contentsOf: URL(filePath: Examples.directory() + "/counter.so"))
    let path = try plugins.write("a.so", content.prefix(content.count / 2))
    let writer = try #require(FileHandle(forWritingAtPath: path))
    try writer.seekToEnd()
    try install("geometry", as: "b.so")
    let first = try watch.lines(upTo: "org.example.geometry 1.0.0 is admitted")
    #expect(!first.contains { $0.contains("org.example.counter") }, "\(first)")
    try writer.write(contentsOf: content.suffix(from: content.count / 2))
    try writer.close()
    _ = try watch.lines(upTo: "org.example.counter 1.0.0 is admitted", "/a.so")
    #expect(watch.interrupt() == 0)
  }

  @Test("An interrupt retires no plugin that is still in the directory", arguments: [["--eager"], []])
  func interrupted(options: [String]) throws {
    let examples = ["counter", "geometry", "base64", "order", "wordcount"]
    for example in examples { try install(example, as: example + ".so") }
    let watch = try Watch(["--plugins", plugins.path] + options, home: home.path)
    // A lazily admitted plugin is complete at this point; the next event is shown after all of these.
    _ = try watch.lines(upTo: "wordcount 1.0.0 is \(options.isEmpty ? "admitted" : "active")")
    try "nothing".write(toFile: plugins.file("last.so"), atomically: true, encoding: .utf8)
    _ = try watch.lines(upTo: "/last.so is rejected, since it ")
    #expect(watch.interrupt() == 0)
    let rest = watch.rest()
    #expect(!rest.contains { $0.contains("is retired") }, "\(rest)")
    #expect(try watch.errors == "troupe: watching \(plugins.path) until interrupted\n")
  }

  @Test("An unusable plugin is reported once, after any other change, and the plugin that it would replace stays")
  func once() throws {
    try install("counter", as: "a.so")
    try Repo.compile([Repo.fixture("faulty/crash-in-entry.c")], to: plugins.file("crash.so"))
    let watch = try watch()
    var lines = try watch.lines(upTo: "org.example.crash-in-entry 1.0.0 is in quarantine, since it crashed with SIGSEGV")
    let source = try String(contentsOfFile: Repo.fixture("faulty/crash-in-entry.c"), encoding: .utf8)
    let directory = try TemporaryDirectory()
    for (step, definition) in ["*(volatile int *)8 = 1;", "return TROUPE_FAILED;"].enumerated() {
      let library = try directory.add(
        c: source.replacing("org.example.crash-in-entry", with: "org.example.counter")
          .replacing("*(volatile int *)8 = 1;", with: definition).replacing("1.0.0", with: "2.0.\(step)"), as: "new")
      try succeed(["mv", library, plugins.file("a.so")])
      lines += try watch.lines(
        upTo: "org.example.counter 2.0.\(step) is \(step == 0 ? "in quarantine" : "rejected"), since it ", "/a.so")
      for number in 1...2 {
        try "nothing".write(toFile: plugins.file("\(step)-\(number).so"), atomically: true, encoding: .utf8)
        lines += try watch.lines(upTo: "/\(step)-\(number).so is rejected, since it ")
      }
    }
    #expect(watch.interrupt() == 0)
    lines += watch.rest()
    for told in ["crash-in-entry 1.0.0 is in q", "counter 2.0.0 is in q", "counter 2.0.1 is rejected"] {
      #expect(lines.count { $0.contains(told) } == 1, "\(told): \(lines)")
    }
    // The plugin worked to the end.
    #expect(!lines.contains { $0.contains("org.example.counter 1.0.0 is retired") }, "\(lines)")
    let errors = try watch.errors.split(separator: "\n")
    let complaints = errors.filter { $0.contains("org.example.counter: 1.0.0 stays, since \(plugins.file("a.so")) ") }
    #expect(complaints.count == 2, "\(errors)")
    #expect(errors.count == 3, "\(errors)")
  }

  @Test("The line of a plugin without an id names the file")
  func nameless() throws {
    try "{".write(toFile: plugins.file("a.troupe.json"), atomically: true, encoding: .utf8)
    let watch = try watch()
    let line = try #require(try watch.lines(upTo: "is rejected").last)
    #expect(line.contains("Z  \(plugins.file("a.troupe.json")) is rejected, since it "), "\(line)")
    #expect(watch.interrupt() == 0)
  }

  @Test("A missing directory is reported, and the command ends")
  func nowhere() throws {
    let result = try troupe("watch")
    expectFailure(result, 66, "no directory to watch; name one with --plugins or TROUPE_PLUGIN_PATH")
  }

  @Test("Ends with 74 when its output is closed")
  func unwritable() throws {
    try install("counter", as: "a.so")
    let result = try shell(
      #""$troupe" watch --plugins "$directory" > /dev/full"#, environment: ["directory": plugins.path, "HOME": home.path])
    #expect(result.status == 74)
    #expect(result.errorLines.last?.contains("standard output") == true, "\(result.errors)")
  }

  @Test("Ends immediately when it is interrupted, also while it waits for a plugin that hangs")
  func hanging() throws {
    let watch = try watch("--probe-deadline", "600")
    try Repo.compile([Repo.fixture("faulty/hang-in-entry.c")], to: home.file("hang.so"))
    try FileManager.default.moveItem(atPath: home.file("hang.so"), toPath: plugins.file("hang.so"))
    _ = try watch.lines(upTo: "org.example.hang-in-entry 1.0.0 is admitted")
    #expect(watch.interrupt() == 0)
  }

  @Test("Prints one JSON object per line, with the time, the event and the earlier state")
  func json() throws {
    try install("counter", as: "a.so")
    let watch = try watch("--eager", "--json")
    let line = try #require(try watch.lines(upTo: "\"event\":\"active\"").last)
    let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    #expect(object["id"] as? String == "org.example.counter" && object["state"] as? String == "active")
    #expect(object["event"] as? String == "active" && object["text"] as? String == "org.example.counter is active")
    #expect(object["previous"] as? String == "loaded" && object["path"] as? String == plugins.file("a.so"))
    #expect(try Date(#require(object["time"] as? String), strategy: .iso8601).timeIntervalSinceNow < 1)
    #expect(watch.interrupt() == 0)
  }
}
