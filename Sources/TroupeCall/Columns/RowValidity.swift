internal import CColumns
internal import Glibc

/// A bitmap of the rows that have a value in every column: the bitmaps of the columns, combined with AND.
struct RowValidity: ~Copyable {
  /// Nil if no row is null.
  let words: UnsafeMutablePointer<UInt64>?
  let nullCount: Int

  /// Throws a `CallError` with the code `noMemory`.
  init(_ columns: [Column], buffers: (Int) -> Bool, rows: Int) throws(CallError) {
    let bitmaps = columns.enumerated().compactMap { index, column in
      buffers(index) ? nil : column.validity.map { ($0, column.validityOffset) }
    }
    guard !bitmaps.isEmpty, rows > 0 else {
      (words, nullCount) = (nil, 0)
      return
    }
    guard let memory = malloc((rows / 64 + 1) * 8) else { throw .noMemory(forRows: rows) }
    let combined = memory.assumingMemoryBound(to: UInt64.self)
    var valid = 0
    for row in stride(from: 0, to: rows, by: 64) {
      let count = min(64, rows - row)
      var bits = UInt64.max
      for (bitmap, offset) in bitmaps { bits &= columns_bits(bitmap, offset + row, count) }
      combined[row / 64] = bits
      valid += bits.nonzeroBitCount
    }
    nullCount = rows - valid
    if nullCount == 0 { free(memory) }
    words = nullCount == 0 ? nil : combined
  }

  deinit { free(words) }

  /// Writes the bits to the bitmap of an output.
  borrowing func write(to bitmap: ColumnMemory.Bitmap, rows: Int) {
    for row in stride(from: 0, to: rows, by: 64) {
      let count = min(64, rows - row)
      columns_store_bits(bitmap.bytes, bitmap.offset + row, count, words?[row / 64] ?? .max)
    }
  }

  /// Splits a range into runs of rows with values and runs of nulls, and calls a closure with each in order. Ends when `valid` returns false.
  static func forEachRun(
    _ words: UnsafePointer<UInt64>?, _ range: Range<Int>, valid: (Range<Int>) -> Bool, null: (Range<Int>) -> Void
  ) {
    guard let words else {
      if !range.isEmpty { _ = valid(range) }
      return
    }
    var row = range.lowerBound
    while row < range.upperBound {
      let first = next(words, from: row, to: range.upperBound, isValid: true)
      if row < first { null(row..<first) }
      row = next(words, from: first, to: range.upperBound, isValid: false)
      if first < row, !valid(first..<row) { return }
    }
  }

  /// Returns the first row that has a value or, for `isValid` false, is null; `end` if there is no such row.
  private static func next(_ words: UnsafePointer<UInt64>, from row: Int, to end: Int, isValid: Bool) -> Int {
    var row = row
    while row < end {
      let word = (isValid ? words[row / 64] : ~words[row / 64]) >> UInt64(row % 64)
      if word != 0 { return min(end, row + word.trailingZeroBitCount) }
      row = (row / 64 + 1) * 64
    }
    return end
  }
}
