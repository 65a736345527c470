internal import Glibc
internal import TroupeCall
internal import TroupeHost

/// `troupe map`: calls a function for each row of CSV files and writes the rows with the results.
///
///     name,width,height          name,width,height,area
///     kitchen,3,4.5        →     kitchen,3,4.5,13.5
///     hall,2,              →     hall,2,,                 an empty cell is null, and so is the result
///
///     CSVReader ─► Row ─► batch ─► TableFunction ─► outcomes ─► CSVWriter
///
/// Rows are read and computed in batches of 4096 rows or 8 MiB, which bounds the memory. A failing row ends the command after the rows
/// before it are written, or has empty results (`failuresAreNull`). Errors are a `Diagnosis` with `FILE:LINE`.
///
/// Several threads may run one map, each for another output, if the function was made for as many callers.
package struct TableMap: Sendable {
  package struct Options: Sendable {
    /// A name or a position from 1 for each parameter. Nil selects the columns with the names of the parameters, or the first columns if no
    /// column has such a name.
    package var columns: [String]?
    package var hasHeader = true
    package var delimiter = UInt8(ascii: ",")
    package var failuresAreNull = false
    package var writesOnlyResults = false

    package init() {}
  }

  fileprivate let function: TableFunction
  fileprivate let options: Options
  fileprivate let report: @Sendable (String) -> Void

  /// - Parameter report: Gets a line for each of the first 10 failing rows of an output, and one with the number of the others, if
  ///   `failuresAreNull`.
  package init(_ function: TableFunction, _ options: Options, report: @escaping @Sendable (String) -> Void) {
    (self.function, self.options, self.report) = (function, options, report)
  }

  /// Writes the table of a file with its results to its output in a directory.
  package func run(_ item: OutputDirectory.Item) throws {
    try function.activity.during {
      try OutputDirectory.write(item.output) { try run([item.input], to: $0, OutputBuffer($0)) { _ in } }
    }
  }

  /// Writes the tables of files, which have the same header, with their results.
  ///
  /// - Parameters:
  ///   - path: The output; nil for standard output. An error before the first record is written leaves its content as it is.
  ///   - read: Gets the number of bytes of each piece that is read.
  package func run(_ files: [InputFile], to path: String?, read: @escaping (Int) -> Void) throws {
    try function.activity.during {
      guard let path else { return try run(files, to: .output, OutputBuffer(.output), read) }
      let file: FileDescriptor
      do throws(SystemError) {
        file = try FileDescriptor(opening: path, O_WRONLY | O_CREAT, mode: 0o666)
      } catch {
        throw Diagnosis(.inputOutput, path, problem: "cannot be written: \(error)", remedy: "name another file with -o")
      }
      let output = ByteStream(descriptor: file.rawValue, name: path)
      try run(files, to: output, OutputBuffer(output, truncates: true), read)
    }
  }

  private func run(
    _ files: [InputFile], to output: ByteStream, _ buffer: OutputBuffer, _ read: @escaping (Int) -> Void
  ) throws {
    var writer = ResultWriter(self, buffer)
    // No input may be the output: the first write would empty it, or the table would grow without end.
    for file in files { try check(file, output) }
    for file in files { try file.reading { try writer.write($0, name: file.name, read) } }
    try writer.finish()
  }

  private func check(_ file: InputFile, _ output: ByteStream) throws(Diagnosis) {
    // `file.identity` is from the start of the command. To open the file here would take the data from a named pipe.
    let identity = file.path == InputFile.standardInput.path ? ByteStream.input.contentIdentity : file.identity
    guard let identity, identity == output.contentIdentity else { return }
    throw Diagnosis(.usage, file.name, problem: "is the output, too", remedy: "write to another file")
  }
}

extension InputFile {
  /// The name for messages.
  fileprivate var name: String { path == Self.standardInput.path ? "standard input" : path }
}

/// Writes the tables of one output: one header, and then the rows of all files.
private struct ResultWriter {
  private let function: TableFunction
  private let options: TableMap.Options
  private let report: (String) -> Void
  private let writer: CSVWriter
  /// The header of the first file.
  private var header: [String]?
  private var failureCount = 0

  private static let batchSize = 4096
  private static let batchBytes = 8 << 20
  private static let reportedFailures = 10

  init(_ map: TableMap, _ output: OutputBuffer) {
    (function, options, report) = (map.function, map.options, map.report)
    writer = CSVWriter(output, delimiter: options.delimiter)
  }

  /// A record with the arguments of its call. Without arguments there is no call: a cell is null, or `failure` says why a cell is no
  /// argument.
  private struct Row {
    let record: CSVRecord
    let arguments: TableFunction.Arguments
    let failure: CallError?
  }

  /// Writes the rows of a file with their results.
  mutating func write(_ stream: ByteStream, name: String, _ read: @escaping (Int) -> Void) throws {
    var reader = CSVReader(stream, name: name, delimiter: options.delimiter, read: read)
    try reader.skipByteOrderMark()
    guard let first = try reader.next() else { return }
    let names = options.hasHeader ? first.cells.map(\.text) : nil
    let columns = try columns(names, first.cells.count, name)
    var (rows, bytes) = ([Row](), 0)
    if options.hasHeader { try writeHeader(first, reader) } else { rows.append(row(first, columns)) }
    do {
      while let record = try reader.next() {
        // An empty line is a record only in a table of one column.
        if record.cells.count == 1, first.cells.count > 1, record.cells[0].isNull { continue }
        guard record.cells.count == first.cells.count else {
          throw reader.diagnosis(
            record.line,
            "expected \(counted(first.cells.count, "cell")), got \(record.cells.count)",
            "correct the record")
        }
        rows.append(row(record, columns))
        bytes += record.size
        let isLastRow = rows[rows.count - 1].failure != nil && !options.failuresAreNull
        if rows.count == Self.batchSize || bytes >= Self.batchBytes || isLastRow {
          bytes = 0
          try compute(&rows, name)
        }
      }
    } catch {
      // The rows before the error get their results.
      try compute(&rows, name)
      try writer.flush()
      throw error
    }
    try compute(&rows, name)
    try writer.flush()
  }

  /// Writes the header of the first file; the others must have the same.
  private mutating func writeHeader(_ record: CSVRecord, _ reader: borrowing CSVReader) throws {
    let names = record.cells.map(\.text)
    if let header {
      guard header == names || options.writesOnlyResults else {
        throw reader.diagnosis(
          record.line, "the header differs from that of the first file", "give files with the same columns")
      }
      return
    }
    header = names
    let results = function.outputNames.map { CSVRecord.Cell(text: $0, isQuoted: false) }
    try writer.write((options.writesOnlyResults ? [] : record.cells) + results)
  }

  private func row(_ record: CSVRecord, _ columns: [Int]) -> Row {
    let cells = columns.map { record.cells[$0] }
    if cells.contains(where: \.isNull) { return Row(record: record, arguments: nil, failure: nil) }
    do {
      return Row(record: record, arguments: try function.arguments(cells.map(\.text)), failure: nil)
    } catch {
      return Row(record: record, arguments: nil, failure: error)
    }
  }

  /// Calls the function for the rows of a batch, writes the rows and empties the batch. Throws at the first failing row, after the rows
  /// before it are written, unless `failuresAreNull`.
  private mutating func compute(_ batch: inout [Row], _ name: String) throws {
    let rows = batch
    batch.removeAll(keepingCapacity: true)
    let outcomes: [TableFunction.Outcome]
    do {
      outcomes = try function.outcomes(rows.map(\.arguments), endsAtFailure: !options.failuresAreNull)
    } catch let error as WorkerError {
      throw Diagnosis(
        Diagnosis.Code(of: error), "\(name):\(rows.first?.record.line ?? 1)",
        problem: "in this row or one of the \(rows.count - 1) rows behind it: \(error.problem)", remedy: error.remedy)
    }
    for (row, outcome) in zip(rows, outcomes) {
      var values: [Value]?
      do {
        if let failure = row.failure { throw failure }
        values = try outcome?.get()
      } catch {
        try reportFailure(error, "\(name):\(row.record.line)")
      }
      let results = values?.map(Self.cell) ?? function.outputNames.map { _ in CSVRecord.Cell(text: "", isQuoted: false) }
      try writer.write((options.writesOnlyResults ? [] : row.record.cells) + results)
    }
  }

  /// Reports a failing row if `failuresAreNull`, and throws its failure otherwise.
  private mutating func reportFailure(_ error: any Error, _ place: String) throws {
    let argument = (error as? CallError)?.argument.map { "\($0): " } ?? ""
    let failure =
      if let error = error as? CallError {
        Diagnosis(Diagnosis.Code(of: error), place, problem: argument + error.problem, remedy: error.remedy)
      } else {
        Diagnosis(Diagnosis.Code(of: error), place, problem: "\(error)")
      }
    guard options.failuresAreNull else {
      // The rows before this one keep their results.
      try writer.flush()
      throw failure
    }
    failureCount += 1
    if failureCount <= Self.reportedFailures { report("\(failure)") }
  }

  /// Empties the output if there were no records, and reports the number of the failures that have no line of their own.
  func finish() throws {
    try writer.begin()
    let rest = failureCount - Self.reportedFailures
    if rest > 0 { report("\(rest) more row\(rest == 1 ? "" : "s") failed") }
  }

  private static func cell(_ value: Value) -> CSVRecord.Cell {
    switch value {
    case .string(let text): return CSVRecord.Cell(text: text ?? "", isQuoted: text == "")
    case .array, .packedArray, .structure, .bytes:
      var text = ""
      // The closure only appends.
      try? value.writeLine { text += $0 }
      return CSVRecord.Cell(text: text, isQuoted: false)
    default: return CSVRecord.Cell(text: value.description, isQuoted: false)
    }
  }

  // MARK: Columns

  /// Returns the index of a column for each parameter.
  ///
  /// - Parameters:
  ///   - names: The cells of the header; nil without one.
  ///   - count: The number of columns.
  private func columns(_ names: [String]?, _ count: Int, _ file: String) throws -> [Int] {
    let parameters = function.parameters
    if let wanted = options.columns {
      guard wanted.count == parameters.count else {
        throw Diagnosis(
          .usage, "--columns",
          problem: "expected \(counted(parameters.count, "column")), got \(wanted.count)",
          remedy: "name one for each parameter")
      }
      return try wanted.map { try column($0, names, count, file) }
    }
    let wanted = parameters.enumerated().map { $1.name ?? "#\($0 + 1)" }
    let present = wanted.filter { names?.contains($0) ?? false }
    if !present.isEmpty {
      guard present.count == parameters.count else {
        let missing = wanted.filter { !present.contains($0) }.joined(separator: ", ")
        throw Diagnosis(
          .invalidData, file,
          problem: "has the column\(present.count == 1 ? "" : "s") \(present.joined(separator: ", ")) and no \(missing)",
          remedy: "name a column for each parameter with --columns")
      }
      return try present.map { try column($0, names, count, file) }
    }
    guard count >= parameters.count else {
      throw Diagnosis(
        .invalidData, file, problem: "expected \(counted(parameters.count, "column")), got \(count)",
        remedy: "give a file with a column for each parameter")
    }
    return Array(0..<parameters.count)
  }

  /// Returns the index of a column from its name, or else from its position, which counts from 1.
  private func column(_ name: String, _ names: [String]?, _ count: Int, _ file: String) throws -> Int {
    if let index = names?.firstIndex(of: name) {
      guard names?.lastIndex(of: name) == index else {
        throw Diagnosis(
          .invalidData, file, problem: "has several columns \"\(name.shortened())\"",
          remedy: "name columns by position with --columns")
      }
      return index
    }
    if let position = Int(name), 1...count ~= position { return position - 1 }
    let known = names.map { "the columns are " + $0.joined(separator: ", ") } ?? "write a position from 1 to \(count)"
    throw Diagnosis(.usage, "--columns", problem: "\(file) has no column \"\(name.shortened())\"", remedy: known)
  }
}
