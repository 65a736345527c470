// include/troupe-host.h documents the public functions.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import CTroupe
public import CTroupeHost
internal import Troupe
internal import TroupeCall
internal import TroupeHost

// Calls of a function over columns in the program's memory, and the loop for a program that calls it itself.

extension ABIStruct {
  fileprivate static let column = ABIStruct((minor: 0, bytes: 56))
  fileprivate static let outputColumn = ABIStruct((minor: 0, bytes: 56))
  fileprivate static let mapOptions = ABIStruct((minor: 0, bytes: 32))
}

@c @implementation
public func troupe_function_map(
  _ function: OpaquePointer?, _ columns: UnsafePointer<UnsafePointer<troupe_column>>?, _ columnCount: Int, _ rowCount: Int,
  _ outputs: UnsafePointer<UnsafeMutablePointer<troupe_output_column>>?, _ outputCount: Int,
  _ options: UnsafePointer<troupe_map_options>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> troupe_status {
  ErrorHandle.status(error, of: function.map { FunctionHandle.borrow($0).function.name } ?? "") {
    let function = try FunctionHandle.borrow(function, as: "function").function
    let signature = function.signature
    try checkCount(columnCount, signature.callerParameters.count, "input", of: function)
    try checkCount(outputCount, signature.outputTypes.count, "output", of: function)
    let inputs = try pointers(columns, columnCount, as: "columns").enumerated().map { index, pointer in
      Column(try ABIStruct.column.copy(pointer, as: "columns[\(index)]"), signature.inputElement(index))
    }
    let results = try pointers(outputs, outputCount, as: "outputs")
    let memory = try results.enumerated().map { index, pointer in
      let column = try ABIStruct.outputColumn.copy(UnsafePointer(pointer), as: "outputs[\(index)]")
      return OutputColumn(column, signature.outputElement(index))
    }
    // A count above the greatest Int is a negative one here, which the call refuses.
    let nullCount = try function.map(inputs, rows: rowCount, into: memory, options: MapOptions(options))
    for pointer in results { pointer?.pointee.null_count = nullCount }
  }
}

/// Checks the number of columns before any of them is read.
func checkCount(_ count: Int, _ expected: Int, _ kind: String, of function: ForeignFunction) throws(Diagnosis) {
  guard count != expected else { return }
  let given = "\(UInt(bitPattern: count)) \(kind) column\(count == 1 ? "" : "s")"
  throw Diagnosis(.usage, function.name, problem: "\(given) given, \(expected) expected", remedy: "give \(expected)")
}

/// Copies an array of pointers that the header declares as non-null but a program may fill with NULL.
private func pointers<Pointer: _Pointer>(
  _ array: UnsafePointer<Pointer>?, _ count: Int, as name: String
) throws(Diagnosis) -> [Pointer?] {
  guard count > 0 else { return [] }
  guard let array else { throw .missing(name) }
  return UnsafeRawPointer(array).withMemoryRebound(to: Pointer?.self, capacity: count) {
    Array(UnsafeBufferPointer(start: $0, count: count))
  }
}

@c @implementation
public func troupe_function_loop(
  _ function: OpaquePointer?, _ data: UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
  _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> troupe_loop? {
  ErrorHandle.pointer(error) {
    let function = try FunctionHandle.borrow(function, as: "function").function
    guard let data else { throw Diagnosis.missing("data") }
    guard !function.isIsolated else {
      throw Diagnosis(
        .unavailable, function.name, problem: "runs in a worker, so that it has no loop in this process",
        remedy: "call it with troupe_function_map")
    }
    guard function.signature.isNumeric, let loop = function.loop, let address = UnsafeRawPointer(bitPattern: loop.function)
    else {
      throw Diagnosis(
        .invalidSignature, function.name, problem: "has the type \(function.signature), for which there is no loop",
        remedy: "call it with troupe_function_map; a loop is for at most 8 numbers or booleans and a result")
    }
    data.pointee = UnsafeMutableRawPointer(bitPattern: loop.data)
    return unsafeBitCast(address, to: troupe_loop.self)
  }
}

extension Signature {
  fileprivate func inputElement(_ index: Int) -> Column.Element? {
    let parameters = callerParameters
    return parameters.indices.contains(index) ? Column.Element(parameters[index].type) : nil
  }

  fileprivate func outputElement(_ index: Int) -> Column.Element? {
    outputTypes.indices.contains(index) ? Column.Element(outputTypes[index]) : nil
  }

  /// The result comes first.
  fileprivate var outputTypes: [CType] { (result == .void ? [] : [result]) + outputs.map(\.type) }
}

extension Column {
  /// - Parameter expected: The parameter's kind. It tells `float` from `double` complex numbers.
  fileprivate init(_ column: troupe_column, _ expected: Element?) {
    self.init(
      Element(column.kind, size: column.element_size, expected), data: column.data, stride: column.stride, count: column.count,
      validity: column.validity, validityOffset: column.validity_offset)
  }
}

extension OutputColumn {
  fileprivate init(_ column: troupe_output_column, _ expected: Column.Element?) {
    self.init(
      Column.Element(column.kind, size: column.element_size, expected), data: column.data, stride: column.stride,
      validity: column.validity, validityOffset: column.validity_offset)
  }
}

extension Column.Element {
  /// Maps an unknown constant to memory of size 0, which fits no parameter.
  fileprivate init(_ kind: troupe_type_kind, size: Int, _ expected: Self?) {
    self =
      switch Int(kind) {
      case TROUPE_TYPE_BOOL: .bool
      case TROUPE_TYPE_INT8: .int8
      case TROUPE_TYPE_INT16: .int16
      case TROUPE_TYPE_INT32: .int32
      case TROUPE_TYPE_INT64: .int64
      case TROUPE_TYPE_UINT8: .uint8
      case TROUPE_TYPE_UINT16: .uint16
      case TROUPE_TYPE_UINT32: .uint32
      case TROUPE_TYPE_UINT64: .uint64
      case TROUPE_TYPE_FLOAT: .float
      case TROUPE_TYPE_DOUBLE: .double
      case TROUPE_TYPE_LONG_DOUBLE: .longDouble
      case TROUPE_TYPE_COMPLEX: if case .complex = expected { expected ?? .complex(.double) } else { .complex(.double) }
      case TROUPE_TYPE_STRING: .string
      case TROUPE_TYPE_WIDE_STRING, TROUPE_TYPE_POINTER, TROUPE_TYPE_CALLBACK, TROUPE_TYPE_REFERENCE: .pointer
      case TROUPE_TYPE_STRUCT, TROUPE_TYPE_UNION, TROUPE_TYPE_ARRAY: .memory(size: size)
      default: .memory(size: 0)
      }
  }
}

extension MapOptions {
  /// Returns the default options for NULL.
  init(_ source: UnsafePointer<troupe_map_options>?) throws(Diagnosis) {
    self.init()
    guard let source else { return }
    let options = try ABIStruct.mapOptions.copy(source, as: "options")
    switch Int(options.row_failure) {
    case TROUPE_ROW_FAILURE_ENDS: rowFailure = .ends
    case TROUPE_ROW_FAILURE_IS_NULL: rowFailure = .isNull
    case let other:
      throw Diagnosis(
        .invalidArgument, "row_failure", problem: "is \(other)",
        remedy: "give TROUPE_ROW_FAILURE_ENDS or TROUPE_ROW_FAILURE_IS_NULL")
    }
    threads = Int(options.threads)
    guard let function = options.report_row else { return }
    let context = UInt(bitPattern: options.context)
    report = { row, failure in
      let error = ErrorHandle(Diagnosis(failure, of: ""))
      withExtendedLifetime(error) {
        function(
          UnsafeMutableRawPointer(bitPattern: context), row, OpaquePointer(Unmanaged.passUnretained(error).toOpaque()))
      }
    }
  }
}
