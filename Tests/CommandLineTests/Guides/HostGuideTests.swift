import Foundation
import TestSupport
import Testing

/// Follows the guides to hosts in C and Rust: writes their files, runs their commands, and compares the shown output. The tests of the
/// Python package follow the guide to hosts in Python.
@Suite("The guides to hosts", .timeLimit(.minutes(60)))
struct HostGuideTests {
  @Test(
    "The programs of a guide print the shown output",
    arguments: [("HostInC", 6), ("HostInRust", 2)])
  func guide(name: String, outputs count: Int) throws {
    let root = try TemporaryDirectory()
    try succeed(["mkdir", root.file("plugins")])
    for plugin in ["geometry", "base64"] {
      try succeed(["cp", "\(Examples.directory())/\(plugin).so", root.file("plugins")])
    }
    var (directory, printed, outputs) = (root.path, "", 0)
    func expect(_ shown: String) {
      #expect(printed == shown, "\(name)")
      outputs += 1
    }
    var text = ""
    // Every second part is a code block, which begins with its language.
    for (index, part) in try Document("Documentation/CTroupe.docc/\(name).md").text.components(separatedBy: "```").enumerated()
    {
      guard index % 2 == 1 else {
        text = part
        if let output = part.firstMatch(of: /^\n+prints `(.+?)`/)?.output.1 { expect(output + "\n") }
        continue
      }
      let block = String(part.drop { $0 != "\n" }.dropFirst())
      if text.hasSuffix("prints\n\n") {
        expect(block)
      } else if part.hasPrefix("sh\n") {
        printed = output(of: try shell(block, in: directory))
        if let project = block.firstMatch(of: /cd (.+)\n/)?.output.1 { directory += "/" + project }
      } else {
        let file = try #require(text.matches(of: /[Ww]rite\s+`(.+?)`/).last).output.1
        try succeed(["mkdir", "-p", URL(filePath: "\(directory)/\(file)").deletingLastPathComponent().path])
        try writeFile("\(directory)/\(file)", block.utf8)
      }
    }
    #expect(outputs == count)
  }

  private func shell(_ lines: String, in directory: String) throws -> Run {
    let variables = ProcessInfo.processInfo.environment
    let (path, home) = (variables["PATH"] ?? "", variables["HOME"] ?? "/")
    return try run(
      unset(except: ["HOME", "XDG_CACHE_HOME"]) + ["sh", "-ec", lines],
      environment: [
        "PATH": "\(Repo.products):\(path):\(home)/.cargo/bin", "HOME": home, "XDG_CACHE_HOME": "\(directory)/cache",
        "TROUPE": Repo.root, "TROUPE_LIB_DIR": Repo.products,
      ],
      directory: directory)
  }
}
