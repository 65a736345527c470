internal import TroupeHost

/// A record of a CSV file.
struct CSVRecord {
  /// A cell, without its quotes.
  struct Cell {
    let text: String
    let isQuoted: Bool

    /// An empty cell without quotes has no value.
    var isNull: Bool { text.isEmpty && !isQuoted }
  }

  /// The first line in the file, from 1.
  let line: Int
  let cells: [Cell]
  /// The approximate memory of the cells in bytes.
  let size: Int
}

/// Reads the records of a CSV file (RFC 4180) one by one. A line may also end with a line feed alone.
///
/// Memory: a buffer of 64 KiB and one record of at most 1 MiB, so that a missing quote does not make one record of a large file. Errors
/// are a `Diagnosis` with `FILE:LINE`.
struct CSVReader: ~Copyable {
  private let stream: ByteStream
  private let name: String
  private let delimiter: UInt8
  private let read: (Int) -> Void
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
  private var position = 0
  private var end = 0
  private var line = 1

  private static let maximumSize = 1 << 20
  /// The overhead of a cell in bytes.
  private static let cellSize = 32

  /// - Parameters:
  ///   - name: The name of the file, for errors.
  ///   - read: Gets the number of bytes of each piece.
  init(_ stream: ByteStream, name: String, delimiter: UInt8, read: @escaping (Int) -> Void) {
    (self.stream, self.name, self.delimiter, self.read) = (stream, name, delimiter, read)
  }

  deinit { buffer.deallocate() }

  private mutating func peek() throws(Diagnosis) -> UInt8? {
    if position == end {
      (position, end) = (0, try stream.read(into: buffer))
      read(end)
    }
    return position < end ? buffer[position] : nil
  }

  /// Skips a byte-order mark at the start of the file.
  mutating func skipByteOrderMark() throws(Diagnosis) {
    // It may come in pieces.
    while end < 3 {
      let count = try stream.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[end...]))
      if count == 0 { break }
      read(count)
      end += count
    }
    if end >= 3, buffer[..<3].elementsEqual([0xEF, 0xBB, 0xBF]) { position = 3 }
  }

  /// Returns nil at the end.
  mutating func next() throws(Diagnosis) -> CSVRecord? {
    guard try peek() != nil else { return nil }
    let first = line
    var cells: [CSVRecord.Cell] = []
    var size = 0
    while true {
      cells.append(try cell(first, &size))
      try count(Self.cellSize, first, &size)
      guard let byte = try peek() else { break }
      position += 1
      if byte == delimiter { continue }
      line += 1
      if byte == UInt8(ascii: "\r"), try peek() == UInt8(ascii: "\n") { position += 1 }
      break
    }
    return CSVRecord(line: first, cells: cells, size: size)
  }

  private mutating func cell(_ first: Int, _ size: inout Int) throws(Diagnosis) -> CSVRecord.Cell {
    var bytes: [UInt8] = []
    let isQuoted = try peek() == UInt8(ascii: "\"")
    if isQuoted {
      position += 1
      while true {
        guard let byte = try peek() else { throw diagnosis(first, "a quote is not closed", "add the closing quote") }
        position += 1
        if byte == UInt8(ascii: "\"") {
          guard try peek() == UInt8(ascii: "\"") else { break }
          position += 1
        }
        if byte == UInt8(ascii: "\n") { line += 1 }
        try append(byte, to: &bytes, first, &size)
      }
    }
    while let byte = try peek(), byte != delimiter, byte != UInt8(ascii: "\n"), byte != UInt8(ascii: "\r") {
      guard !isQuoted, byte != UInt8(ascii: "\"") else {
        throw diagnosis(line, "a quote is not at the edge of its cell", "quote the whole cell, and double the quotes in it")
      }
      position += 1
      try append(byte, to: &bytes, first, &size)
    }
    // Text in C ends at a NUL.
    guard !bytes.contains(0) else { throw diagnosis(line, "a cell contains a NUL", "remove it") }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw diagnosis(line, "a cell is not UTF-8", "encode the file as UTF-8")
    }
    return CSVRecord.Cell(text: text, isQuoted: isQuoted)
  }

  private func append(_ byte: UInt8, to bytes: inout [UInt8], _ first: Int, _ size: inout Int) throws(Diagnosis) {
    try count(1, first, &size)
    bytes.append(byte)
  }

  private func count(_ bytes: Int, _ first: Int, _ size: inout Int) throws(Diagnosis) {
    size += bytes
    guard size <= Self.maximumSize else {
      throw diagnosis(
        first, "the record has more than \(Self.maximumSize) bytes", "add the closing quote, or shorten the record")
    }
  }

  func diagnosis(_ line: Int, _ problem: String, _ remedy: String = "") -> Diagnosis {
    Diagnosis(.invalidData, "\(name):\(line)", problem: problem, remedy: remedy)
  }
}

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
