/// The elements of an array of numbers as text. An element takes 4 bytes besides the text; a node takes about 100.
package struct JSONNumbers: RandomAccessCollection, Sendable {
  private let text: [UInt8]
  /// The offsets of the numbers.
  private let starts: [UInt32]
  private let path: JSONPath

  /// - Parameter starts: The offset of each number in a text that has been read.
  init(_ text: [UInt8], _ starts: [UInt32], _ path: JSONPath) { (self.text, self.starts, self.path) = (text, starts, path) }

  package var startIndex: Int { 0 }
  package var endIndex: Int { starts.count }

  /// A number.
  package subscript(position: Int) -> String {
    let number = text[Int(starts[position])...].prefix { byte in
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."), UInt8(ascii: "e"),
        UInt8(ascii: "E"):
        true
      default: false
      }
    }
    return String(decoding: number, as: UTF8.self)
  }

  /// The numbers as nodes.
  var nodes: [JSONNode] {
    indices.map { index in
      JSONNode(content: .number(self[index]), location: JSONLocation(path: path.element(index), offset: Int(starts[index])))
    }
  }
}
