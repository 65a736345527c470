// include/troupe-host.h documents the public functions.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// Calls over arrays of the Arrow C data interface. Source of the rules for both structs: https://arrow.apache.org/docs/format/CDataInterface.html
//
// The inputs stay the program's, which releases them. The result is new memory, which the program releases through its struct.

public import CTroupe
public import CTroupeHost
internal import Glibc
internal import TroupeCall
internal import TroupeHost

@c @implementation
public func troupe_function_map_arrow(
  _ function: OpaquePointer?, _ schemas: UnsafePointer<UnsafePointer<ArrowSchema>>?,
  _ arrays: UnsafePointer<UnsafePointer<ArrowArray>>?, _ arrayCount: Int, _ options: UnsafePointer<troupe_map_options>?,
  _ resultSchema: UnsafeMutablePointer<ArrowSchema>?, _ result: UnsafeMutablePointer<ArrowArray>?,
  _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> troupe_status {
  ErrorHandle.status(error, of: function.map { FunctionHandle.borrow($0).function.name } ?? "") {
    let function = try FunctionHandle.borrow(function, as: "function").function
    guard let resultSchema, let result else { throw Diagnosis.missing(resultSchema == nil ? "result_schema" : "result") }
    let signature = function.signature
    guard signature.outputs.isEmpty, let element = Column.Element(signature.result), let format = ArrowFormat(element) else {
      throw Diagnosis(
        .invalidSignature, function.name, problem: "has the type \(signature), which does not return exactly one number",
        remedy: "call it with troupe_function_map")
    }
    let parameters = signature.callerParameters
    try checkCount(arrayCount, parameters.count, "input", of: function)
    guard arrayCount == 0 || (schemas != nil && arrays != nil) else {
      throw Diagnosis.missing(schemas == nil ? "schemas" : "arrays")
    }
    let inputs = try (0..<arrayCount).map { index in
      try ArrowInput(schemas?[index], arrays?[index], at: index, isBuffer: parameters[index].isBuffer)
    }
    let rows = try ArrowInput.rows(inputs)
    let output = try ArrowOutput(format, rows: rows)
    try withExtendedLifetime(inputs) {
      let columns = try inputs.map { try $0.column(rows: rows) }
      output.nullCount = try function.map(columns, rows: rows, into: [output.column], options: MapOptions(options))
    }
    output.export(to: result, resultSchema)
  }
}

/// A primitive format of Arrow, such as "g" for `double`.
private struct ArrowFormat {
  let letter: CChar
  let element: Column.Element

  private static let all: [(letter: Character, element: Column.Element)] = [
    ("b", .bool), ("c", .int8), ("C", .uint8), ("s", .int16), ("S", .uint16), ("i", .int32), ("I", .uint32), ("l", .int64),
    ("L", .uint64), ("f", .float), ("g", .double),
  ]

  /// Returns nil unless the element is a number or boolean.
  init?(_ element: Column.Element) {
    guard let letter = Self.all.first(where: { $0.element == element })?.letter.asciiValue else { return nil }
    (self.letter, self.element) = (CChar(letter), element)
  }

  init?(_ text: String) {
    guard text.count == 1, let element = Self.all.first(where: { String($0.letter) == text })?.element else { return nil }
    self.init(element)
  }
}

/// An input array, read in place except for booleans, which Arrow packs into bits, and a single null that all rows repeat.
private final class ArrowInput {
  /// True if each row gets the whole array, false if a row gets one element.
  let isBuffer: Bool
  let length: Int
  private let format: ArrowFormat
  private let offset: Int
  private let data: UnsafeRawPointer?
  /// Nil if no element is null.
  private let validity: UnsafePointer<UInt8>?
  /// In the arguments of the call.
  private let position: Int
  /// Unpacked booleans, and bitmaps of repeated nulls.
  private var blocks: [UnsafeMutableBufferPointer<UInt8>] = []

  /// - Throws: A `Diagnosis` with the code `invalidData` for an array that cannot be read as a column.
  init(
    _ schema: UnsafePointer<ArrowSchema>?, _ array: UnsafePointer<ArrowArray>?, at position: Int, isBuffer: Bool
  ) throws(Diagnosis) {
    guard let schema = schema?.pointee, let array = array?.pointee else { throw .missing("arrays[\(position)]") }
    func invalid(_ problem: String, _ remedy: String) -> Diagnosis {
      Diagnosis(.invalidData, "arrays[\(position)]", problem: problem, remedy: remedy)
    }
    guard schema.release != nil, array.release != nil else {
      throw invalid("has been released", "pass an array that is in use")
    }
    guard schema.dictionary == nil, array.dictionary == nil else {
      throw invalid("has a dictionary", "decode the array before the call")
    }
    let text = schema.format.map { String(cString: $0) } ?? ""
    guard schema.n_children == 0, array.n_children == 0, let format = ArrowFormat(text) else {
      throw invalid("has the format \(text.quoted())", "give an array of integers, floating-point numbers or booleans")
    }
    let end = array.length.addingReportingOverflow(array.offset)
    let size = end.partialValue.multipliedReportingOverflow(by: Int64(format.element.size))
    // The number of nulls is -1 if the producer has not counted them.
    guard array.length >= 0, array.offset >= 0, !end.overflow, !size.overflow, array.null_count >= -1, array.n_buffers == 2,
      let buffers = array.buffers
    else { throw invalid("does not have two buffers and a valid length and offset", "correct the producer of the array") }
    guard array.length == 0 || buffers[1] != nil else { throw invalid("has no data", "correct the producer of the array") }
    (self.format, self.isBuffer, self.position) = (format, isBuffer, position)
    (length, offset, data) = (Int(array.length), Int(array.offset), buffers[1])
    validity = array.null_count == 0 ? nil : buffers[0]?.assumingMemoryBound(to: UInt8.self)
  }

  deinit { for block in blocks { block.deallocate() } }

  /// Returns the number of rows: the common length of the arrays. Those of length 1 are repeated, and buffers do not count; without any other,
  /// there is one row.
  static func rows(_ inputs: [ArrowInput]) throws(Diagnosis) -> Int {
    let lengths = inputs.filter { !$0.isBuffer && $0.length != 1 }
    guard let first = lengths.first else { return 1 }
    for other in lengths where other.length != first.length {
      throw Diagnosis(
        .invalidData, "arrays[\(other.position)]",
        problem: "has the length \(other.length), and arrays[\(first.position)] has \(first.length)",
        remedy: "give arrays with as many elements, or with one")
    }
    return first.length
  }

  private func bit(_ bitmap: UnsafePointer<UInt8>, _ index: Int) -> Bool {
    bitmap[(offset + index) / 8] >> UInt8((offset + index) % 8) & 1 == 1
  }

  /// The column is valid for as long as this object.
  func column(rows: Int) throws(Diagnosis) -> Column {
    let size = format.element.size
    let isRepeated = !isBuffer && length == 1 && rows != 1
    let stride = isRepeated ? 0 : size
    var column = Column(format.element, data: data.map { $0 + offset * size }, stride: stride, count: length)
    if format.element == .bool, let bits = data?.assumingMemoryBound(to: UInt8.self) {
      // Arrow packs booleans into bits.
      column.data = UnsafeRawPointer(block(length) { bit(bits, $0) ? 1 : 0 })
    }
    guard let validity else { return column }
    if !isRepeated {
      (column.validity, column.validityOffset) = (validity, offset)
    } else if !bit(validity, 0) {
      column.validity = UnsafePointer(block(rows / 8 + 1) { _ in 0 })
    }
    return column
  }

  /// Returns bytes that live as long as this object.
  private func block(_ count: Int, _ byte: (Int) -> UInt8) -> UnsafeMutablePointer<UInt8> {
    let block = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: max(1, count))
    for index in block.indices { block[index] = index < count ? byte(index) : 0 }
    blocks.append(block)
    // At least one byte, so that the memory has an address.
    return block.baseAddress.unsafelyUnwrapped
  }
}

/// A new array: the memory of its buffers, which the program releases.
private final class ArrowOutput {
  private let format: ArrowFormat
  private let rows: Int
  /// The elements; of booleans one byte each until `export`.
  private let data: UnsafeMutableRawPointer
  private let validity: UnsafeMutablePointer<UInt8>
  private let buffers: UnsafeMutablePointer<UnsafeRawPointer?>
  var nullCount = 0

  /// Throws a `Diagnosis` with the code `missingResource` if there is not enough memory.
  init(_ format: ArrowFormat, rows: Int) throws(Diagnosis) {
    func block(_ size: Int) throws(Diagnosis) -> UnsafeMutableRawPointer {
      // Arrow recommends this alignment and padding.
      let padded = size <= .max - 64 ? max(64, (size + 63) / 64 * 64) : size
      guard let block = aligned_alloc(64, padded) else {
        throw Diagnosis(.missingResource, problem: "there is no memory for \(rows) rows", remedy: "call it with fewer rows")
      }
      memset(block, 0, padded)
      return block
    }
    // A size that overflows becomes one for which there is no memory.
    let (size, overflow) = rows.multipliedReportingOverflow(by: format.element.size)
    (self.format, self.rows) = (format, rows)
    data = try block(overflow ? .max : size)
    do throws(Diagnosis) {
      validity = try block(rows / 8 + 1).assumingMemoryBound(to: UInt8.self)
    } catch {
      free(data)
      throw error
    }
    buffers = .allocate(capacity: 2)
  }

  deinit {
    free(data)
    free(validity)
    buffers.deallocate()
  }

  /// The column that a call writes.
  var column: OutputColumn { OutputColumn(format.element, data: data, stride: format.element.size, validity: validity) }

  /// Fills in the structs of a program. The array keeps this object until its release.
  func export(to array: UnsafeMutablePointer<ArrowArray>, _ schema: UnsafeMutablePointer<ArrowSchema>) {
    if format.element == .bool { packBooleans() }
    buffers.initialize(to: nullCount == 0 ? nil : UnsafeRawPointer(validity))
    (buffers + 1).initialize(to: UnsafeRawPointer(data))
    array.initialize(
      to: ArrowArray(
        length: Int64(rows), null_count: Int64(nullCount), offset: 0, n_buffers: 2, n_children: 0, buffers: buffers,
        children: nil, dictionary: nil,
        release: { array in
          if let memory = array.pointee.private_data { Unmanaged<ArrowOutput>.fromOpaque(memory).release() }
          array.pointee.release = nil
        }, private_data: Unmanaged.passRetained(self).toOpaque()))
    let text = UnsafeMutablePointer<CChar>.allocate(capacity: 2)
    text.initialize(to: format.letter)
    (text + 1).initialize(to: 0)
    schema.initialize(
      to: ArrowSchema(
        format: UnsafePointer(text), name: nil, metadata: nil, flags: Int64(ARROW_FLAG_NULLABLE), n_children: 0, children: nil,
        dictionary: nil,
        release: { schema in
          schema.pointee.private_data?.deallocate()
          schema.pointee.release = nil
        }, private_data: UnsafeMutableRawPointer(text)))
  }

  /// Packs the bytes of booleans into bits, in place: the byte of a bit is never behind that of its element.
  private func packBooleans() {
    let bytes = data.assumingMemoryBound(to: UInt8.self)
    for start in stride(from: 0, to: rows, by: 8) {
      var byte: UInt8 = 0
      for row in start..<min(rows, start + 8) where bytes[row] != 0 { byte |= 1 << UInt8(row - start) }
      bytes[start / 8] = byte
    }
  }
}
