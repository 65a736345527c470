import Foundation
import TestSupport
import Testing

@testable import TroupeFiles
@testable import TroupeSandbox

@Suite("Marks of plugins that are being loaded")
struct LoadingMarkersTests {
  private let directory: TemporaryDirectory
  private let markers: LoadingMarkers
  private let plugins: [[FileState]]

  init() throws {
    let directory = try TemporaryDirectory()
    self.directory = directory
    markers = LoadingMarkers(directory: directory.file("loading"))
    plugins = try ["a", "b"].map { name in
      let path = try directory.write(name, name.utf8)
      return [try #require(FileState(path: path))]
    }
  }

  /// The marks in the file of the host; nil without a file.
  private func marks() throws -> [LoadingMarkers.Mark]? {
    guard let name = try? FileManager.default.contentsOfDirectory(atPath: directory.file("loading")).first else { return nil }
    return LoadingMarkers.marks([UInt8](try Data(contentsOf: URL(filePath: directory.file("loading/\(name)")))))
  }

  @Test("A mark is in the file while its step runs")
  func during() throws {
    #expect(try marks() == nil)
    try markers.during(.opening, plugins[0]) { () throws in
      #expect(try marks()?.map(\.files) == [plugins[0]])
      try markers.during(.entering, plugins[1]) { () throws in #expect(try marks()?.map(\.step) == [.opening, .entering]) }
    }
    #expect(try marks()?.isEmpty == true)
  }

  @Test("The problem of a known plugin stays as the only mark; that of an unknown plugin is added to all marks")
  func problem() throws {
    for plugin in plugins { markers.add(.activating, plugin) }
    markers.addProblem("crashed", at: ", at f", of: nil)
    #expect(
      try marks()?.allSatisfy { $0.problem?.hasPrefix("crashed ") == true && $0.problem?.hasSuffix(", at f") == true } == true)
    markers.addProblem("crashed", at: "", of: plugins[1])
    #expect(try marks()?.map(\.files) == [plugins[1]])
    markers.addProblem("crashed", at: "", of: [])
    #expect(try marks()?.isEmpty == true)
  }

  @Test("A closed host has no file, and a new mark does not create one")
  func close() throws {
    markers.add(.opening, plugins[0])
    markers.close()
    markers.addProblem("crashed", at: "", of: nil)
    markers.add(.entering, plugins[0])
    #expect(try marks() == nil)
    #expect(!FileManager.default.fileExists(atPath: directory.file("loading")))
  }

  @Test("A damaged file has no marks", arguments: [0, 7, 8, 9, 40])
  func damaged(length: Int) throws {
    markers.add(.opening, plugins[0])
    let path = try directory.file(
      "loading/" + #require(FileManager.default.contentsOfDirectory(atPath: directory.file("loading")).first))
    let bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
    #expect(LoadingMarkers.marks(bytes).count == 1)
    #expect(LoadingMarkers.marks(Array(bytes.prefix(length))).isEmpty)
    #expect(LoadingMarkers.marks(Array(repeating: 255, count: length)).isEmpty)
  }
}
