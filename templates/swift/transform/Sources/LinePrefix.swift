import Troupe

/// Writes a prefix in front of each line.
///
/// The host feeds pieces of any size, so that a line may begin in one piece and end in another: an instance keeps its
/// position in the line.
final class LinePrefix: Transform {
  private let prefix: [UInt8]
  /// The largest number of bytes in a line.
  private let longest: Int
  /// The number of the current line, and the number of its bytes so far.
  private var line = 1
  private var column = 0
  /// True after the prefix of the current line has been written.
  private var isBegun = false

  init(_ prefix: String, longest: Int) {
    self.prefix = Array(prefix.utf8)
    self.longest = longest
  }

  func feed(_ bytes: Span<UInt8>, to output: any TransformOutput) throws {
    // Written together, since a write for each line would cost more.
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count * 2)
    for index in bytes.indices {
      let byte = bytes[index]
      if !isBegun { text += prefix }
      isBegun = byte != UInt8(ascii: "\n")
      text.append(byte)
      if isBegun {
        column += 1
        guard column <= longest else {
          throw TransformError("line \(line) is longer than \(longest) bytes; raise the setting \"longest\"")
        }
      } else {
        line += 1
        column = 0
      }
    }
    try output.write(text)
  }

  /// Writes nothing: `feed` has written everything.
  func finish(to output: any TransformOutput) throws {}
}
