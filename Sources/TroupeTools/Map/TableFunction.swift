internal import Synchronization
internal import TroupeCall
package import TroupeHost

/// A function that is called for the rows of a table, in batches.
///
/// If all inputs and outputs are numbers, a batch is copied into columns and one call of `ForeignFunction.map` computes it, on several
/// threads if wanted. Any other function is called row by row. Either way the result is the same: an outcome for each row.
package struct TableFunction {
  /// The arguments of a row; nil if one of them is null.
  typealias Arguments = [Value]?
  /// The outputs of a row or its failure; nil for a row with a null.
  typealias Outcome = Result<[Value], any Error>?

  private let function: ForeignFunction
  /// The call, for the report of a crash.
  let activity: PluginActivity
  private let signature: Signature
  /// The types of the outputs, with the result, of a function that is called over columns.
  private let columns: [CType]?
  private let threads: Int
  /// C may keep what a row gave it until the last row.
  private let lifetime = ForeignLifetime()

  /// Throws a `Diagnosis` if the function takes a callback or does not allow as many threads.
  ///
  /// - Parameters:
  ///   - plugin: The id of the function's plugin.
  ///   - threads: The number of threads that share the rows of a call.
  ///   - callers: The number of threads that call at once.
  package init(_ function: ForeignFunction, of plugin: String, threads: Int, callers: Int) throws {
    (self.function, signature, self.threads) = (function, function.signature, threads)
    activity = PluginActivity(function: function.name, of: plugin)
    let outputs = (signature.result == .void ? [] : [signature.result]) + signature.outputs.map(\.type)
    let types = outputs + signature.callerParameters.map(\.type)
    let isNumeric = types.allSatisfy { ColumnStorage($0, rows: 0) != nil }
    columns = isNumeric && signature.fixedCount == nil && !signature.parameters.contains(where: \.isBuffer) ? outputs : nil
    for case (let name, .function(let type)) in signature.callerParameters.map({ ($0.name ?? "", $0.type) }) {
      throw Diagnosis(
        .usage, function.name, problem: "takes the callback \(name) of the type \(type), which no cell can contain",
        remedy: "call it with troupe call")
    }
    guard threads == 1 || columns != nil else {
      throw Diagnosis(
        .usage, "--jobs", problem: "\(function.name) is no function of numbers alone, which threads can share",
        remedy: "leave out --jobs")
    }
    guard max(threads, callers) == 1 || function.isCallableFromAnyThread else {
      throw Diagnosis(
        .usage, "--jobs", problem: "\(function.name) is not declared callable on any thread",
        remedy: "leave out --jobs, or, if the library's documentation allows it, add \"threads\": \"any\" to the adopting file")
    }
  }

  var parameters: [Signature.Parameter] { signature.callerParameters }

  var outputNames: [String] {
    (signature.result == .void ? [] : [function.name]) + signature.outputs.map { $0.name ?? "" }
  }

  func arguments(_ texts: [String]) throws(CallError) -> [Value] { try signature.arguments(parsing: texts) }

  /// - Parameter endsAtFailure: Ends the call at the first failure. The rows after it have no outcome.
  func outcomes(_ rows: [Arguments], endsAtFailure: Bool) throws -> [Outcome] {
    if let columns { return try outcomes(rows, columns, endsAtFailure) }
    var outcomes: [Outcome] = []
    for row in rows {
      let outcome: Outcome = row.map { arguments in Result { outputs(try function.call(arguments, keeping: lifetime)) } }
      outcomes.append(outcome)
      if endsAtFailure, case .failure = outcome { break }
    }
    return outcomes
  }

  private func outcomes(_ rows: [Arguments], _ types: [CType], _ endsAtFailure: Bool) throws -> [Outcome] {
    let inputs = parameters.compactMap { ColumnStorage($0.type, rows: rows.count) }
    let outputs = types.compactMap { ColumnStorage($0, rows: rows.count) }
    for (row, arguments) in rows.enumerated() {
      for (index, input) in inputs.enumerated() { input.set(row, to: arguments?[index]) }
    }
    let failures = RowFailures()
    let options = MapOptions(
      rowFailure: endsAtFailure ? .ends : .isNull, threads: threads,
      report: { row, error in failures.add(error, row: row) })
    var count = rows.count
    do {
      // The columns point into the memory of the objects.
      try withExtendedLifetime((inputs, outputs)) {
        _ = try function.map(inputs.map(\.input), rows: rows.count, into: outputs.map(\.output), options: options)
      }
    } catch let error as CallError {
      guard let row = error.row else { throw error }
      failures.add(error, row: row)
      count = row + 1
    }
    let failed = failures.all
    return (0..<count).map { row in
      if let failure = failed[row] { return .failure(failure) }
      guard rows[row] != nil else { return nil }
      return .success(named(outputs.compactMap { $0.value(row) }))
    }
  }

  /// The outputs of a call as `ForeignFunction.call` returns them.
  private func outputs(_ outcome: Value) -> [Value] {
    let named = signature.named(outcome)
    guard !signature.outputs.isEmpty, case .structure(let fields) = named else { return named == .void ? [] : [named] }
    return fields.map(\.value)
  }

  /// Returns outputs with names for the values of enumerations.
  private func named(_ values: [Value]) -> [Value] {
    guard !signature.outputs.isEmpty else { return values.map(signature.named) }
    let names = (signature.result == .void ? [] : ["return"]) + signature.outputs.map { $0.name ?? "" }
    return outputs(.structure(zip(names, values).map { Value.Field($0, $1) }))
  }
}

/// Collects the failures of rows from several threads.
private final class RowFailures: Sendable {
  private let list = Mutex<[Int: CallError]>([:])

  /// The failures by row index.
  var all: [Int: CallError] { list.withLock { $0 } }

  func add(_ error: CallError, row: Int) { list.withLock { $0[row] = error } }
}
