import Foundation
import TestSupport
import Testing

@Suite("The Makefile")
struct MakefileTests {
  @Test("make help lists every target with a description")
  func help() throws {
    let run = try run(["-u", "MAKEFLAGS", "-u", "MAKEOVERRIDES", "make", "--no-print-directory", "-C", Repo.root, "help"])
    let lines = output(of: run).split(separator: "\n").map { $0.split(separator: " ", maxSplits: 1) }
    #expect(lines.allSatisfy { $0.count == 2 })
    let makefile = try String(contentsOfFile: Repo.root + "/Makefile", encoding: .utf8)
    let phony = try #require(makefile.replacing("\\\n", with: "").split(separator: "\n").first { $0.hasPrefix(".PHONY: ") })
    #expect(Set(lines.map { String($0[0]) }) == Set(phony.split(separator: " ").dropFirst().map(String.init)))
  }

  @Test("A tree that was moved or copied is built anew", arguments: [true, false])
  func moved(isMoved: Bool) throws {
    let tree = try TemporaryDirectory()
    for name in ["Makefile", "scripts"] { try succeed(["cp", "-R", Repo.root + "/" + name, tree.file(name)]) }
    try FileManager.default.createDirectory(atPath: tree.file(".build"), withIntermediateDirectories: false)
    try tree.write(".build/release.yaml", "\(isMoved ? "/elsewhere" : tree.path)/.build/release/troupe".utf8)
    let run = try run(["-u", "MAKEFLAGS", "-u", "MAKEOVERRIDES", "make", "-C", tree.path, "dependencies"])
    #expect(run.status == 0 && run.errors.contains("built in another place") == isMoved, "\(run.errors)")
    #expect(FileManager.default.fileExists(atPath: tree.file(".build")) == !isMoved)
  }

  @Test("What takes long says so at the beginning", arguments: ["test", "bench", "check-long"])
  func duration(target: String) throws {
    let run = try run(["-u", "MAKEFLAGS", "-u", "MAKEOVERRIDES", "make", "--no-print-directory", "-n", "-C", Repo.root, target])
    #expect(output(of: run).hasPrefix("make \(target): takes about 1"))
  }
}
