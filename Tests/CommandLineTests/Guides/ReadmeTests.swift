import Foundation
import TestSupport
import Testing

/// Runs the code of the README.
@Suite("The README") struct ReadmeTests {
  private let readme: Document

  init() throws { readme = try Document("README.md") }

  @Test("It has at most 250 lines, and its links lead to files of the repository")
  func shape() throws {
    #expect(readme.text.split(separator: "\n", omittingEmptySubsequences: false).count <= 251)
    let links = readme.text.matches(of: /\]\(([^)#:]+)\)/).map { String($0.output.1) }
    #expect(links.count > 15)
    for link in links { #expect(FileManager.default.fileExists(atPath: "\(Repo.root)/\(link)"), "\(link)") }
  }

  private func runCommands(of heading: String, in directory: TemporaryDirectory, preparing: String) throws -> Run {
    // With a umask that lets others write, the host would reject the plugin.
    let commands = "set -e\numask 022\n\(preparing)\n" + (try readme.block("sh", in: heading))
    let path = Repo.products + ":" + (ProcessInfo.processInfo.environment["PATH"] ?? "")
    return try run(
      ["sh", "-c", commands],
      environment: ["PATH": path, "TROUPE_PLUGIN_PATH": directory.file(".build/plugins")], directory: directory.path)
  }

  @Test(
    "The project of a plugin builds and works as shown",
    arguments: [
      ("## A plugin in Swift", "> hello"), ("## A plugin in C, C++, Rust or Zig", "3.0"),
      ("## A C library as it is", "300286872"),
    ])
  func project(heading: String, output: String) throws {
    let result = try runCommands(of: heading, in: TemporaryDirectory(), preparing: "unset MAKEFLAGS MAKEOVERRIDES")
    #expect(("\n" + result.text).hasSuffix("\n\(output)\n") && result.status == 0, "\(result.text)\(result.errors)")
    #expect(try readme.section(heading).contains("prints `\(output)`"))
  }

  @Test("The program that shares a protocol with a plugin compiles as shown and uses the plugin")
  func sharedProtocol() throws {
    let directory = try TemporaryDirectory()
    let heading = "## Embedding the host"
    let sources = try readme.blocks("swift", in: heading)
    for (name, source) in zip(["Greetings.swift", "polite.swift", "main.swift"], sources) {
      try directory.write(name, source.utf8)
    }
    let result = try runCommands(of: heading, in: directory, preparing: "")
    #expect(result.text == "Good day, Ann\n" && result.errors == "" && result.status == 0)
    #expect(try readme.section(heading).contains("prints `Good day, Ann`"))
  }

  @Test("A plugin with its own copy of a shared type is not found, and the log and the error name the copied type")
  func ownCopy() throws {
    let directory = try TemporaryDirectory()
    for name in ["lib", "plugins"] {
      try FileManager.default.createDirectory(
        atPath: directory.file(name), withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
    }
    let sources = try readme.blocks("swift", in: "## Embedding the host")
    let paths = try zip(["Greetings.swift", "polite.swift"], sources).map { try directory.write($0, $1.utf8) }
    let module = ["swiftc", "-parse-as-library", "-module-name", "Greetings", paths[0]]
    try succeed(module + ["-emit-library", "-emit-module", "-o", directory.file("lib/libGreetings.so")])
    try succeed(module + ["-c", "-o", directory.file("copy.o")])
    try Repo.compile(
      [paths[1]], to: directory.file("plugins/polite.so"), options: ["-I", directory.file("lib"), directory.file("copy.o")])
    let program = try directory.write(
      "main.swift",
      sources[2].replacing("[any Greeter]", with: "any Greeter").replacing("for greeter in greeters", with: "do")
        .replacing("greeter.greet", with: "greeters.greet").utf8)
    let flags = try succeed([Repo.troupe, "flags"]).text.split(whereSeparator: \.isWhitespace).map(String.init)
    let lib = directory.file("lib")
    try succeed(
      ["swiftc"] + flags + ["-I", lib, "-L", lib, "-lGreetings", "-Xlinker", "-rpath", "-Xlinker", lib]
        + ["-o", directory.file("hello"), program])
    let result = try run([directory.file("hello")], directory: directory.path)
    #expect(result.status != 0)
    #expect(result.errors.contains("own copy of Greetings.Greeter"), "\(result.errors)")
    let warning =
      "org.example.polite: the factory \"polite\": Greetings.Greeter is another type than the program's of that name; "
    #expect(result.errors.components(separatedBy: warning).count == 2, "\(result.errors)")
  }

  @Test("The program that uses the container alone prints the shown output")
  func container() throws { try readme.expectPrintedOutput(in: "## The container") }

  @Test("The table has every command, and each command prints a help")
  func commands() throws {
    let names = readme.text.split(separator: "\n").filter { $0.hasPrefix("| `troupe ") }.compactMap { line in
      line.dropFirst("| `troupe ".count).split { !$0.isLetter }.first.map(String.init)
    }
    let golden = try FileManager.default.contentsOfDirectory(atPath: Repo.fixture("golden"))
    #expect(Set(golden.filter { $0.hasPrefix("help-") }) == Set(names.map { "help-\($0).txt" }))
    for name in names {
      #expect(try run([Repo.troupe, name, "--help"]).text.contains("\nusage: troupe \(name) "))
    }
  }
}
