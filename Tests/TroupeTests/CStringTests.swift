import Testing
import Troupe

@Suite("A copy of a string as a C string ends at the first NUL")
struct CStringTests {
  @Test("A copy ends at the first NUL", arguments: [("", ""), ("a", "a"), ("ä€😀", "ä€😀"), ("a\0b", "a"), ("\0", "")])
  func copy(text: String, expected: String) {
    let copy = CString.copy(text)
    defer { copy.deallocate() }
    #expect(String(cString: copy) == expected)
  }

  @Test("A long text is copied completely")
  func long() {
    let text = String(repeating: "abcdefghij", count: 10_000)
    let copy = CString.copy(text)
    defer { copy.deallocate() }
    #expect(String(cString: copy) == text)
  }
}
