import Foundation
import TestSupport
import Testing
import TroupeHost

@Suite("Versions of the host") struct HostVersionsTests {
  @Test("The versions are those of the release, the header, and the runtime")
  func current() throws {
    let versions = HostVersions.current
    #expect(versions.troupe == Release.version)
    #expect(SemanticVersion(versions.troupe) != nil)
    let header = try String(contentsOfFile: Repo.root + "/include/troupe/types.h", encoding: .utf8)
    let numbers = versions.abi.split(separator: ".")
    try #require(numbers.count == 2)
    #expect(header.contains("#define TROUPE_ABI_MAJOR \(numbers[0])\n"))
    #expect(header.contains("#define TROUPE_ABI_MINOR \(numbers[1])\n"))
    #expect(try succeed(["swift", "--version"]).text.contains("Swift version " + versions.swift))
    #expect(versions.interface == SwiftInterface.version.description)
  }
}
