package import TroupeCall
package import TroupeFiles

/// A call of a function for each row of columns, which are in a region of the shared memory.
package struct MapRequest: Sendable {
  package var registrationID: UInt32
  /// The offset of the region in the heap.
  package var offset: UInt64
  package var size: UInt64
  package var threads: UInt32
  package var failureIsNull: Bool
  package var columns: ColumnTransfer

  package init(
    registrationID: UInt32, offset: Int, size: Int, threads: Int, failureIsNull: Bool, columns: ColumnTransfer
  ) {
    (self.registrationID, self.offset, self.size) = (registrationID, UInt64(offset), UInt64(size))
    (self.threads, self.failureIsNull, self.columns) = (UInt32(clamping: max(threads, 1)), failureIsNull, columns)
  }
}

/// The result of such a call: how many rows are null, and why the calls of rows failed.
package struct MapReport: Sendable {
  package struct FailedRow: Sendable, Recordable {
    package var row: UInt64
    package var error: CallError

    package init(row: Int, error: CallError) { (self.row, self.error) = (UInt64(row), error) }

    package func write(to writer: inout RecordWriter) { writer.write(row, error) }

    package init(from reader: inout RecordReader) throws(ReadError) { (row, error) = try reader.values() }
  }

  package var nullCount: UInt64
  package var failures: [FailedRow]

  package init(nullCount: Int, failures: [FailedRow]) { (self.nullCount, self.failures) = (UInt64(nullCount), failures) }
}

extension MapRequest: Recordable {
  package func write(to writer: inout RecordWriter) {
    writer.write(registrationID, offset, size, threads, failureIsNull)
    writer.write(number: UInt64(columns.rows))
    for parts in [columns.inputs, columns.outputs] {
      writer.write(count: parts.count)
      for part in parts { part.write(to: &writer) }
    }
  }

  package init(from reader: inout RecordReader) throws(ReadError) {
    (registrationID, offset, size, threads, failureIsNull) = try reader.values()
    let rows: UInt64 = try reader.number()
    var parts: [[ColumnTransfer.Part]] = []
    for _ in 0..<2 {
      let count = try reader.count(ofSize: 1)
      var list: [ColumnTransfer.Part] = []
      for _ in 0..<count { list.append(try ColumnTransfer.Part(from: &reader)) }
      parts.append(list)
    }
    columns = ColumnTransfer(rows: Int(clamping: rows), inputs: parts[0], outputs: parts[1])
  }
}

extension MapReport: Recordable {
  package func write(to writer: inout RecordWriter) { writer.write(nullCount, failures) }

  package init(from reader: inout RecordReader) throws(ReadError) { (nullCount, failures) = try reader.values() }
}

extension ColumnTransfer.Part {
  fileprivate func write(to writer: inout RecordWriter) {
    writer.write(number: element.number)
    for number in [element.size, offset, stride, count, validity?.offset ?? -1, validity?.bit ?? 0] {
      writer.write(number: Int64(number))
    }
  }

  fileprivate init(from reader: inout RecordReader) throws(ReadError) {
    let number: UInt8 = try reader.number()
    var numbers: [Int] = []
    for _ in 0..<6 { numbers.append(Int(try reader.number() as Int64)) }
    guard let element = Column.Element(number: number, size: numbers[0]) else {
      throw ReadError("\(number) is no kind of a column")
    }
    self.init(
      element: element, offset: numbers[1], stride: numbers[2], count: numbers[3],
      validity: numbers[4] < 0 ? nil : (numbers[4], numbers[5]))
  }
}

extension Column.Element {
  /// The number in a message. The size tells structs apart.
  fileprivate var number: UInt8 { UInt8(Self.numbered.firstIndex(of: self) ?? Self.numbered.count) }

  fileprivate init?(number: UInt8, size: Int) {
    guard number <= Self.numbered.count, size >= 0 else { return nil }
    self = number < Self.numbered.count ? Self.numbered[Int(number)] : .memory(size: size)
  }

  private static let numbered: [Column.Element] = [
    .bool, .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32, .uint64, .float, .double, .longDouble, .complex(.float),
    .complex(.double), .complex(.longDouble),
  ]
}
