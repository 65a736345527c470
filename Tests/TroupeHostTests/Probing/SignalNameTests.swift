import Glibc
import Testing

@testable import TroupeHost

@Suite("A signal")
struct SignalNameTests {
  @Test(
    "is called by the name of its macro",
    arguments: [
      (SIGSEGV, "SIGSEGV"), (SIGABRT, "SIGABRT"), (SIGSYS, "SIGSYS"), (SIGKILL, "SIGKILL"), (33, "signal 33"),
      (36, "SIGRTMIN+2"), (0, "signal 0"), (-1, "signal -1"),
    ] as [(Int32, String)])
  func name(_ signal: Int32, _ name: String) { #expect(SignalName.of(signal) == name) }
}
