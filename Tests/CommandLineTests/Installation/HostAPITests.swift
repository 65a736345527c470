import Foundation
import TestSupport
import Testing

@Suite("Programs that use troupe-host.h", .timeLimit(.minutes(60)))
struct HostAPITests {
  /// The programs of `Tests/Fixtures/host-api`, without suffixes.
  private static let programs: [String] = {
    let files = (try? FileManager.default.contentsOfDirectory(atPath: Repo.fixture("host-api"))) ?? []
    return files.filter { $0.hasSuffix(".c") || $0.hasSuffix(".cpp") }.map { String($0.prefix { $0 != "." }) }.sorted()
  }()

  @Test("Each program gets the values and the errors that it expects", arguments: programs)
  func program(_ name: String) throws {
    let result = try run([Repo.root + "/scripts/check-host-api", Repo.products, name])
    #expect(result.status == 0, "\(result.text)\(result.errors)")
    #expect(result.text == "host API: 1 programs, 0 failed\n")
  }

  @Test("There is a program for each area")
  func areas() {
    let areas: Set = [
      "buffers", "callbacks", "columns", "errors", "events", "instances", "interface", "isolation", "limits", "locks",
      "main-actor",
      "objects", "probing", "references", "replacing", "small", "start", "threads", "transforms", "values",
    ]
    #expect(areas.isSubset(of: Self.programs))
  }

  @Test("The program of the header's comment compiles without a warning and prints the area")
  func example() throws {
    let header = try String(contentsOfFile: Repo.headers + "/troupe-host.h", encoding: .utf8)
    let lines = header.split(separator: "\n", omittingEmptySubsequences: false)
    let first = try #require(lines.firstIndex { $0.hasSuffix("#include <stdio.h>") })
    let last = try #require(lines[first...].firstIndex { $0.hasPrefix(" *     }") })
    #expect(last - first < 30)
    let directory = try TemporaryDirectory()
    let source = try directory.write("main.c", lines[first...last].map { $0.dropFirst(7) + "\n" }.joined().utf8)
    let program = directory.file("main")
    try succeed([
      "cc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-I", Repo.headers, source, "-L", Repo.products, "-lTroupe",
      "-Wl,-rpath," + Repo.products, "-o", program,
    ])
    try succeed(["ln", "-s", try Examples.directory(), directory.file("plugins")])
    let result = try run(unset() + [program], directory: directory.path)
    #expect(output(of: result) == "13.5\n")
  }
}
