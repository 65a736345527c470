import Troupe

/// Numbers the lines of a text with one counter, and counts the lines of all texts with another.
final class Numbering: Transform {
  private let ofText: any Counter
  private let ofAll: any Counter
  private let plugin: PluginContext
  /// The last number of the counter for all texts.
  private var last = 0
  /// True after the number of the current line has been written.
  private var isBegun = false

  init(ofText: any Counter, ofAll: any Counter, plugin: PluginContext) {
    self.ofText = ofText
    self.ofAll = ofAll
    self.plugin = plugin
  }

  func feed(_ bytes: Span<UInt8>, to output: any TransformOutput) throws {
    // Written together, since a write for each line would cost more.
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count * 2)
    for index in bytes.indices {
      if !isBegun {
        text += "\(ofText.next())\t".utf8
        last = ofAll.next()
      }
      isBegun = bytes[index] != UInt8(ascii: "\n")
      text.append(bytes[index])
    }
    try output.write(text)
  }

  /// Writes to the log alone: `feed` has written all of the output.
  func finish(to output: any TransformOutput) throws {
    plugin.log(.info, "\(last) is the last number of all texts")
  }
}
