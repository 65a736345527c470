extension Diagnosis: Recordable {
  package func write(to writer: inout RecordWriter) {
    writer.write(code.rawValue)
    writer.write(subject)
    writer.write(problem)
    writer.write(remedy)
    writer.write(backtrace)
  }

  package init(from reader: inout RecordReader) throws(ReadError) {
    let name = try String(from: &reader)
    guard let code = Code(rawValue: name) else { throw ReadError("has the unknown code \(name.debugDescription)") }
    self.init(
      code, try String(from: &reader), problem: try String(from: &reader), remedy: try String(from: &reader),
      backtrace: try [String](from: &reader))
  }
}
