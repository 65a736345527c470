import Foundation
import TestSupport
import Testing

/// Runs the commands in the READMEs of the example plugins.
@Suite("The READMEs of the examples") struct ExampleReadmeTests {
  /// A command in a README and the output that the README shows below it.
  struct Shown: CustomTestStringConvertible {
    let plugin, command: String
    var output = ""

    var testDescription: String { "\(plugin): \(command)" }
  }

  /// The lines of the README of an example plugin.
  private static func lines(_ plugin: String) throws -> [Substring] {
    try String(contentsOfFile: "\(Repo.root)/plugins/\(plugin)/README.md", encoding: .utf8)
      .split(separator: "\n", omittingEmptySubsequences: false)
  }

  private static var plugins: [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: Repo.root + "/plugins"))?.sorted() ?? []
  }

  /// The commands of the READMEs: the text behind `$` and the output below it.
  private static var shown: [Shown] {
    plugins.flatMap { plugin in
      var shown: [Shown] = []
      var isOutput = false
      for line in (try? lines(plugin)) ?? [] {
        if line.hasPrefix("    $ ") {
          shown.append(Shown(plugin: plugin, command: String(line.dropFirst(6))))
          isOutput = true
        } else if isOutput, line.hasPrefix("    ") {
          shown[shown.count - 1].output += line.dropFirst(4) + "\n"
        } else {
          isOutput = false
        }
      }
      return shown
    }
  }

  @Test("A command prints the output shown below it", arguments: shown)
  func output(_ shown: Shown) throws {
    try #require(shown.command.hasPrefix("troupe "))
    let line = shown.command.replacing("troupe ", with: "\"$troupe\" ", maxReplacements: 1)
      .replacing(".build/plugins", with: "\"$plugins\"")
    #expect(CommandLineTests.output(of: try shell(line)) == shown.output)
  }

  @Test("The READMEs of adopted libraries list each function")
  func adopted() throws {
    for plugin in ["libc", "math", "zlib"] {
      let readme = try Self.lines(plugin).joined(separator: "\n")
      let inspection = try json(
        Inspection.self, troupe("inspect", "org.example.\(plugin)", "--json", plugins: Examples.directory()))
      #expect(!inspection.factories.isEmpty)
      for factory in inspection.factories { #expect(readme.contains("| `\(factory.name)` |"), "\(plugin)") }
    }
  }

  @Test("The compiler call of an example builds a plugin that is admitted")
  func compilerCalls() throws {
    let directory = try TemporaryDirectory()
    let path = Repo.products + ":" + (ProcessInfo.processInfo.environment["PATH"] ?? "")
    var built: [String] = []
    for plugin in Self.plugins {
      for line in try Self.lines(plugin).map({ $0.drop { $0 == " " } }) where line.contains("$(troupe flags ") {
        let command = "umask 022; " + line.replacing(".build/plugins", with: directory.path)
        let result = try run(["sh", "-c", command], environment: ["PATH": path], directory: Repo.root)
        #expect(result.status == 0, "\(plugin): \(result.errors)")
        built.append("\(plugin).so")
      }
    }
    #expect(built.count == 8)
    let listed = try json([ListedPlugin].self, troupe("list", "--json", plugins: directory.path))
    #expect(listed.map { URL(filePath: $0.path).lastPathComponent } == built)
    #expect(listed.allSatisfy { $0.state == "admitted" })
  }
}
