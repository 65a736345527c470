internal import CColumns
internal import Glibc

/// The layout of a batch of rows in memory that two processes share. The host copies columns in and results out, and the worker calls the
/// function over the columns where they are.
package struct ColumnTransfer: Sendable {
  /// A column in the shared memory.
  package struct Part: Sendable {
    package var element: Column.Element
    /// The offset of the first element.
    package var offset: Int
    /// The number of bytes from one row to the next; 0 if all rows have the first element.
    package var stride: Int
    /// The number of elements of a buffer.
    package var count: Int
    /// The offset of the bitmap, and the number of its first bit; nil without one.
    package var validity: (offset: Int, bit: Int)?

    package init(element: Column.Element, offset: Int, stride: Int, count: Int, validity: (offset: Int, bit: Int)?) {
      (self.element, self.offset, self.stride, self.count, self.validity) = (element, offset, stride, count, validity)
    }
  }

  package var rows: Int
  package private(set) var inputs: [Part] = []
  package private(set) var outputs: [Part] = []
  /// The bytes of memory that a batch needs.
  package private(set) var size = 0

  package init(rows: Int, inputs: [Part], outputs: [Part]) { (self.rows, self.inputs, self.outputs) = (rows, inputs, outputs) }

  /// Lays out columns.
  package init(_ columns: [Column], isBuffer: [Bool], rows: Int, outputs: [OutputColumn]) {
    self.rows = rows
    for (index, column) in columns.enumerated() {
      let count = isBuffer[index] ? column.count : column.stride == 0 ? min(rows, 1) : rows
      let offset = take(count * column.element.size)
      let bits = isBuffer[index] ? column.count : rows
      let validity = column.validity.map { _ in
        (offset: take((column.validityOffset % 8 + bits + 7) / 8), bit: column.validityOffset % 8)
      }
      let stride = !isBuffer[index] && column.stride == 0 ? 0 : column.element.size
      inputs.append(Part(element: column.element, offset: offset, stride: stride, count: column.count, validity: validity))
    }
    for column in outputs {
      let offset = take(rows * column.element.size)
      let validity = column.validity.map { _ in (offset: take((rows + 7) / 8), bit: 0) }
      self.outputs.append(
        Part(element: column.element, offset: offset, stride: column.element.size, count: 0, validity: validity))
    }
  }

  private mutating func take(_ count: Int) -> Int {
    let offset = size
    size += (count + 63) / 64 * 64
    return offset
  }

  // MARK: The process with the columns

  /// Copies the inputs of some rows into the memory.
  ///
  /// - Parameter first: The first row.
  package func write(_ columns: [Column], isBuffer: [Bool], from first: Int, to memory: UnsafeMutableRawBufferPointer) {
    guard let base = memory.baseAddress else { return }
    for (index, (part, column)) in zip(inputs, columns).enumerated() {
      let size = part.element.size
      if let data = column.data {
        if isBuffer[index] {
          (base + part.offset).copyMemory(from: data, byteCount: column.count * size)
        } else {
          Self.copy(data + column.stride * first, column.stride, to: base + part.offset, part.stride, size, rows)
        }
      }
      guard let validity = part.validity, let bitmap = column.validity else { continue }
      let start = column.validityOffset + (isBuffer[index] ? 0 : first)
      let bits = isBuffer[index] ? column.count : rows
      let target = (base + validity.offset).assumingMemoryBound(to: UInt8.self)
      for row in Swift.stride(from: 0, to: bits, by: 56) {
        let count = min(56, bits - row)
        columns_store_bits(target, validity.bit + row, count, columns_bits(bitmap, start + row, count))
      }
    }
  }

  /// Copies the outputs of the first rows from the memory.
  ///
  /// - Parameters:
  ///   - first: The first row in the columns.
  ///   - count: The number of rows.
  package func read(_ memory: UnsafeMutableRawBufferPointer, rows count: Int, to columns: [OutputColumn], from first: Int) {
    guard let base = memory.baseAddress else { return }
    for (part, column) in zip(outputs, columns) {
      if let data = column.data {
        Self.copy(base + part.offset, part.stride, to: data + column.stride * first, column.stride, part.element.size, count)
        if part.element == .bool { Self.normalize(data + column.stride * first, column.stride, count) }
      }
      guard let validity = part.validity, let bitmap = column.validity else { continue }
      let source = UnsafePointer((base + validity.offset).assumingMemoryBound(to: UInt8.self))
      for row in Swift.stride(from: 0, to: count, by: 56) {
        let bits = min(56, count - row)
        columns_store_bits(bitmap, column.validityOffset + first + row, bits, columns_bits(source, row, bits))
      }
    }
  }

  /// Makes each byte 0 or 1, since any other byte is no valid `Bool` of Swift.
  private static func normalize(_ bytes: UnsafeMutableRawPointer, _ stride: Int, _ count: Int) {
    for row in 0..<count where bytes.load(fromByteOffset: row * stride, as: UInt8.self) > 1 {
      bytes.storeBytes(of: 1, toByteOffset: row * stride, as: UInt8.self)
    }
  }

  /// Copies elements.
  private static func copy(
    _ source: UnsafeRawPointer, _ sourceStride: Int, to target: UnsafeMutableRawPointer, _ targetStride: Int, _ size: Int,
    _ rows: Int
  ) {
    if targetStride == 0 { return target.copyMemory(from: source, byteCount: rows > 0 ? size : 0) }
    if sourceStride == size, targetStride == size { return target.copyMemory(from: source, byteCount: rows * size) }
    for row in 0..<rows { (target + row * targetStride).copyMemory(from: source + row * sourceStride, byteCount: size) }
  }

  // MARK: The process with the function

  /// The columns in the memory, which must have room for them.
  package func columns(in memory: UnsafeMutableRawBufferPointer) -> (inputs: [Column], outputs: [OutputColumn])? {
    guard let base = memory.baseAddress else { return nil }
    let inputs = inputs.map { part in
      Column(
        part.element, data: base + part.offset, stride: part.stride, count: part.count,
        validity: part.validity.map { UnsafePointer((base + $0.offset).assumingMemoryBound(to: UInt8.self)) },
        validityOffset: part.validity?.bit ?? 0)
    }
    let outputs = outputs.map { part in
      OutputColumn(
        part.element, data: base + part.offset, stride: part.stride,
        validity: part.validity.map { (base + $0.offset).assumingMemoryBound(to: UInt8.self) })
    }
    return (inputs, outputs)
  }
}

extension Signature {
  /// Checks columns for a call in another process, before any of their memory is used, and writes the bitmaps of the outputs. Throws a
  /// `CallError`.
  ///
  /// - Returns: For each input column whether it is a buffer.
  package func checkTransfer(_ columns: [Column], rows: Int, outputs: [OutputColumn]) throws(CallError) -> [Bool] {
    let plan = try ColumnPlan(self)
    let memory = try ColumnMemory(columns, rows, outputs, plan: plan, self)
    let isPointer =
      plan.inputs.contains { $0.pointee != nil }
      || (columns.map(\.element) + outputs.map(\.element)).contains {
        $0 == .string || $0 == .pointer
      }
    if isPointer { throw .noColumns(self, "it runs in a worker, where columns are numbers and structs of numbers") }
    let validity = try RowValidity(columns, buffers: { plan.inputs[$0].length != nil }, rows: rows)
    guard validity.nullCount == 0 || memory.allowsNulls else { throw .nullWithoutBitmap }
    for bitmap in memory.bitmaps { validity.write(to: bitmap, rows: rows) }
    return plan.inputs.map { $0.length != nil }
  }
}
