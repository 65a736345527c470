import Foundation
import TestSupport
import Testing

@Suite("troupe version")
struct VersionTests {
  private struct Versions: Decodable {
    let troupe, interface, abi, swift: String
  }

  @Test("JSON has all versions that decide whether a plugin fits")
  func json() throws {
    let versions = try CommandLineTests.json(Versions.self, troupe("version", "--json"))
    #expect(versions.troupe.wholeMatch(of: /\d+\.\d+\.\d+/) != nil)
    #expect(versions.interface == "0.1")
    #expect(versions.abi == "1.2")
    let compiler = try succeed(["swiftc", "--version"])
    #expect((compiler.text + compiler.errors).contains("Swift version \(versions.swift)"))
  }

  @Test("The text has the same versions, one per line")
  func text() throws {
    let versions = try CommandLineTests.json(Versions.self, troupe("version", "--json"))
    #expect(
      try output(of: troupe("version")) == """
        troupe     \(versions.troupe)
        interface  \(versions.interface)
        abi        \(versions.abi)
        swift      \(versions.swift)

        """)
  }

  @Test("troupe --version is troupe version")
  func option() throws {
    #expect(try output(of: troupe("--version")) == output(of: troupe("version")))
  }

  /// The functions that `troupe-host.h` declares.
  private static func hostFunctions() throws -> Set<String> {
    let header = try String(contentsOfFile: Repo.headers + "/troupe-host.h", encoding: .utf8)
    let declarations = header.replacing(/(?s)\/\*.*?\*\//, with: "")
    return Set(declarations.matches(of: /\b(troupe_[a-z_]+)\(/).map { String($0.1) })
  }

  @Test("The library exports only symbols of Troupe and links only libraries of the system and of Swift")
  func symbols() throws {
    let library = Repo.products + "/libTroupe.so"
    let symbols = try succeed(["nm", "-D", "--defined-only", library]).text.split(separator: "\n").map {
      $0.split(separator: " ")
    }
    // Local symbols, in lower case, are visible to no other library.
    let global = symbols.filter { $0.count == 3 && $0[1] == $0[1].uppercased() }.map { String($0[2]) }
    #expect(!global.isEmpty)
    let functions = try Self.hostFunctions().union([
      "troupe_check_main", "troupe_command_main", "troupe_probe_main", "troupe_worker_main",
    ])
    #expect(functions.count > 40)
    #expect(Set(global.filter { !$0.hasPrefix("$s") }) == functions)
    let needed = try succeed(["readelf", "-d", library]).text.matches(of: /\(NEEDED\).*\[(.*)\]/).map { String($0.1) }
    #expect(needed.contains("libswiftCore.so"))
    #expect(!needed.contains { $0.hasPrefix("libffi.") || $0.hasPrefix("libmd.") })
  }

  @Test("An operand is a surplus argument")
  func operand() throws {
    expectFailure(try troupe("version", "extra"), 64, "\"extra\"")
  }
}
