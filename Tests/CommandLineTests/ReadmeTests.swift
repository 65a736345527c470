import Foundation
import TestSupport
import Testing

/// Does what the README says, with the code that stands in it.
@Suite struct ReadmeTests {
  @Test("The plugin in Swift compiles with one compiler call and works")
  func swiftPlugin() throws {
    let directory = try TemporaryDirectory()
    let source = try directory.write("shout.swift", block(after: "## A plugin in Swift", language: "swift").utf8)
    try Tree.compile([source], to: directory.file("shout.so"))
    let result = try run(
      [Tree.troupe, "run", "--tag", "text", "--plugins", directory.path], input: Data("hello\n".utf8))
    #expect(result.text == "HELLO\n")
    #expect(result.errors == "")
  }

  @Test("The plugin in C compiles with one compiler call and works")
  func cPlugin() throws {
    let directory = try TemporaryDirectory()
    let source = try directory.write("greeting.c", block(after: "## A plugin in C", language: "c").utf8)
    try Tree.compile([source], to: directory.file("greeting.so"), options: ["-Wall", "-Wextra", "-Wpedantic", "-Werror"])
    #expect(try run([Tree.troupe, "call", "half", "5", "--plugins", directory.path]).text == "2.5\n")
  }

  @Test("The file of the README that adopts a library makes it a plugin")
  func adoption() throws {
    let directory = try TemporaryDirectory()
    let text = try block(after: "## A C library that is there already", language: "json")
    try directory.write("checksums.troupe.json", text.utf8)
    #expect(
      try run([Tree.troupe, "call", "adler32", "1", "Wikipedia", "9", "--plugins", directory.path]).text == "300286872\n")
  }

  @Test("What the README says a signature can tell is right")
  func signatures() throws {
    let directory = try TemporaryDirectory()
    let section = try #require(try readme().components(separatedBy: "## A C library that is there already\n").dropFirst().first)
    func signature(of symbol: String, _ library: String, _ parameters: String) throws {
      let text = try #require(section.split(separator: "`").last { $0.hasSuffix(parameters) })
      let function = """
        {"uuid": "\(UUID())", "name": "the-\(symbol)", "symbol": "\(symbol)", "signature": "\(text)"}
        """
      let json = """
        {"id": "org.example.\(symbol)", "name": "N", "version": "1.0.0", "library": "\(library)", "functions": [\(function)]}
        """
      try directory.write("\(symbol).troupe.json", json.utf8)
    }
    try signature(of: "adler32", "libz.so.1", "const void bytes[count], unsigned int count)")
    try signature(of: "frexp", "libm.so.6", "out int *exponent)")
    try signature(of: "gethostname", "libc.so.6", "size_t size) errno")
    func call(_ arguments: String...) throws -> String {
      try run([Tree.troupe, "call"] + arguments + ["--plugins", directory.path]).text
    }
    #expect(try call("the-adler32", "1", "Wikipedia") == "300286872\n")
    #expect(try call("the-frexp", "8") == "{\"return\": 0.5, \"exponent\": 4}\n")
    #expect(try call("the-gethostname", "256").hasPrefix("{\"return\": 0, \"name\": \""))
  }

  @Test("A program that embeds the host compiles and resolves plugins in Swift and in C")
  func embedding() throws {
    let directory = try TemporaryDirectory()
    try FileManager.default.createDirectory(
      atPath: directory.file(".build/plugins"), withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
    let shout = try directory.write("shout.swift", block(after: "## A plugin in Swift", language: "swift").utf8)
    try Tree.compile([shout], to: directory.file(".build/plugins/shout.so"))
    for name in ["counter", "geometry"] {
      try Tree.compile(
        ["\(Tree.root)/plugins/\(name)/\(name).c"], to: directory.file(".build/plugins/\(name).so"), options: ["-lm"])
    }

    let result = try runProgram(after: "## Embedding the host", in: directory)
    #expect(result.text == "2 text stages\n13.5\n")
    #expect(result.errors == "")
    #expect(result.status == 0)
  }

  @Test("A program that uses the container alone compiles and prints what the README says")
  func container() throws { try expectOutput(after: "## The container alone") }

  @Test("So does the one that shows what more the container does")
  func features() throws { try expectOutput(after: "### What more it does") }

  @Test("So does the one with a builder and scopes")
  func scopes() throws { try expectOutput(after: "### With a builder and scopes") }

  /// Runs the program behind a heading, whose output has to stand in the README.
  private func expectOutput(after heading: String) throws {
    let result = try runProgram(after: heading, in: TemporaryDirectory())
    let printed = try #require(result.text.split(separator: "\n").first)
    #expect(try readme().contains("prints `\(printed)`"))
    #expect(result.errors == "")
    #expect(result.status == 0)
  }

  @Test("Every command that the table of the README names has a help that the command prints")
  func commands() throws {
    let names = try readme().split(separator: "\n").filter { $0.hasPrefix("| `troupe ") }.compactMap { line in
      line.dropFirst("| `troupe ".count).split { !$0.isLetter }.first
    }
    #expect(names.count == 11)
    for name in names {
      #expect(try run([Tree.troupe, String(name), "--help"]).text.hasPrefix("usage: troupe \(name) "))
    }
  }

  /// Compiles the program behind a heading, without a warning, and runs it in a directory.
  private func runProgram(after heading: String, in directory: TemporaryDirectory) throws -> Run {
    let program = try directory.write("main.swift", block(after: heading, language: "swift").utf8)
    let flags = try json([String].self, troupe("flags", "--swift", "--json"))
    try succeed(["swiftc", "-swift-version", "6", "-warnings-as-errors"] + flags + ["-o", directory.file("program"), program])
    return try run([directory.file("program")], directory: directory.path)
  }

  private func readme() throws -> String {
    try String(contentsOfFile: Tree.root + "/README.md", encoding: .utf8)
  }

  /// The first block of code in a language behind a heading.
  private func block(after heading: String, language: String) throws -> String {
    let section = try #require(try readme().components(separatedBy: heading + "\n").dropFirst().first)
    let start = try #require(section.components(separatedBy: "```\(language)\n").dropFirst().first)
    return try #require(start.components(separatedBy: "```").first)
  }
}
