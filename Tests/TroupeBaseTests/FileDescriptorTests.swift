import Glibc
import TestSupport
import Testing

@testable import TroupeBase

@Suite("File descriptors")
struct FileDescriptorTests {
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
    try directory.write("file", Array("0123456789".utf8))
  }

  @Test("A descriptor reads from its position and from an offset")
  func read() throws {
    let file = try FileDescriptor(opening: directory.file("file"), O_RDONLY)
    var bytes = [UInt8](repeating: 0, count: 4)
    #expect(try bytes.withUnsafeMutableBytes { bytes in try file.read(into: bytes, at: 6) } == 4)
    #expect(bytes == Array("6789".utf8))
    #expect(try bytes.withUnsafeMutableBytes { bytes in try file.read(into: bytes) } == 4)
    #expect(bytes == Array("0123".utf8))
    #expect(try file.readToEnd() == Array("456789".utf8))
    #expect(try file.readPiece().isEmpty)
  }

  @Test("The end of a value closes the descriptor, and a released descriptor stays open")
  func close() throws {
    var rawValue: Int32 = -1
    do { rawValue = try FileDescriptor(opening: directory.file("file"), O_RDONLY).release() }
    #expect(fcntl(rawValue, F_GETFD) == FD_CLOEXEC)
    do {
      let owner = FileDescriptor(owning: rawValue)
      #expect(owner.rawValue == rawValue)
    }
    #expect(fcntl(rawValue, F_GETFD) == -1)
  }

  @Test("A failed call throws its errno")
  func errors() throws {
    #expect(throws: SystemError(code: ENOENT)) { _ = try FileDescriptor(opening: directory.file("missing"), O_RDONLY).rawValue }
    let parent = try FileDescriptor(opening: directory.path, O_RDONLY | O_DIRECTORY)
    #expect(throws: SystemError(code: EISDIR)) { try parent.readPiece() }
    #expect(symlink("file", directory.file("link")) == 0)
    var code: Int32 = 0
    do throws(SystemError) {
      _ = try FileDescriptor(openingEntry: "x/link", from: 2, of: parent, O_RDONLY).rawValue
    } catch {
      code = error.code
    }
    #expect(code == ELOOP)
    let file = try FileDescriptor(opening: directory.file("file"), O_RDONLY)
    #expect(throws: SystemError(code: EBADF)) { try file.write([1]) }
  }
}
