/// A Swift value that a call over columns takes as a column: an array or a buffer with an element for each row, or a number for all rows.
///
/// `Array`, `ArraySlice`, `ContiguousArray`, the buffer pointers of numbers, and the numbers themselves conform to it. Do not conform
/// other types.
public protocol ColumnArgument {
  /// Calls a closure with the column, whose memory is valid until the closure returns. Its `count` is the number of elements.
  func _withColumn<Result>(_ body: (Column) throws -> Result) rethrows -> Result
}

extension Array: ColumnArgument where Element: CScalar {
  /// Calls a closure with the elements.
  public func _withColumn<Result>(_ body: (Column) throws -> Result) rethrows -> Result {
    try withUnsafeBufferPointer { try body(Column($0)) }
  }
}

extension ArraySlice: ColumnArgument where Element: CScalar {
  /// Calls a closure with the elements.
  public func _withColumn<Result>(_ body: (Column) throws -> Result) rethrows -> Result {
    try withUnsafeBufferPointer { try body(Column($0)) }
  }
}

extension ContiguousArray: ColumnArgument where Element: CScalar {
  /// Calls a closure with the elements.
  public func _withColumn<Result>(_ body: (Column) throws -> Result) rethrows -> Result {
    try withUnsafeBufferPointer { try body(Column($0)) }
  }
}

extension UnsafeBufferPointer: ColumnArgument where Element: CScalar {
  /// Calls a closure with the elements.
  public func _withColumn<Result>(_ body: (Column) throws -> Result) rethrows -> Result { try body(Column(self)) }
}

extension UnsafeMutableBufferPointer: ColumnArgument where Element: CScalar {
  /// Calls a closure with the elements.
  public func _withColumn<Result>(_ body: (Column) throws -> Result) rethrows -> Result {
    try body(Column(UnsafeBufferPointer(self)))
  }
}

extension ColumnArgument where Self: CScalar {
  /// Calls a closure with the number.
  public func _withColumn<Result>(_ body: (Column) throws -> Result) rethrows -> Result {
    try withUnsafePointer(to: self) { try body(Column(UnsafeBufferPointer(start: $0, count: 1))) }
  }
}

extension Bool: ColumnArgument {}
extension Int: ColumnArgument {}
extension Int8: ColumnArgument {}
extension Int16: ColumnArgument {}
extension Int32: ColumnArgument {}
extension Int64: ColumnArgument {}
extension UInt: ColumnArgument {}
extension UInt8: ColumnArgument {}
extension UInt16: ColumnArgument {}
extension UInt32: ColumnArgument {}
extension UInt64: ColumnArgument {}
extension Float: ColumnArgument {}
extension Double: ColumnArgument {}
extension Value.Pointer: ColumnArgument {}

/// The arguments of a call over columns as Swift values.
package struct ColumnArguments {
  private let arguments: [any ColumnArgument]

  package init<each Argument: ColumnArgument>(_ argument: repeat each Argument) {
    var arguments: [any ColumnArgument] = []
    for argument in repeat each argument { arguments.append(argument) }
    self.arguments = arguments
  }

  /// Calls a closure with the columns, the number of rows and the column for the result. Columns of one element are repeated for all rows.
  /// Throws a `CallError` with the code `argumentRange` if the columns differ in their numbers of rows, and the errors of the closure.
  package func results<Result: CScalar>(
    for signature: Signature, _ body: ([Column], Int, OutputColumn) throws -> Void
  ) throws -> [Result] {
    let buffers = signature.callerParameters.map(\.isBuffer)
    return try withColumns { columns in
      var (columns, rows) = (columns, 1)
      let isColumn = columns.indices.map { !($0 < buffers.count && buffers[$0]) }
      for index in columns.indices where isColumn[index] && columns[index].count != 1 {
        guard rows == 1 || rows == columns[index].count else { throw CallError.unequalColumns(rows, columns[index].count) }
        rows = columns[index].count
      }
      for index in columns.indices where isColumn[index] && columns[index].count == 1 { columns[index].stride = 0 }
      return try [Result](unsafeUninitializedCapacity: rows) { results, count in
        try body(columns, rows, OutputColumn(results))
        count = rows
      }
    }
  }

  private func withColumns<Result>(
    _ columns: [Column] = [], _ body: ([Column]) throws -> Result
  ) rethrows -> Result {
    guard columns.count < arguments.count else { return try body(columns) }
    return try arguments[columns.count]._withColumn { try withColumns(columns + [$0], body) }
  }
}

extension PreparedCall {
  /// Calls the function once for each row of some columns and returns the results.
  ///
  ///     let areas: [Double] = try call.map(widths, heights)
  ///     let doubled: [Double] = try call.map(widths, 2.0)
  ///
  /// Arrays of one element and numbers are repeated for all rows; the array of a buffer parameter goes to all rows as a whole.
  ///
  /// - Throws: A `CallError`, as ``map(_:rows:into:options:)`` does, and `argumentRange` if the arrays differ in length.
  public func map<Result: CScalar, each Argument: ColumnArgument>(
    _ argument: repeat each Argument, as result: Result.Type = Result.self, options: MapOptions = MapOptions()
  ) throws -> [Result] {
    try ColumnArguments(repeat each argument).results(for: signature) { columns, rows, output in
      try map(columns, rows: rows, into: [output], options: options)
    }
  }
}
