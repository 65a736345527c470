internal import TroupeHost

/// Writes records of a CSV file (RFC 4180) with line feeds.
struct CSVWriter {
  private let output: OutputBuffer
  private let delimiter: UInt8

  init(_ output: OutputBuffer, delimiter: UInt8) { (self.output, self.delimiter) = (output, delimiter) }

  func write(_ cells: [CSVRecord.Cell]) throws {
    var line: [UInt8] = []
    for (index, cell) in cells.enumerated() {
      if index > 0 { line.append(delimiter) }
      append(cell, to: &line)
    }
    line.append(UInt8(ascii: "\n"))
    try output.write(line.span)
  }

  private func append(_ cell: CSVRecord.Cell, to line: inout [UInt8]) {
    let special: [UInt8] = [delimiter, UInt8(ascii: "\""), UInt8(ascii: "\n"), UInt8(ascii: "\r")]
    guard cell.text.utf8.contains(where: special.contains) || cell.text.isEmpty && cell.isQuoted else {
      line += cell.text.utf8
      return
    }
    line.append(UInt8(ascii: "\""))
    for byte in cell.text.utf8 {
      if byte == UInt8(ascii: "\"") { line.append(byte) }
      line.append(byte)
    }
    line.append(UInt8(ascii: "\""))
  }

  /// Truncates the file if no record was written.
  func begin() throws { try output.begin() }

  func flush() throws { try output.flush() }
}
