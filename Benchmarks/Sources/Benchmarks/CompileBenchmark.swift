import Foundation

/// Compiles clients of the container: a file with 100 types, a registration of each and a resolve of each, with `-O`.
///
/// The time is that of the processor. The code is what a client has more with the resolves than without.
enum CompileBenchmark {
  private static let tree = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  /// The registration and the resolve of one type, `S` and a number.
  private struct Client: Sendable {
    var name: String
    var registration: @Sendable (Int) -> String
    var resolve: @Sendable (Int) -> String
  }

  private static let clients = [
    Client(name: "plain", registration: { "S\($0).self) { _ in S\($0)(a: \($0), b: \"\") }" }, resolve: { "S\($0).self" }),
    Client(name: "auto", registration: { "factory: auto(S\($0).init))" }, resolve: { "S\($0).self" }),
    Client(
      name: "two tags", registration: { "S\($0).self, tags: \"a\", \($0)) { _ in S\($0)(a: \($0), b: \"\") }" },
      resolve: { "S\($0).self, tags: \"a\", \($0)" }),
    Client(
      name: "two arguments", registration: { "S\($0).self) { (_, a: Int, b: String) in S\($0)(a: a, b: b) }" },
      resolve: { "S\($0).self, args: \($0), \"\"" }),
  ]

  static func run(_ report: inout Report) throws {
    let directory = URL.temporaryDirectory.appending(path: "troupe-compile-\(getpid())")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    for client in clients {
      let rounds = try (0..<3).map { _ in try compile(client, hasResolves: true, in: directory) }
      // Everything else on the machine only adds to the time.
      report.add("compile 100 with \(client.name), s", rounds.map(\.seconds).min() ?? .nan)
      guard client.name == "two arguments" else { continue }
      let registrations = try compile(client, hasResolves: false, in: directory)
      report.add("code of a resolve with arguments, bytes", Double(rounds[0].bytes - registrations.bytes) / 100)
    }
  }

  private static func compile(_ client: Client, hasResolves: Bool, in directory: URL) throws -> (seconds: Double, bytes: Int) {
    let numbers = 0..<100
    let types = numbers.map {
      "final class S\($0): Sendable { let a: Int, b: String; init(a: Int, b: String) { (self.a, self.b) = (a, b) } }"
    }
    let lines =
      ["import TroupeContainer"] + types + ["public func register(in c: Container) {"]
      + numbers.map { "  c.register(" + client.registration($0) } + ["}"]
      + (hasResolves
        ? ["public func resolve(_ c: Container) throws -> Int {", "  var sum = 0"]
          + numbers.map { "  sum += try c.resolve(\(client.resolve($0))).a" } + ["  return sum", "}"] : [])
    try lines.joined(separator: "\n").write(to: directory.appending(path: "client.swift"), atomically: true, encoding: .utf8)
    let start = processorSeconds()
    _ = try output(
      [
        "swiftc", "-O", "-wmo", "-parse-as-library", "-swift-version", "6", "-I",
        tree.appending(path: ".build/release/Modules").path,
        "-c", "client.swift", "-o", "client.o",
      ], in: directory)
    let seconds = processorSeconds() - start
    let sections = try output(["size", "-A", "client.o"], in: directory).split(separator: "\n").map { $0.split(separator: " ") }
    return (seconds, sections.filter { $0.first?.hasPrefix(".text") == true }.compactMap { Int($0[1]) }.reduce(0, +))
  }

  /// The time of the processor in the children that ended.
  private static func processorSeconds() -> Double {
    var usage = rusage()
    getrusage(RUSAGE_CHILDREN.rawValue, &usage)
    func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
    return seconds(usage.ru_utime) + seconds(usage.ru_stime)
  }

  private static func output(_ command: [String], in directory: URL) throws -> String {
    let (process, output) = (Process(), Pipe())
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = command
    process.currentDirectoryURL = directory
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw CocoaError(.executableLoad) }
    return text
  }
}
