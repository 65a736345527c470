import Foundation
import TestSupport
import Testing

/// Follows the pages "Your first plugin": runs all of their commands, and makes the changes that they show.
@Suite("Your first plugin", .timeLimit(.minutes(60)))
struct FirstPluginTests {
  /// A place in a file of the project for a code block of a page: in front of the last occurrence of a text, or a new file.
  struct Change: Sendable {
    let file: String
    var marker: String?
  }

  /// A page and its changes, in order.
  struct Page: Sendable, CustomTestStringConvertible {
    let file, language: String
    let changes: [Change]

    var testDescription: String { language }
  }

  private static let pages = [
    Page(
      file: "Documentation/CTroupe.docc/FirstPluginInC.md", language: "c",
      changes: [
        Change(file: "src/plugin.c", marker: "static const char *const tags[]"),
        Change(file: "src/plugin.c", marker: "};\n\nTROUPE_EXPORT"),
      ]),
    Page(
      file: "Documentation/CTroupe.docc/FirstPluginInRust.md", language: "rust",
      changes: [
        Change(file: "src/lib.rs", marker: "fn register("), Change(file: "src/lib.rs", marker: "    Ok(())\n}"),
      ]),
    Page(
      file: "Sources/Troupe/Troupe.docc/FirstPlugin.md", language: "swift",
      changes: [
        Change(file: "Sources/Shout.swift"), Change(file: "Sources/PluginAssembly.swift", marker: "  }\n}\n"),
      ]),
  ]

  @Test(
    "The commands and changes of a page work as shown, with the build and with an installation", arguments: pages,
    Place.allCases)
  func page(_ page: Page, place: Place) throws {
    let document = try Document(page.file)
    let root = try TemporaryDirectory()
    var changes = page.changes[...]
    var project: String?
    var printed = ""
    // Every second part is a code block, which begins with its language.
    for block in document.text.components(separatedBy: "```").enumerated().filter({ $0.offset % 2 == 1 }).map(\.element) {
      let parts = block.split(separator: "\n", maxSplits: 1).map(String.init)
      if parts[0] == "sh" {
        let directory = root.path + (project.map { "/" + $0 } ?? "")
        let result = try shell(parts[1], in: directory, data: root.file("data"), place)
        #expect(result.status == 0, "\(parts[1])\(result.text)\(result.errors)")
        printed += result.text
        // The first block ends in the project's directory.
        project = project ?? parts[1].firstMatch(of: /cd (.+)\n/).map { String($0.output.1) }
      } else {
        #expect(parts[0] == page.language)
        let change = changes.popFirst()
        try apply(#require(change), parts[1], in: "\(root.path)/\(#require(project))")
      }
    }
    #expect(changes.isEmpty)
    let outputs = document.text.matches(of: /(?:prints|The output is) `(.+?)`/).map { String($0.output.1) }
    #expect(outputs.count == 3)
    for output in outputs { #expect(printed.contains("\n\(output)\n"), "\(output)") }
  }

  private func shell(_ lines: String, in directory: String, data: String, _ place: Place) throws -> Run {
    let variables = ProcessInfo.processInfo.environment
    let (path, home) = (variables["PATH"] ?? "", variables["HOME"] ?? "/")
    let bin = URL(filePath: try place.troupe()).deletingLastPathComponent().path
    return try run(
      unset(except: ["XDG_DATA_HOME", "HOME"]) + [
        "-u", "MAKEFLAGS", "-u", "MAKEOVERRIDES", "sh", "-ec", "umask 022; " + lines,
      ],
      environment: ["PATH": "\(bin):\(path):\(home)/.cargo/bin", "XDG_DATA_HOME": data, "HOME": home], directory: directory)
  }

  private func apply(_ change: Change, _ block: String, in project: String) throws {
    let file = "\(project)/\(change.file)"
    guard let marker = change.marker else { return try writeFile(file, block.utf8) }
    var text = try String(contentsOfFile: file, encoding: .utf8)
    let place = try #require(text.range(of: marker, options: .backwards))
    text.insert(contentsOf: block, at: place.lowerBound)
    try writeFile(file, text.utf8)
  }
}
