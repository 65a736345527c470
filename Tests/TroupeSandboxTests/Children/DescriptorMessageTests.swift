import TestSupport
import Testing

@Suite("Descriptors in a message to a child") struct DescriptorMessageTests {
  @Test("A receiver gets all descriptors of a whole message or none, and a wrong number leaves none open")
  func counts() throws {
    let directory = try TemporaryDirectory()
    let sources = Repo.root + "/Sources/CSandbox"
    let program = directory.file("descriptors")
    try succeed(
      [
        "clang", "-std=gnu11", "-I", sources, "-I", sources + "/include", "-I", Repo.root + "/Sources/CLinux/include", "-o",
        program,
      ]
        + [Repo.fixture("isolation/descriptors.c"), sources + "/report_socket.c"])
    let lines = try succeed([program]).text.split(separator: "\n").map(String.init)
    // The bytes, the descriptors and the expected descriptors of a message of 2 bytes; the result, the valid and the leaked descriptors.
    let expected = (1...2).flatMap { bytes in
      (0...2).flatMap { sent in
        (0...2).map { wanted in
          let isWhole = bytes == 2
          return "\(bytes) \(sent) \(wanted): \(isWhole ? 1 : 0) \(isWhole && sent == wanted ? wanted : 0) 0"
        }
      }
    }
    #expect(lines == expected)
  }
}
