import Foundation
import TestSupport
import Testing
import TroupeFiles

@Suite("Paths that Swift and the system interpret differently") struct PathTests {
  @Test("A name that begins with a combining mark does not hide its directory", arguments: ["\u{301}x.so", "\u{FE0F}x.so"])
  func combiningMark(name: String) throws {
    let directory = try PluginDirectory()
    let plugin = try directory.add("healthy/empty.c")
    let marked = (plugin as NSString).deletingLastPathComponent + "/" + name
    try FileManager.default.moveItem(atPath: plugin, toPath: marked)
    try setMode(0o777, of: (plugin as NSString).deletingLastPathComponent)
    let diagnosis = try #require(directory.firstDiagnosis)
    #expect(diagnosis.code == .untrusted)
    #expect(diagnosis.problem.contains(directory.path))
  }

  @Test("Two spellings of a letter are two directories")
  func spellings() throws {
    let directory = try TemporaryDirectory()
    let library = try Repo.compile([Repo.fixture("healthy/empty.c")], to: directory.file("empty.so"))
    for (name, mode) in [("\u{E9}", 0o755), ("e\u{301}", 0o777)] {
      try FileManager.default.createDirectory(atPath: directory.file(name), withIntermediateDirectories: true)
      try copyFile(library, to: directory.file(name) + "/empty.so")
      try setMode(mode, of: directory.file(name))
    }
    let files = PluginDirectory.examine([directory.file("\u{E9}"), directory.file("e\u{301}")])
    #expect(files.map { $0.outcome.diagnosis == nil } == [true, false])
  }

  @Test("A path with a $, which the loader would expand, is refused")
  func dollar() throws {
    let directory = try TemporaryDirectory()
    try FileManager.default.createDirectory(
      atPath: directory.file("$LIB"), withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
    try Repo.compile([Repo.fixture("healthy/empty.c")], to: directory.file("$LIB/empty.so"))
    let diagnosis = try #require(PluginDirectory.examine([directory.file("$LIB")]).first?.outcome.diagnosis)
    #expect(diagnosis.problem.hasPrefix("has a $ in its path"))
  }
}

@Suite("The status of a path") struct PathStatusTests {
  @Test("The status of a link is that of its target, unless the link itself is asked for")
  func status() throws {
    let directory = try TemporaryDirectory()
    let link = directory.file("link")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: directory.path)
    #expect(try Path.status(link).kind == S_IFDIR)
    #expect(try Path.status(link, followsLinks: false).kind == S_IFLNK)
    try FileManager.default.removeItem(atPath: link)
    let error = #expect(throws: SystemError.self) { try Path.status(link) }
    #expect(error?.code == ENOENT)
  }
}
