import Foundation
import Testing

@Suite("The README on tests")
struct ReadmeTests {
  @Test("Its example is the file WalkTests.swift, which compiles and succeeds")
  func example() throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
    let example = try String(contentsOf: folder.appending(path: "WalkTests.swift"), encoding: .utf8)
    let readme = folder.deletingLastPathComponent().deletingLastPathComponent().appending(path: "README.md")
    #expect(try String(contentsOf: readme, encoding: .utf8).contains("```swift\n\(example)```\n"))
  }
}
