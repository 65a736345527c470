internal import CColumns
internal import Glibc
internal import Synchronization

/// One call over columns: divides the rows into ranges, and computes each on a thread of its own.
///
///     rows 0 ─────────────────────────────────────────── n
///          [ range 0, caller's thread ][ range 1 ][ range 2 ]
///          [ batch ][ batch ] …                                  between batches: cancellation, failures of earlier ranges
///
/// A range runs a `ColumnLoop`, which computes a batch in one go, or makes a call of each row with `RowArguments`. Null rows are skipped. The
/// failure of the lowest row wins, whatever thread is first.
final class ColumnCall {
  /// The outcome of a range.
  private struct Outcome {
    var nullCount = 0
    var failure: CallError?
  }

  private let call: PreparedCall
  private let plan: ColumnPlan
  private let columns: ColumnMemory
  private let validity: UnsafePointer<UInt64>?
  /// Computes a batch; nil to call the function for each row.
  private let loop: ColumnLoop?
  private let resolver: UnsafeRawPointer?
  private let options: MapOptions
  private let ranges: [Range<Int>]
  private let outcomes: UnsafeMutableBufferPointer<Outcome>
  /// The lowest range with a failure. Ranges behind it end early.
  private let firstFailure = Atomic(Int.max)

  init(
    _ call: PreparedCall, _ plan: ColumnPlan, _ columns: ColumnMemory, validity: UnsafePointer<UInt64>?, _ loop: ColumnLoop?,
    _ resolver: UnsafeRawPointer?, _ options: MapOptions
  ) {
    (self.call, self.plan, self.columns, self.validity) = (call, plan, columns, validity)
    (self.loop, self.resolver, self.options) = (loop, resolver, options)
    ranges = Self.ranges(columns.rows, threads: options.threads)
    outcomes = .allocate(capacity: ranges.count)
    outcomes.initialize(repeating: Outcome())
  }

  deinit {
    outcomes.deinitialize()
    outcomes.deallocate()
  }

  /// Splits rows into ranges of whole words of a bitmap.
  private static func ranges(_ rows: Int, threads: Int) -> [Range<Int>] {
    let words = rows / 64 + (rows % 64 == 0 ? 0 : 1)
    let count = max(1, min(threads, words))
    let share = words / count, rest = words % count
    var (ranges, start): ([Range<Int>], Int) = ([], 0)
    for index in 0..<count {
      let end = index == count - 1 ? rows : start + 64 * (share + (index < rest ? 1 : 0))
      ranges.append(start..<end)
      start = end
    }
    return ranges
  }

  /// Returns the number of rows that failed and became null. Throws the failure of the first row that ends the call.
  func run() throws(CallError) -> Int {
    // Several threads use this object, which is constant but for `firstFailure` and the element of `outcomes` that belongs to a range.
    let context = Unmanaged.passUnretained(self).toOpaque()
    if Task.isCancelled { throw .cancelled }
    columns_run(ranges.count, { Unmanaged<ColumnCall>.fromOpaque($0).takeUnretainedValue().run(range: $1) }, context)
    if let failure = outcomes.lazy.compactMap(\.failure).first { throw failure }
    return outcomes.reduce(0) { $0 + $1.nullCount }
  }

  private func run(range index: Int) {
    do throws(CallError) {
      if let loop {
        try run(loop, ranges[index], index)
      } else {
        try runRows(of: ranges[index], index)
      }
    } catch {
      outcomes[index].failure = error
      firstFailure.min(index, ordering: .relaxed)
    }
  }

  /// Computes a range with a loop, batch by batch. Only callbacks and cancellations can end it.
  private func run(_ loop: ColumnLoop, _ range: Range<Int>, _ index: Int) throws(CallError) {
    let count = columns.inputs.count + columns.outputs.count
    let steps = columns.inputs.map(\.rows.stride) + columns.outputs.map(\.stride)
    var pace = Pace()
    var isCancelled = false
    let (_, failure) = CallbackErrors.collecting {
      withUnsafeTemporaryAllocation(of: UnsafeMutablePointer<CChar>.self, capacity: count + 1) { arguments in
        // Not empty, so that it has an address.
        let start = arguments.baseAddress.unsafelyUnwrapped
        RowValidity.forEachRun(validity, range) { run in
          var rest = run
          while !rest.isEmpty {
            let batch = rest.prefix(pace.rest)
            for (index, (_, rows)) in columns.inputs.enumerated() {
              (start + index).initialize(to: Self.address(UnsafeMutableRawPointer(mutating: rows.data), rows.stride, batch))
            }
            for (index, rows) in columns.outputs.enumerated() {
              (start + columns.inputs.count + index).initialize(to: Self.address(rows.data, rows.stride, batch))
            }
            loop(start, rows: batch.count, steps: steps)
            rest = rest.dropFirst(batch.count)
            guard let hasToAsk = pace.advance(by: batch.count) else { continue }
            isCancelled = hasToAsk && index == 0 && isInterrupted
            if isCancelled || firstFailure.load(ordering: .relaxed) < index { return false }
          }
          return true
        } null: {
          clear($0)
        }
      }
    }
    if let failure { throw .callbackFailed(failure) }
    if isCancelled { throw .cancelled }
  }

  /// The program or the task has cancelled the call. Only the caller's thread asks, which computes the first range.
  private var isInterrupted: Bool { Task.isCancelled || options.isInterrupted?() == true }

  private static func address(
    _ data: UnsafeMutableRawPointer, _ stride: Int, _ rows: Range<Int>
  ) -> UnsafeMutablePointer<CChar> {
    (data + stride * rows.lowerBound).assumingMemoryBound(to: CChar.self)
  }

  /// Computes a range with a call of each row.
  private func runRows(of range: Range<Int>, _ index: Int) throws(CallError) {
    var arguments = RowArguments(call, plan.outputs, columns)
    try arguments.fill(resolver: resolver)
    var failure: CallError?
    var pace = Pace()
    RowValidity.forEachRun(validity, range) { rows in
      for row in rows {
        if pace.advance(by: 1) == true, index == 0, isInterrupted {
          failure = .cancelled
          return false
        }
        guard firstFailure.load(ordering: .relaxed) >= index else { return false }
        do throws(CallError) {
          try arguments.run(row)
        } catch {
          guard makeNull(row, index, error) else {
            failure = error.inRow(row)
            return false
          }
        }
      }
      return true
    } null: {
      clear($0)
    }
    if let failure { throw failure }
  }

  /// Makes a failed row null. Returns false if the failure has to end the call.
  private func makeNull(_ row: Int, _ index: Int, _ error: CallError) -> Bool {
    guard options.rowFailure == .isNull, columns.allowsNulls, error.isFailureOfRow else { return false }
    clear(row..<row + 1)
    for bitmap in columns.bitmaps { columns_clear_bit(bitmap.bytes, bitmap.offset + row) }
    outcomes[index].nullCount += 1
    options.report?(row, error.inRow(row))
    return true
  }

  /// Makes the elements of null rows zero.
  private func clear(_ rows: Range<Int>) {
    for output in columns.outputs {
      for row in rows { memset(output.data + row * output.stride, 0, output.element.size) }
    }
  }
}

/// Divides the rows of a range into batches of some milliseconds, between which the call can be cancelled.
///
/// The size of a batch follows the time that the last one took, since a row may take a nanosecond or a second.
private struct Pace {
  /// The rows left in the batch.
  private(set) var rest = 16
  private var size = 16
  private var begin = Self.now
  private var lastQuestion = Self.now

  private static var now: UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  /// Records computed rows. Returns nil within a batch, and true at the end of one if it is time to ask for a cancellation.
  mutating func advance(by rows: Int) -> Bool? {
    rest -= rows
    return rest > 0 ? nil : endBatch()
  }

  private mutating func endBatch() -> Bool {
    let now = Self.now
    let duration = now - begin
    if duration < 5_000_000 { size = min(2 * size, 1 << 16) } else if duration > 20_000_000 { size = max(1, size / 4) }
    (begin, rest) = (now, size)
    guard now - lastQuestion >= 50_000_000 else { return false }
    lastQuestion = now
    return true
  }
}

extension CallError {
  /// The function reports the failure. An argument that does not fit, a callback or a worker ends the whole call.
  fileprivate var isFailureOfRow: Bool {
    switch code {
    case .system, .failure: true
    default: false
    }
  }
}
