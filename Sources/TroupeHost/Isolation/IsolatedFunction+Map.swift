internal import TroupeCall
internal import TroupeFiles
internal import TroupeSandbox

extension IsolatedFunction {
  /// Calls the function for each row of columns; see `PreparedCall.map`. The rows cross in batches, each with one message.
  func map(_ columns: [Column], rows: Int, into outputs: [OutputColumn], options: MapOptions) throws -> Int {
    try lockLibrary()
    defer { unlockLibrary() }
    if options.threads <= 1, let flatMap, try mapFlat(flatMap, columns, rows: rows, into: outputs) { return 0 }
    let isBuffer = try signature.checkTransfer(columns, rows: rows, outputs: outputs)
    var nullCount = 0
    var first = 0
    var question = Deadline.after(.milliseconds(50))
    while first < rows {
      if Task.isCancelled { throw WorkerError.cancelled }
      if question < .now {
        if worker.isInterrupted?() == true { throw WorkerError.cancelled }
        question = .after(.milliseconds(50))
      }
      let batch = try mapBatch(columns, isBuffer, from: first, of: rows, into: outputs, options)
      nullCount += batch.nullCount
      first += batch.rows
    }
    return nullCount
  }

  /// Calls the function for few rows with one block. Returns false, and does not call it, if the columns do not fit.
  private func mapFlat(_ flatMap: FlatMap, _ columns: [Column], rows: Int, into outputs: [OutputColumn]) throws -> Bool {
    try calls.call(calls.limits(isIdempotent: isIdempotent)) { endpoint, _ in
      let block = UnsafeMutableRawBufferPointer(rebasing: endpoint.buffer.prefix(Self.flatSize))
      guard rows < Self.flatSize, let size = flatMap.write(columns, rows: rows, outputs: outputs, to: block, at: 8) else {
        return false
      }
      block.storeBytes(of: UInt64(registrationID), as: UInt64.self)
      let target = flatMap.target(outputs, rows: rows)
      try endpoint.answerFlat(.flatMap, count: size, answerSize: target.count)
      target.copyMemory(from: UnsafeRawBufferPointer(rebasing: endpoint.buffer.prefix(target.count)))
      flatMap.validate(target)
      return true
    }
  }

  /// The size of a batch in bytes. A smaller one fits in the cache of the processor.
  private static let batchSize = 1 << 20

  private func mapBatch(
    _ columns: [Column], _ isBuffer: [Bool], from first: Int, of all: Int, into outputs: [OutputColumn], _ options: MapOptions
  ) throws -> (nullCount: Int, rows: Int) {
    let rowSize = max(1, columns.reduce(0) { $0 + $1.element.size } + outputs.reduce(0) { $0 + $1.element.size })
    // Whole words of the bitmaps.
    let rows = min(all - first, max(64, Self.batchSize / rowSize / 64 * 64))
    let transfer = ColumnTransfer(columns, isBuffer: isBuffer, rows: rows, outputs: outputs)
    return try calls.call(calls.limits(isIdempotent: isIdempotent)) { endpoint, _ in
      guard let region = endpoint.heap.allocate(transfer.size) else {
        throw ChannelError.tooLarge(size: transfer.size, capacity: endpoint.heap.size)
      }
      transfer.write(columns, isBuffer: isBuffer, from: first, to: region.bytes)
      let request = MapRequest(
        registrationID: registrationID, offset: region.offset, size: transfer.size, threads: options.threads,
        failureIsNull: options.rowFailure == .isNull, columns: transfer)
      do {
        let report = try endpoint.answer(.map, RecordWriter.bytes(request), as: MapReport.self)
        guard report.failures.count <= rows else { throw ChannelError.malformed }
        transfer.read(region.bytes, rows: rows, to: outputs, from: first)
        for failure in report.failures where failure.row < rows {
          let row = first + Int(failure.row)
          options.report?(row, failure.error.inRow(row))
        }
        return (Int(clamping: min(report.nullCount, UInt64(rows))), rows)
      } catch let error as CallError {
        guard let row = error.row, 0..<rows ~= row else { throw error }
        transfer.read(region.bytes, rows: row, to: outputs, from: first)
        throw error.inRow(first + row)
      }
    }
  }
}
