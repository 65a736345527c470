import Foundation
import Testing

@Suite("The example of the guide to tests compiles and succeeds")
struct GuideTests {
  @Test("The example in the guide is the file WalkTests.swift, which compiles and succeeds")
  func example() throws {
    let directory = URL(filePath: #filePath).deletingLastPathComponent()
    let example = try String(contentsOf: directory.appending(path: "WalkTests.swift"), encoding: .utf8)
    let root = directory.deletingLastPathComponent().deletingLastPathComponent()
    let guide = root.appending(path: "Sources/TroupeTesting/TroupeTesting.docc/TroupeTesting.md")
    #expect(try String(contentsOf: guide, encoding: .utf8).contains("```swift\n\(example)```\n"))
  }
}
