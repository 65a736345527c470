import Foundation
import TestSupport
import Testing

/// A Markdown page, for tests that run its code.
struct Document {
  let text: String

  /// Reads a file of the repository.
  init(_ path: String) throws {
    text = try String(contentsOfFile: Repo.root + "/" + path, encoding: .utf8)
  }

  /// Returns the text between a heading and the next one of its level.
  func section(_ heading: String) throws -> String {
    let section = try #require(text.components(separatedBy: "\n\(heading)\n").dropFirst().first)
    let level = heading.prefix { $0 == "#" }
    return section.components(separatedBy: "\n\(level) ")[0]
  }

  /// Returns the code blocks in a language, of the section of a heading or of the page.
  func blocks(_ language: String, in heading: String? = nil) throws -> [String] {
    let text = try heading.map(section) ?? self.text
    return text.components(separatedBy: "```\(language)\n").dropFirst().map { $0.components(separatedBy: "```")[0] }
  }

  /// Returns the first code block in a language, of the section of a heading or of the page.
  func block(_ language: String, in heading: String? = nil) throws -> String {
    try #require(try blocks(language, in: heading).first)
  }

  /// Compiles the first Swift program of a section without a warning, and runs it in a directory.
  func runProgram(in heading: String? = nil, directory: TemporaryDirectory? = nil) throws -> Run {
    let directory = try directory ?? TemporaryDirectory()
    let program = try directory.write("main.swift", block("swift", in: heading).utf8)
    let flags = try succeed([Repo.troupe, "flags"]).text.split(whereSeparator: \.isWhitespace).map(String.init)
    try succeed(
      ["swiftc", "-swift-version", "6", "-warnings-as-errors"] + flags + ["-o", directory.file("program"), program])
    return try run([directory.file("program")], directory: directory.path)
  }

  /// Runs the program of a section, and expects the output that follows the word "prints" as code.
  func expectPrintedOutput(in heading: String? = nil, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let shown = try #require(try (heading.map(section) ?? text).components(separatedBy: "\nprints").dropFirst().first)
    let isBlock = shown.hasPrefix("\n\n```\n")
    let printed = isBlock ? shown.components(separatedBy: "```\n")[1] : shown.components(separatedBy: "`")[1] + "\n"
    let result = try runProgram(in: heading)
    #expect(result.text == printed && result.errors == "" && result.status == 0, sourceLocation: sourceLocation)
  }
}
