import Foundation
import TestSupport
import TroupeTools

/// A file to which a stream writes.
final class Sink {
  private let directory: TemporaryDirectory
  private let handle: FileHandle
  private var path: String { directory.file("output") }

  init() throws {
    directory = try TemporaryDirectory()
    try directory.write("output", [])
    handle = try FileHandle(forWritingTo: URL(filePath: directory.file("output")))
  }

  /// The stream; valid while this object lives.
  var stream: ByteStream { ByteStream(descriptor: handle.fileDescriptor, name: "the sink") }

  /// The bytes written so far.
  func bytes() throws -> [UInt8] { Array(try Data(contentsOf: URL(filePath: path))) }
}

/// Non-repeating bytes, the same on every run.
func noise(_ count: Int) -> [UInt8] {
  var state: UInt64 = 0x9E37_79B9_7F4A_7C15
  return (0..<count).map { _ in
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return UInt8(truncatingIfNeeded: state >> 33)
  }
}

extension [UInt8] {
  /// The bytes in pieces of one size.
  func pieces(of size: Int) -> [[UInt8]] {
    stride(from: 0, to: count, by: size).map { Array(self[$0..<Swift.min($0 + size, count)]) }
  }
}
