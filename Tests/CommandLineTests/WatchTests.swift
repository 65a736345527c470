import Foundation
import TestSupport
import Testing

@Suite("troupe watch", .timeLimit(.minutes(5)))
struct WatchTests {
  private let home: TemporaryDirectory
  private let plugins: TemporaryDirectory

  init() throws {
    (home, plugins) = (try TemporaryDirectory(), try TemporaryDirectory())
  }

  /// The command while it runs.
  private final class Watch {
    private let process = Process()
    private let output: FileHandle
    private var buffer = Data()

    init(_ arguments: [String], home: String) throws {
      let pipe = Pipe()
      process.executableURL = URL(filePath: "/usr/bin/env")
      process.arguments = unset() + ["HOME=\(home)", Tree.troupe, "watch"] + arguments
      process.standardOutput = pipe
      output = pipe.fileHandleForReading
      try process.run()
    }

    /// The lines up to the first that has all of some parts.
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

    /// Interrupts it and gives how it ended.
    func interrupt() -> Int32 {
      kill(process.processIdentifier, SIGINT)
      process.waitUntilExit()
      return process.terminationStatus
    }
  }

  private func watch(_ options: String...) throws -> Watch {
    try Watch(["--plugins", plugins.path] + options, home: home.path)
  }

  /// Puts an example under a name, as an installer does it.
  private func install(_ example: String, as name: String) throws {
    try succeed(["cp", try Examples.directory() + "/\(example).so", plugins.file(".new")])
    try succeed(["mv", plugins.file(".new"), plugins.file(name)])
  }

  @Test("Shows what is there, what comes, what is replaced and what goes, and ends well when it is interrupted")
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

  @Test("A plugin that is still being written is shown once that is over")
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

  @Test("Prints JSON, an object on each line, with the time, the event and the state before")
  func json() throws {
    try install("counter", as: "a.so")
    let watch = try watch("--eager", "--json")
    let line = try #require(try watch.lines(upTo: "\"is active\"").last)
    let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    #expect(object["id"] as? String == "org.example.counter" && object["state"] as? String == "active")
    #expect(object["previous"] as? String == "loaded" && object["path"] as? String == plugins.file("a.so"))
    #expect(try Date(#require(object["time"] as? String), strategy: .iso8601).timeIntervalSinceNow < 1)
    #expect(watch.interrupt() == 0)
  }
}
