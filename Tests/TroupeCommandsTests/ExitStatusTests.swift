import CTroupe
import Foundation
import TestSupport
import Testing
import TroupeCommands
import TroupeHost

@Suite("Statuses of diagnoses")
struct ExitStatusTests {
  private static let statuses = [
    "TROUPE_FAILED": TROUPE_FAILED, "TROUPE_INVALID_ARGUMENT": TROUPE_INVALID_ARGUMENT,
    "TROUPE_INVALID_SIGNATURE": TROUPE_INVALID_SIGNATURE, "TROUPE_INVALID_CONTRACT": TROUPE_INVALID_CONTRACT,
    "TROUPE_DUPLICATE": TROUPE_DUPLICATE, "TROUPE_TOO_LATE": TROUPE_TOO_LATE, "TROUPE_WRONG_THREAD": TROUPE_WRONG_THREAD,
    "TROUPE_NOT_FOUND": TROUPE_NOT_FOUND, "TROUPE_AMBIGUOUS": TROUPE_AMBIGUOUS, "TROUPE_OUT_OF_MEMORY": TROUPE_OUT_OF_MEMORY,
  ]

  @Test("The guide to failures has each code with its exit status and its status in C")
  func guide() throws {
    let guide = try String(contentsOfFile: Repo.root + "/Sources/TroupeHost/TroupeHost.docc/Failures.md", encoding: .utf8)
    var listed: [String] = []
    for line in guide.split(separator: "\n") {
      let cells = line.split(separator: "|", omittingEmptySubsequences: false).map { $0.filter { $0 != "`" && $0 != " " } }
      guard cells.count == 5, let exitStatus = Int32(cells[2]) else { continue }
      for name in cells[1].split(separator: ",").map(String.init) {
        listed.append(name)
        let code = try #require(Diagnosis.Code(rawValue: name))
        #expect(ExitStatus(code).rawValue == exitStatus, "\(name)")
        let status = try #require(cells[3].isEmpty ? TROUPE_FAILED : Self.statuses[cells[3]], "\(name)")
        #expect(code.status == troupe_status(status), "\(name)")
      }
    }
    #expect(listed.sorted() == Diagnosis.Code.allCases.map(\.rawValue).sorted())
  }
}
