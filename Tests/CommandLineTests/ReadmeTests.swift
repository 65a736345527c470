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

    let program = try directory.write("main.swift", block(after: "## Embedding the host", language: "swift").utf8)
    // A package that depends on this one finds the module of libffi by itself; the compiler has to be told.
    try succeed([
      "swiftc", "-swift-version", "6", "-I", Tree.products + "/Modules", "-I", Tree.root + "/include", "-I",
      Tree.root + "/Sources/CFFI", "-L", Tree.products,
      "-lTroupe", "-Xlinker", "-rpath", "-Xlinker", Tree.products, "-o", directory.file("program"), program,
    ])
    let result = try run([directory.file("program")], directory: directory.path)
    #expect(result.text == "2 text stages\n13.5\n")
    #expect(result.errors == "")
    #expect(result.status == 0)
  }

  @Test("Every command that the table of the README names has a help that the command prints")
  func commands() throws {
    let names = try readme().split(separator: "\n").filter { $0.hasPrefix("| `troupe ") }.compactMap { line in
      line.dropFirst("| `troupe ".count).split { !$0.isLetter }.first
    }
    #expect(names.count == 6)
    for name in names {
      #expect(try run([Tree.troupe, String(name), "--help"]).text.hasPrefix("usage: troupe \(name) "))
    }
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
