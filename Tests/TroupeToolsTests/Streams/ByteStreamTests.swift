import Foundation
import Testing
import TestSupport
import TroupeTools
import TroupeHost

@Suite("Streams of bytes")
struct ByteStreamTests {
  @Test("Bytes are written unchanged", arguments: [0, 1, 1_000_000])
  func write(count: Int) throws {
    let sink = try Sink()
    let bytes = noise(count)
    try sink.stream.write(bytes.span)
    #expect(try sink.bytes() == bytes)
  }

  @Test("More bytes than a pipe holds are written in several steps")
  func pipe() throws {
    let pipe = Pipe()
    let bytes = noise(1_000_000)
    let writer = Thread {
      try? ByteStream(descriptor: pipe.fileHandleForWriting.fileDescriptor, name: "a pipe").write(bytes.span)
      try? pipe.fileHandleForWriting.close()
    }
    writer.start()
    #expect(Array(pipe.fileHandleForReading.readDataToEndOfFile()) == bytes)
  }

  @Test("A failed write is a failure that names the stream and the reason")
  func failure() throws {
    let full = try FileHandle(forWritingTo: URL(filePath: "/dev/full"))
    let stream = ByteStream(descriptor: full.fileDescriptor, name: "standard output")
    let failure = try #require(throws: Diagnosis.self) { try stream.write([1].span) }
    #expect(failure.code == .inputOutput)
    #expect(failure.problem == "cannot write to standard output: no space left on device" && !failure.remedy.isEmpty)
  }

  @Test("Reading returns the available bytes, and none at the end")
  func read() throws {
    let directory = try TemporaryDirectory()
    let bytes = noise(1000)
    let file = try FileHandle(forReadingFrom: URL(filePath: directory.write("input", bytes)))
    let stream = ByteStream(descriptor: file.fileDescriptor, name: "standard input")
    var read: [UInt8] = []
    try withUnsafeTemporaryAllocation(byteCount: 300, alignment: 1) { buffer in
      while case let count = try stream.read(into: buffer), count > 0 {
        #expect(count <= 300)
        read += buffer[..<count]
      }
      #expect(try stream.read(into: buffer) == 0)
    }
    #expect(read == bytes)
  }

  @Test("All bytes are read, up to a limit")
  func content() throws {
    let directory = try TemporaryDirectory()
    let bytes = noise(100_000)
    let path = try directory.write("input", bytes)
    for (limit, isEnough) in [(100_000, true), (99_999, false)] {
      let file = try FileHandle(forReadingFrom: URL(filePath: path))
      let stream = ByteStream(descriptor: file.fileDescriptor, name: "input")
      if isEnough {
        #expect(try stream.content(limit: limit) == bytes)
      } else {
        #expect(try #require(throws: Diagnosis.self) { try stream.content(limit: limit) }.code == .invalidData)
      }
    }
  }

  @Test("A failed read is a failure that names the stream and the reason")
  func readFailure() throws {
    let directory = try FileHandle(forReadingFrom: URL(filePath: "/"))
    let stream = ByteStream(descriptor: directory.fileDescriptor, name: "standard input")
    try withUnsafeTemporaryAllocation(byteCount: 8, alignment: 1) { buffer in
      let failure = try #require(throws: Diagnosis.self) { try stream.read(into: buffer) }
      #expect(failure.code == .inputOutput)
      #expect(failure.description == "cannot read standard input: is a directory")
    }
  }
}
