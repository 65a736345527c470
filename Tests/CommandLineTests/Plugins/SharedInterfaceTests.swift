import Foundation
import TestSupport
import Testing

/// Builds the example `plugins/greetings` in a copy, with each build tool that it has files for.
@Suite("The example of a shared interface", .timeLimit(.minutes(60)))
struct SharedInterfaceTests {
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
    try succeed(["cp", "-r", Repo.root + "/plugins/greetings/.", directory.path])
    try succeed(["rm", "-rf", directory.file("build"), directory.file(".build"), directory.file("interface/.build")])
  }

  /// Runs shell lines in the copy, with the built command on the PATH. With a umask that lets others write, the host would reject a plugin.
  private func shell(_ lines: String) throws -> Run {
    let variables = ProcessInfo.processInfo.environment
    return try run(
      unset(except: ["HOME"]) + ["-u", "MAKEFLAGS", "-u", "MAKEOVERRIDES", "sh", "-ec", "umask 022; " + lines],
      environment: ["PATH": "\(Repo.products):\(variables["PATH"] ?? "")", "HOME": variables["HOME"] ?? "/"],
      directory: directory.path)
  }

  @Test(
    "A program, a plugin that implements the protocol and one that only calls it work together",
    arguments: [
      "make -s all > log; build/hello build/plugins",
      "make -s fixed > log; make -s all > log; build/hello build/plugins",
      "cmake -G Ninja -B build > log; cmake --build build > log; build/hello build/plugins",
      "cmake -G Ninja -B build -D FIXED=ON > log; cmake --build build > log; build/hello build/plugins",
      """
      swift build -c release > log 2>&1
      install -D -m 644 -t build/plugins .build/release/libPolite.so .build/release/libChorus.so
      install -D -m 644 -t build/lib .build/release/libGreetings.so
      .build/release/hello build/plugins
      """,
    ])
  func build(lines: String) throws {
    let result = try shell(lines)
    let log = (try? String(contentsOfFile: directory.file("log"), encoding: .utf8)) ?? ""
    #expect(result.text == "Good day, Ann\nGood day, all\n", "\(result.errors)\(log)")
    #expect(result.errors == "" && !log.contains("warning"), "\(result.errors)\(log)")
  }

  @Test("CMake builds a marked library anew after a change of a declaration, and the program with it")
  func change() throws {
    #expect(try shell("cmake -G Ninja -B build -D FIXED=ON && cmake --build build").status == 0)
    let source = directory.file("interface/Sources/Greetings.swift")
    let text = try String(contentsOfFile: source, encoding: .utf8)
    try writeFile(source, text.replacing("public let name", with: "public let age = 1\n  public let name").utf8)
    let result = try shell("cmake --build build > log; build/hello build/plugins")
    #expect(result.text == "Good day, Ann\nGood day, all\n", "\(result.errors)")
    let files = try FileManager.default.contentsOfDirectory(atPath: directory.file("build/lib"))
    #expect(files.filter { $0.hasPrefix("libGreetings_") }.count == 1)
  }
}
