extension ContentHash: Recordable {
  package func write(to writer: inout RecordWriter) { writer.append(bytes) }

  package init(from reader: inout RecordReader) throws(RecordError) {
    guard let hash = ContentHash(bytes: Array(try reader.bytes(ContentHash.size))) else { throw RecordError("no hash") }
    self = hash
  }
}

extension Pins.Entry: Recordable {
  package func write(to writer: inout RecordWriter) {
    writer.write(hash)
    writer.write(plugin)
  }

  package init(from reader: inout RecordReader) throws(RecordError) {
    let hash = try ContentHash(from: &reader)
    guard let entry = Self(hash, plugin: try String(from: &reader)) else { throw RecordError("no pin") }
    self = entry
  }
}
