import Testing

@testable import TroupeCall

/// The calls in Tests/Fixtures/calls/system-libraries.txt, made with `PreparedCall` and by a C program that is written from the signatures.
@Suite("System libraries")
struct SystemLibraryTests {
  @Test("Hundreds of functions return the same results to Troupe and to a C program")
  func agreement() throws {
    let calls = try SystemCall.table()
    #expect(Set(calls.map(\.name)).count >= 300)
    #expect(Set(calls.map(\.libraries)).count >= 12)
    let expected = try CProgram(calls).run()
    try #require(expected.count == calls.count, "the C program stopped at \(calls[min(expected.count, calls.count - 1)].name)")

    var handles: [String: Value] = [:]
    for (call, expected) in zip(calls, expected) {
      do {
        #expect(try call.run(&handles) == expected, "\(call.name): \(call.signature)")
      } catch {
        Issue.record("\(call.name): \(error)")
      }
    }
  }
}
