import Foundation
import Testing
import TroupeTools
import TroupeHost

@Suite("Collected output")
struct OutputBufferTests {
  @Test(
    "All pieces of any size are written in order",
    arguments: [1, 7, 4096, 65_535, 65_536, 65_537, 200_000])
  func sizes(size: Int) throws {
    let sink = try Sink()
    let buffer = OutputBuffer(sink.stream)
    let bytes = noise(300_000)
    for piece in bytes.pieces(of: size) { try buffer.write(piece.span) }
    try buffer.flush()
    #expect(try sink.bytes() == bytes)
  }

  @Test("Small and large pieces keep their order")
  func mixed() throws {
    let sink = try Sink()
    let buffer = OutputBuffer(sink.stream)
    let bytes = noise(400_000)
    var start = 0
    for (number, size) in [1, 65_536, 3, 65_535, 1, 1, 0, 131_072, 65_530, 5, 1].enumerated() {
      try buffer.write(Array(bytes[start..<start + size]).span)
      start += size
      if number == 4 { try buffer.flush() }
    }
    try buffer.flush()
    #expect(try sink.bytes() == Array(bytes[..<start]))
  }

  @Test("Small pieces are collected, and each is written once")
  func collected() throws {
    let sink = try Sink()
    let buffer = OutputBuffer(sink.stream)
    try buffer.write([1, 2].span)
    #expect(try sink.bytes() == [])
    try buffer.flush()
    try buffer.flush()
    try buffer.write([3].span)
    try buffer.flush()
    #expect(try sink.bytes() == [1, 2, 3])
  }

  @Test("A failed write is a failure of the command")
  func failure() throws {
    let full = try FileHandle(forWritingTo: URL(filePath: "/dev/full"))
    let buffer = OutputBuffer(ByteStream(descriptor: full.fileDescriptor, name: "standard output"))
    try buffer.write([1].span)
    let flush = try #require(throws: Diagnosis.self) { try buffer.flush() }
    #expect(flush.code == .inputOutput)
    let large = noise(100_000)
    let write = try #require(throws: Diagnosis.self) { try buffer.write(large.span) }
    #expect(write.code == .inputOutput)
  }
}
