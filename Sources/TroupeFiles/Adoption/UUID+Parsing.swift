internal import FoundationEssentials
internal import TroupeBase

/// A fast and strict parser. Foundation's initializer takes some microseconds, also for a text that is not a UUID.
extension UUID {
  /// Returns nil unless the text has 32 hexadecimal digits, upper or lower case, in groups of 8, 4, 4, 4 and 12 with hyphens between them.
  package init?(parsing text: String) {
    var text = text
    let bytes = text.withUTF8 { text -> uuid_t? in
      guard text.count == 36 else { return nil }
      var bytes: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
      let isRead = withUnsafeMutableBytes(of: &bytes) { bytes in
        var position = 0
        for index in bytes.indices {
          if [8, 13, 18, 23].contains(position) {
            guard text[position] == UInt8(ascii: "-") else { return false }
            position += 1
          }
          guard let high = Self.digit(text[position]), let low = Self.digit(text[position + 1]) else { return false }
          bytes[index] = high << 4 | low
          position += 2
        }
        return true
      }
      return isRead ? bytes : nil
    }
    guard let bytes else { return nil }
    self.init(uuid: bytes)
  }

  private static func digit(_ character: UInt8) -> UInt8? {
    switch character {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): character - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}

extension UUID: Recordable {
  package func write(to writer: inout RecordWriter) { withUnsafeBytes(of: uuid) { writer.append($0) } }

  package init(from reader: inout RecordReader) throws(ReadError) {
    let bytes = try reader.bytes(16)
    var uuid: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
    withUnsafeMutableBytes(of: &uuid) { $0.copyBytes(from: bytes) }
    self.init(uuid: uuid)
  }
}
