extension PluginFault: Recordable {
  package func write(to writer: inout RecordWriter) {
    writer.write(path)
    writer.write(code.rawValue)
    writer.write(problem)
    writer.write(remedy)
    writer.write(backtrace)
  }

  package init(from reader: inout RecordReader) throws(RecordError) {
    let path = try String(from: &reader)
    let name = try String(from: &reader)
    guard let code = Code(rawValue: name) else { throw RecordError("\(name.debugDescription) is no kind of fault") }
    self.init(
      path: path, code: code, problem: try String(from: &reader), remedy: try String(from: &reader),
      backtrace: try [String](from: &reader))
  }
}
