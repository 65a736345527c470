import Foundation
import TestSupport
import Testing

@testable import TroupeFiles
@testable import TroupeHost
@testable import TroupeSandbox

@Suite("Marks of plugins that are being loaded")
struct CrashJournalTests {
  private let directory: TemporaryDirectory
  private let crashJournal: CrashJournal
  private let plugins: [[FileState]]

  init() throws {
    let directory = try TemporaryDirectory()
    self.directory = directory
    crashJournal = CrashJournal(directory: directory.file("loading"))
    plugins = try ["a", "b"].map { name in
      let path = try directory.write(name, name.utf8)
      return [try #require(FileState(path: path))]
    }
  }

  /// The marks in the file of the host; nil without a file.
  private func marks() throws -> [CrashJournal.Mark]? {
    guard let name = try? FileManager.default.contentsOfDirectory(atPath: directory.file("loading")).first else { return nil }
    return CrashJournal.marks([UInt8](try Data(contentsOf: URL(filePath: directory.file("loading/\(name)")))))
  }

  @Test("A mark is in the file while its step runs")
  func during() throws {
    #expect(try marks() == nil)
    try crashJournal.during(.opening, plugins[0]) { () throws in
      #expect(try marks()?.map(\.files) == [plugins[0]])
      try crashJournal.during(.entering, plugins[1]) { () throws in #expect(try marks()?.map(\.step) == [.opening, .entering]) }
    }
    #expect(try marks()?.isEmpty == true)
  }

  @Test("The problem of a known plugin stays as the only mark; that of an unknown plugin is added to all marks")
  func problem() throws {
    for plugin in plugins { crashJournal.add(.activating, plugin) }
    crashJournal.addProblem("crashed", at: ", at f", of: nil)
    #expect(
      try marks()?.allSatisfy { $0.problem?.hasPrefix("crashed ") == true && $0.problem?.hasSuffix(", at f") == true } == true)
    crashJournal.addProblem("crashed", at: "", of: plugins[1])
    #expect(try marks()?.map(\.files) == [plugins[1]])
    crashJournal.addProblem("crashed", at: "", of: [])
    #expect(try marks()?.isEmpty == true)
  }

  @Test("A plugin without a mark gets one with the moment of its crash, and one with a mark keeps its step")
  func moment() throws {
    crashJournal.add(.activating, plugins[0])
    crashJournal.addProblem("crashed", at: ", at f", of: plugins[1], moment: "outside of a call")
    #expect(try marks()?.map(\.files) == [plugins[1]])
    #expect(try marks()?.map(\.problem) == ["crashed outside of a call, at f"])
    crashJournal.addProblem("crashed", at: "", of: plugins[1], moment: "outside of a call")
    #expect(try marks()?.map(\.problem) == ["crashed when it was activated"])
  }

  @Test("A closed host has no file, and a new mark does not create one")
  func close() throws {
    crashJournal.add(.opening, plugins[0])
    crashJournal.close()
    crashJournal.addProblem("crashed", at: "", of: nil)
    crashJournal.add(.entering, plugins[0])
    #expect(try marks() == nil)
    #expect(!FileManager.default.fileExists(atPath: directory.file("loading")))
  }

  @Test("A damaged file has no marks", arguments: [0, 7, 8, 9, 40])
  func damaged(length: Int) throws {
    crashJournal.add(.opening, plugins[0])
    let path = try directory.file(
      "loading/" + #require(FileManager.default.contentsOfDirectory(atPath: directory.file("loading")).first))
    let bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
    #expect(CrashJournal.marks(bytes).count == 1)
    #expect(CrashJournal.marks(Array(bytes.prefix(length))).isEmpty)
    #expect(CrashJournal.marks(Array(repeating: 255, count: length)).isEmpty)
  }
}
