internal import TroupeBase

extension FileState: Recordable {
  package func write(to writer: inout RecordWriter) {
    writer.write(path)
    writer.write(stamp)
  }

  package init(from reader: inout RecordReader) throws(ReadError) {
    path = try String(from: &reader)
    stamp = try FileStamp(from: &reader)
  }
}

extension FileStamp: Recordable {
  package func write(to writer: inout RecordWriter) {
    writer.write(number: device)
    writer.write(number: inode)
    writer.write(number: size)
    writer.write(number: mode)
    writer.write(number: modified.seconds)
    writer.write(number: modified.nanoseconds)
    writer.write(number: changed.seconds)
    writer.write(number: changed.nanoseconds)
  }

  package init(from reader: inout RecordReader) throws(ReadError) {
    self.init(
      device: try reader.number(), inode: try reader.number(), size: try reader.number(), mode: try reader.number(),
      modified: Time(seconds: try reader.number(), nanoseconds: try reader.number()),
      changed: Time(seconds: try reader.number(), nanoseconds: try reader.number()))
  }
}
