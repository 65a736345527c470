import Foundation
import TestSupport
import Testing

/// The errors that the compiler reports for natural mistakes in registrations and resolves.
///
/// Each file of `Tests/Mistakes` is a program with mistakes. A comment says what the compiler must report at the next line:
///
///     // error: has no member 'open'
///     database.open()
///
/// The compiler must report no error at another line. A file whose first line begins with `// Not exact.` gives the reason: the report is at the right
/// line, but does not name the mistake.
@Suite("The compiler reports a mistake where it is") struct MistakeTests {
  static let directory = "\(Repo.root)/Tests/Mistakes"
  static let names =
    (try? FileManager.default.contentsOfDirectory(atPath: directory))?
    .filter { $0.hasSuffix(".swift") && $0 != "types.swift" }.sorted() ?? []

  /// A line and what the compiler says about it.
  struct Report: Hashable {
    var line: Int
    var kind: String
    var text: String
  }

  @Test(arguments: names)
  func mistake(name: String) throws {
    let source = try String(contentsOfFile: "\(Self.directory)/\(name)", encoding: .utf8)
    let expected = Self.expectations(source)
    try #require(!expected.isEmpty, "\(name) expects nothing")
    let directory = try TemporaryDirectory()
    var command = Repo.compilation(
      of: ["\(Self.directory)/\(name)", "\(Self.directory)/types.swift"], to: directory.file("mistake.so"),
      options: ["-wmo", "-diagnostic-style", "llvm"])
    command.replace(["-O"], with: ["-Onone"])
    let reports = Self.reports(try run(command, directory: directory.path).errors, about: name)
    for report in expected {
      #expect(
        reports.contains { $0.line == report.line && $0.kind == report.kind && $0.text.contains(report.text) },
        "\(name) must have at line \(report.line) “\(report.kind): \(report.text)”, but has \(reports)")
    }
    let lines = Set(expected.map(\.line))
    #expect(reports.allSatisfy { $0.kind != "error" || lines.contains($0.line) }, "\(name) has further errors: \(reports)")
  }

  @Test("At least 40 mistakes are tried, and of forty at least 33 are reported exactly")
  func count() throws {
    let inexact = try Self.names.filter {
      try String(contentsOfFile: "\(Self.directory)/\($0)", encoding: .utf8).hasPrefix("// Not exact. ")
    }
    #expect(Self.names.count >= 40)
    #expect((Self.names.count - inexact.count) * 40 >= Self.names.count * 33)
  }

  private static func expectations(_ source: String) -> [Report] {
    source.split(separator: "\n", omittingEmptySubsequences: false).enumerated().compactMap { index, line in
      let comment = line.trimmingCharacters(in: .whitespaces)
      for kind in ["error", "warning"] where comment.hasPrefix("// \(kind): ") {
        // Lines count from 1.
        return Report(line: index + 2, kind: kind, text: String(comment.dropFirst("// \(kind): ".count)))
      }
      return nil
    }
  }

  /// The errors and warnings of a file, from lines such as `/…/name.swift:6:14: error: value of type …`.
  private static func reports(_ output: String, about name: String) -> [Report] {
    output.split(separator: "\n").compactMap { line in
      let parts = line.split(separator: ":", maxSplits: 4, omittingEmptySubsequences: false)
      guard parts.count == 5, parts[0].hasSuffix("/\(name)"), let number = Int(parts[1]) else { return nil }
      return Report(
        line: number, kind: parts[3].trimmingCharacters(in: .whitespaces), text: String(parts[4]))
    }
  }
}
