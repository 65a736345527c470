/// The options of a call over columns.
public struct MapOptions: Sendable {
  /// The effect of a row that fails by the failure rule of the signature.
  public enum RowFailurePolicy: Sendable, Hashable {
    /// The failure ends the call. Rows before it have their results.
    case ends
    /// The row becomes null.
    case isNull
  }

  /// Gets the failure of a row that becomes null, on the thread that computed it. Several threads may call it at once.
  public typealias Report = @Sendable (_ row: Int, CallError) -> Void

  /// The effect of a failing row.
  public var rowFailure: RowFailurePolicy
  /// The number of threads that share the rows. With more than 1, the function must be callable on any thread.
  public var threads: Int
  /// Gets the failures of rows that become null; nil to ignore them.
  public var report: Report?
  /// Returns true to cancel the call. It runs about every 50 ms on the caller's thread, besides the check of the task.
  package var isInterrupted: (@Sendable () -> Bool)?

  /// Creates options.
  public init(rowFailure: RowFailurePolicy = .ends, threads: Int = 1, report: Report? = nil) {
    (self.rowFailure, self.threads, self.report) = (rowFailure, threads, report)
  }
}

extension PreparedCall {
  /// Calls the function once for each row of some columns.
  ///
  /// Rows with a null in any column are not computed and are null in the outputs; the elements of null rows are zero. An output may be the
  /// same memory as an input with the same stride. Buffer parameters get a whole column, without a copy. Cost: some nanoseconds for each
  /// row if all parameters and the result are numbers, else some tens of nanoseconds.
  ///
  /// - Parameters:
  ///   - columns: One column for each of the signature's `Signature.callerParameters`.
  ///   - rows: The number of rows.
  ///   - outputs: One column for the result, unless it is `void`, and one for each of the signature's `Signature.outputs`.
  ///   - options: See ``MapOptions``. The caller vouches for the function if it asks for more than one thread.
  /// - Returns: The number of null rows.
  /// - Throws: A `CallError`. `argumentCount`, `argumentType`, `argumentRange` for a column, and `unsupportedSignature`: no row is computed.
  ///   `system`, `failure`, `callback`: a call failed. The error has the index of the row, and rows before it have their results; without
  ///   an index a callback failed in some row. `cancelled`: the task was cancelled, for which the call looks about every 50 ms.
  ///   `smallStack`, `noMemory`.
  @discardableResult
  public func map(
    _ columns: [Column], rows: Int, into outputs: [OutputColumn], options: MapOptions = MapOptions()
  ) throws(CallError) -> Int {
    try map(columns, rows: rows, into: outputs, options: options, loop: ColumnLoop(self), resolver: nil)
  }

  /// - Parameters:
  ///   - loop: Computes many rows in one go; nil to call the function for each row.
  ///   - resolver: The argument of a `resolver` parameter.
  package func map(
    _ columns: [Column], rows: Int, into outputs: [OutputColumn], options: MapOptions, loop: ColumnLoop?,
    resolver: UnsafeRawPointer?
  ) throws(CallError) -> Int {
    lock?.lock(for: function)
    defer { lock?.unlock() }
    let plan = try ColumnPlan(signature)
    let memory = try ColumnMemory(columns, rows, outputs, plan: plan, signature)
    let validity = try RowValidity(columns, buffers: { plan.inputs[$0].length != nil }, rows: rows)
    guard validity.nullCount == 0 || memory.allowsNulls else { throw .nullWithoutBitmap }
    for bitmap in memory.bitmaps { validity.write(to: bitmap, rows: rows) }
    guard rows > 0 else { return 0 }
    // A loop gets pointers, not structs in their place.
    let isLoop = memory.inputs.allSatisfy { input, rows in input.element.accepts(rows.element) }
    let call = ColumnCall(self, plan, memory, validity: validity.words, isLoop ? loop : nil, resolver, options)
    // The call has a pointer to the combined bitmap.
    let failures = try withExtendedLifetime(validity) { () throws(CallError) in try call.run() }
    return validity.nullCount + failures
  }
}
