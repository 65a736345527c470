import Foundation
import TestSupport
import Testing
import TroupeFiles

@testable import TroupeTools

@Suite("A site is written beside the files of others, and its own former files are removed") struct SiteDirectoryTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private var site: String { directory.file("new/site") }

  private func write(_ paths: String...) throws {
    try SiteDirectory(site).write(paths.map { SiteFile(path: $0, bytes: Array("of \($0)".utf8)) })
  }

  private func content(_ path: String) -> String? { try? String(contentsOfFile: site + "/" + path, encoding: .utf8) }

  @Test("Missing directories are created, and no temporary file stays")
  func new() throws {
    try write("index.html", "plugins/a.html")
    #expect(content("index.html") == "of index.html" && content("plugins/a.html") == "of plugins/a.html")
    #expect(try Set(Path.entries(in: site)) == ["index.html", "plugins", "catalog-files.txt"])
    #expect(try Path.entries(in: site + "/plugins") == ["a.html"])
  }

  @Test("Pages of former plugins are removed, and other files stay")
  func stale() throws {
    try write("index.html", "plugins/a.html", "plugins/b.html")
    try writeFile(site + "/own.txt", "own".utf8)
    try writeFile(site + "/plugins/own.html", "own".utf8)
    try writeFile(site + "/index.html", "changed".utf8)
    try write("index.html", "plugins/b.html")
    #expect(content("plugins/a.html") == nil && content("plugins/b.html") != nil)
    #expect(content("own.txt") == "own" && content("plugins/own.html") == "own" && content("index.html") == "of index.html")
  }

  @Test("Temporary files that an ended process left are removed")
  func partialFiles() throws {
    try write("index.html")
    let names = [".index.html.1.2.troupe-partial", "plugins/.a.html.1.2.troupe-partial"]
    let date = Date(timeIntervalSinceNow: -7200)
    for path in names.map({ "\(site)/\($0)" }) {
      try writeFile(path, [])
      try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: path)
    }
    try write("index.html")
    for name in names { #expect(content(name) == nil) }
  }

  @Test("A directory with other files is refused, one with hidden files is not")
  func refusal() throws {
    try directory.write(".hidden", [])
    _ = try SiteDirectory(directory.path)
    try directory.write("report.txt", [])
    let diagnosis = try #require(throws: Diagnosis.self) { _ = try SiteDirectory(directory.path) }
    #expect(diagnosis.code == .usage && diagnosis.problem.contains("report.txt"))
    let file = try #require(throws: Diagnosis.self) { _ = try SiteDirectory(directory.file("report.txt")) }
    #expect(file.code == .inputOutput)
  }

  @Test("Only pages of plugins are removed, whatever the list of files names")
  func foreignList() throws {
    try write("index.html")
    try directory.write("victim.html", [])
    try writeFile(site + "/own.html", [])
    let names = ["../../victim.html", "plugins/../own.html", "own.html", "/etc/passwd", "plugins/.hidden.html"]
    try writeFile(site + "/plugins/.hidden.html", [])
    try writeFile(site + "/catalog-files.txt", names.joined(separator: "\n").utf8)
    try write("index.html")
    #expect(FileManager.default.fileExists(atPath: directory.file("victim.html")))
    #expect(content("own.html") != nil && content("plugins/.hidden.html") != nil)
  }
}
