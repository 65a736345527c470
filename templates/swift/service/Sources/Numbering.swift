import Troupe

/// Numbers lines with the numbers of two counters.
final class Numbering: Transform {
  private let ofText: any Counter
  private let ofAll: any Counter
  /// Whether the number of the current line is written.
  private var isBegun = false

  init(ofText: any Counter, ofAll: any Counter) {
    self.ofText = ofText
    self.ofAll = ofAll
  }

  func feed(_ bytes: Span<UInt8>, to output: any TransformOutput) throws {
    // Written together, since a write for each line would cost more.
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count * 2)
    for index in bytes.indices {
      if !isBegun { text += "\(ofText.next())/\(ofAll.next())\t".utf8 }
      isBegun = bytes[index] != UInt8(ascii: "\n")
      text.append(bytes[index])
    }
    try output.write(text)
  }

  /// Writes nothing: `feed` has written everything.
  func finish(to output: any TransformOutput) throws {}
}
