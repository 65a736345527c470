internal import CColumns

/// Calls over few rows of numbers in one block of memory, which another process can receive.
///
/// The block has the number of rows, two words for each column, its offset and its stride, and then the columns. The last column is the
/// result, which has room in the block.
package struct FlatMap: Sendable {
  private let inputs: [Column.Element]
  private let output: Column.Element

  /// Nil for a signature with anything but numbers, and for one without a loop.
  package init?(_ signature: Signature) {
    guard signature.isNumeric, signature.parameters.count <= Int(COLUMNS_MAXIMUM), let output = Column.Element(signature.result)
    else {
      return nil
    }
    inputs = signature.parameters.compactMap { Column.Element($0.type) }
    self.output = output
    guard inputs.count == signature.parameters.count, (inputs + [output]).allSatisfy({ $0.size <= 8 }) else { return nil }
  }

  /// The alignment of a column in the block.
  private static func aligned(_ offset: Int) -> Int { (offset + 15) / 16 * 16 }

  // MARK: The process with the columns

  /// Writes columns to a block. Returns its size, or nil if they have other elements, nulls or gaps, or there is no room.
  ///
  /// - Parameter block: Aligned memory. The number of rows is at `start`.
  package func write(
    _ columns: [Column], rows: Int, outputs: [OutputColumn], to block: UnsafeMutableRawBufferPointer, at start: Int
  ) -> Int? {
    guard columns.count == inputs.count, outputs.count == 1, rows > 0, rows <= block.count, let base = block.baseAddress else {
      return nil
    }
    guard outputs[0].element == output, outputs[0].stride == output.size, outputs[0].validity == nil, outputs[0].data != nil
    else {
      return nil
    }
    base.storeBytes(of: rows, toByteOffset: start, as: Int.self)
    var words = start + 8
    var end = Self.aligned(words + 16 * (inputs.count + 1))
    func add(_ offset: Int, _ stride: Int) {
      base.storeBytes(of: offset, toByteOffset: words, as: Int.self)
      base.storeBytes(of: stride, toByteOffset: words + 8, as: Int.self)
      words += 16
    }
    for (column, element) in zip(columns, inputs) {
      guard column.element == element, column.validity == nil, let data = column.data,
        column.stride == element.size || column.stride == 0
      else { return nil }
      let size = column.stride == 0 ? element.size : rows * element.size
      guard end + size <= block.count else { return nil }
      (base + end).copyMemory(from: data, byteCount: size)
      add(end, column.stride)
      end = Self.aligned(end + size)
    }
    guard end + rows * output.size <= block.count else { return nil }
    add(end, output.size)
    return end
  }

  /// The memory of the output.
  package func target(_ outputs: [OutputColumn], rows: Int) -> UnsafeMutableRawBufferPointer {
    UnsafeMutableRawBufferPointer(start: outputs[0].data, count: rows * output.size)
  }

  /// Makes a received output valid: each byte of booleans is 0 or 1.
  package func validate(_ bytes: UnsafeMutableRawBufferPointer) {
    guard output == .bool else { return }
    for index in bytes.indices where bytes[index] > 1 { bytes[index] = 1 }
  }

  // MARK: The process with the function

  /// Computes the rows in a block. Returns the range of the output; nil if the block is malformed.
  package func run(_ loop: ColumnLoop, _ block: UnsafeMutableRawBufferPointer, at start: Int) -> Range<Int>? {
    let count = inputs.count + 1
    guard start + 8 + 16 * count <= block.count, let base = block.baseAddress else { return nil }
    let rows = base.load(fromByteOffset: start, as: Int.self)
    return withUnsafeTemporaryAllocation(of: UnsafeMutablePointer<CChar>.self, capacity: count) { arguments in
      withUnsafeTemporaryAllocation(of: Int.self, capacity: count) { steps in
        var last = 0
        for index in 0..<count {
          last = base.load(fromByteOffset: start + 8 + 16 * index, as: Int.self)
          guard 0..<block.count ~= last else { return nil }
          arguments[index] = (base + last).assumingMemoryBound(to: CChar.self)
          steps[index] = base.load(fromByteOffset: start + 16 + 16 * index, as: Int.self)
        }
        guard rows > 0, rows <= (block.count - last) / output.size, let first = arguments.baseAddress,
          let step = steps.baseAddress
        else {
          return nil
        }
        loop(first, rows: rows, steps: step)
        return last..<last + rows * output.size
      }
    }
  }
}
