internal import TroupeBase

extension ContentHash: Recordable {
  package func write(to writer: inout RecordWriter) { writer.append(bytes) }

  package init(from reader: inout RecordReader) throws(ReadError) {
    guard let hash = ContentHash(bytes: Array(try reader.bytes(ContentHash.size))) else { throw ReadError("no hash") }
    self = hash
  }
}

extension Pins.Entry: Recordable {
  package func write(to writer: inout RecordWriter) {
    writer.write(hash)
    writer.write(plugin)
  }

  package init(from reader: inout RecordReader) throws(ReadError) {
    let hash = try ContentHash(from: &reader)
    guard let entry = Self(hash, plugin: try String(from: &reader)) else { throw ReadError("no pin") }
    self = entry
  }
}
