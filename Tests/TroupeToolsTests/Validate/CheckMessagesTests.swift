import Testing

@testable import TroupeFiles
@testable import TroupeTools

@Suite("Messages between a check and the command")
struct CheckMessagesTests {
  @Test("Requests, steps and results keep all of their members")
  func roundTrip() throws {
    let request = CheckRequest(
      check: "load-open", path: "/a.so", required: ["/b.so"], others: ["/c.so", "/d.so"], seed: .max, reproduces: true,
      time: .milliseconds(500))
    #expect(try RecordReader.value(CheckRequest.self, RecordWriter.bytes(request)) == request)
    let step = CheckStep("when it was loaded", isExit: true)
    #expect(try RecordReader.value(CheckStep.self, RecordWriter.bytes(step)) == step)
    for verdict in CheckResult.Verdict.allCases {
      let result = CheckResult(verdict, "a message", remedy: "a remedy")
      #expect(try RecordReader.value(CheckResult.self, RecordWriter.bytes(result)) == result)
    }
  }

  @Test("Bytes that are no message are refused")
  func foreign() {
    #expect(throws: ReadError.self) { try RecordReader.value(CheckResult.self, RecordWriter.bytes("lucky")) }
    #expect(throws: ReadError.self) { try RecordReader.value(CheckRequest.self, [1, 2, 3]) }
  }
}
