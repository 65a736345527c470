import Testing
import Troupe

@Suite("An output takes bytes and texts, and its error reaches the writer")
struct TransformTests {
  @Test("Bytes and texts are written unchanged")
  func write() throws {
    let output = Collector()
    try output.write([1, 2, 0, 255])
    try output.write("ä€")
    try output.write([UInt8]())
    try output.write("")
    #expect(output.bytes == [1, 2, 0, 255, 0xC3, 0xA4, 0xE2, 0x82, 0xAC])
  }

  @Test("An output's error is rethrown by every write method")
  func refused() {
    let output = Collector(limit: 0)
    #expect(throws: OutputError(number: 1)) { try output.write([1]) }
    #expect(throws: OutputError(number: 2)) { try output.write("a") }
  }

  @Test("The description of a transform error is its message")
  func error() {
    #expect("\(TransformError("line 7 is no number"))" == "line 7 is no number")
  }
}
