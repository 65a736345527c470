import Foundation
import TestSupport
import Testing

@Suite("troupe version")
struct VersionTests {
  private struct Versions: Decodable {
    let troupe, interface, abi, swift: String
    let compiler: String?
  }

  @Test("JSON has the versions of everything that decides whether a plugin fits")
  func json() throws {
    let versions = try CommandLineTests.json(Versions.self, troupe("version", "--json"))
    #expect(versions.troupe.wholeMatch(of: /\d+\.\d+\.\d+/) != nil)
    let fingerprint = try succeed([Tree.root + "/scripts/interface-fingerprint"]).text
    #expect(versions.interface + "\n" == fingerprint)
    #expect(versions.abi == "1.0")
    let compiler = try succeed(["swiftc", "--version"])
    #expect((compiler.text + compiler.errors).contains("Swift version \(versions.swift)"))
    #expect(try #require(versions.compiler).contains("swiftlang/llvm-project"))
  }

  @Test("The text says the same, a line each")
  func text() throws {
    let versions = try CommandLineTests.json(Versions.self, troupe("version", "--json"))
    #expect(
      try output(of: troupe("version")) == """
        troupe     \(versions.troupe)
        interface  \(versions.interface)
        abi        \(versions.abi)
        swift      \(versions.swift)
        compiler   \(versions.compiler ?? "unknown")

        """)
  }

  @Test("troupe --version is troupe version")
  func option() throws {
    #expect(try output(of: troupe("--version")) == output(of: troupe("version")))
  }

  @Test("An operand is one too many")
  func operand() throws {
    expectFailure(try troupe("version", "extra"), 64, "unexpected argument \"extra\"")
  }
}
