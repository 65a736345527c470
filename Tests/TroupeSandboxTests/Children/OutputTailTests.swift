import Testing

@testable import TroupeSandbox

@Suite("The last words of a process") struct OutputTailTests {
  private static func words(_ output: String) -> String? {
    var tail = OutputTail()
    tail.add(output.utf8)
    return tail.summary
  }

  @Test("Without a known reason they are the last two lines with text")
  func lines() {
    #expect(Self.words("") == nil)
    #expect(Self.words("\n \n") == nil)
    #expect(Self.words("one") == "\"one\"")
    #expect(Self.words("one\n\n  two \n \nthree\n\n") == "\"two / three\"")
    let pure = "pure virtual method called\nterminate called without an active exception\n"
    #expect(Self.words(pure) == "\"pure virtual method called / terminate called without an active exception\"")
  }

  @Test(
    "The reason that a runtime gives is found above its stack trace",
    arguments: [
      ("chart/Axis.swift:12: Fatal error: Index out of range", ""),
      ("a.swift:3: Precondition failed: no width", ""), ("a.swift:3: Precondition failed", ""), ("a.swift:3: Fatal error", ""),
      ("a.swift:3: Assertion failed", ""),
      ("Simultaneous accesses to 0x55dfac0e77c0, but modification requires exclusive access.", ""),
      ("thread 'main' (523) panicked at r.rs:1:55:", "index out of bounds: the len is 0 but the index is 4"),
      ("panic: runtime error: index out of range [4] with length 0", ""),
      ("thread 71 panic: integer overflow", ""),
      ("terminate called after throwing an instance of 'std::runtime_error'", "what():  bad thing"),
      ("t: t.c:3: main: Assertion `0' failed.", ""),
      ("==9==ERROR: AddressSanitizer: heap-use-after-free on address 0x60", ""),
      ("t.c:4:9: runtime error: signed integer overflow: 1 + 2147483647", ""),
      ("Fortran runtime error: Index '4' of dimension 1 of array 'a' above upper bound of 3", ""),
      ("Fatal Python error: init_fs_encoding: failed to get the Python codec", ""),
    ])
  func reason(line: String, next: String) {
    let trace = (0..<400).map { "\($0) 0x0000557558563ab0 boom(_:) + 176 in t at t.c:\($0)" }.joined(separator: "\n")
    let expected = "\"\(line)\(next.isEmpty ? "" : " / " + next)\""
    #expect(Self.words("hello\n\(line)\n\(next.isEmpty ? "" : "  \(next)\n")\n*** Signal 4 ***\n\(trace)\n") == expected)
  }

  @Test("Without a known reason they are the lines above Swift's stack trace")
  func trace() {
    let trace =
      "Current stack trace:\n0    libswiftCore.so    0x00007fb773b5f130 swift_reportError + 33\n1    x.so    0x1 f + 2\n"
    #expect(Self.words("hello\nCould not cast a value\n" + trace) == "\"hello / Could not cast a value\"")
    #expect(Self.words(trace) == nil)
  }

  @Test("Of several reasons the last one counts, and one that is far above the end of the output does not")
  func several() {
    #expect(Self.words("Fatal error: a\nmore\nFatal error: b\nrest") == "\"Fatal error: b\"")
    let lines = String(repeating: "a line of the usual output\n", count: 10_000)
    #expect(Self.words("Fatal error: a\n\(lines)one\ntwo\n") == "\"one / two\"")
  }
}
