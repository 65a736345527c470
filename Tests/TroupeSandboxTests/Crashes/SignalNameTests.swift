import Glibc
import Testing

@testable import TroupeFiles
@testable import TroupeSandbox

@Suite("Names of signals")
struct SignalNameTests {
  @Test(
    "A signal has the name of its macro",
    arguments: [
      (SIGSEGV, "SIGSEGV"), (SIGABRT, "SIGABRT"), (SIGSYS, "SIGSYS"), (SIGKILL, "SIGKILL"), (33, "signal 33"),
      (36, "SIGRTMIN+2"), (0, "signal 0"), (-1, "signal -1"),
    ] as [(Int32, String)])
  func name(_ signal: Int32, _ name: String) { #expect(SignalName.of(signal) == name) }
}
