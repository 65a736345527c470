internal import CColumns

/// The columns of a call, checked against its plan: types, strides, alignment and overlaps. The rest of the call trusts them.
struct ColumnMemory {
  /// A column of inputs or of outputs.
  struct Rows<Pointer> {
    let data: Pointer
    let stride: Int
    let element: Column.Element
  }

  /// The bitmap of an output.
  struct Bitmap {
    let bytes: UnsafeMutablePointer<UInt8>
    let offset: Int
  }

  /// A buffer that all rows get.
  struct Buffer {
    let input: ColumnPlan.Input
    let address: UnsafeRawPointer?
    let count: Int
  }

  let rows: Int
  /// The inputs that are no buffers.
  private(set) var inputs: [(input: ColumnPlan.Input, rows: Rows<UnsafeRawPointer>)] = []
  private(set) var buffers: [Buffer] = []
  private(set) var outputs: [Rows<UnsafeMutableRawPointer>] = []
  private(set) var bitmaps: [Bitmap] = []
  /// Each output has a bitmap.
  var allowsNulls: Bool { bitmaps.count == outputs.count }

  /// Checks columns before any of their memory is used. Throws a `CallError`: `argumentCount`, `argumentType` or `argumentRange`.
  init(
    _ columns: [Column], _ rows: Int, _ outputs: [OutputColumn], plan: ColumnPlan, _ signature: Signature
  ) throws(CallError) {
    guard rows >= 0 else { throw .negativeRowCount(rows) }
    guard columns.count == plan.inputs.count else {
      throw .wrongColumnCount(columns.count, plan.inputs.count, "input", signature)
    }
    guard outputs.count == plan.outputs.count else {
      throw .wrongColumnCount(outputs.count, plan.outputs.count, "output", signature)
    }
    self.rows = rows
    for (column, input) in zip(columns, plan.inputs) {
      let parameter = signature.parameters[input.parameter]
      do throws(CallError) {
        try add(column, input, parameter.type)
      } catch {
        throw error.about(argument: input.position, name: parameter.name)
      }
    }
    for (column, output) in zip(outputs, plan.outputs) {
      do throws(CallError) {
        try add(column, output, output.parameter.map { signature.parameters[$0].type } ?? signature.result)
      } catch {
        throw error.about(output: output.name)
      }
    }
  }

  private mutating func add(
    _ column: Column, _ input: ColumnPlan.Input, _ type: CType
  ) throws(CallError) {
    let isPointee = input.pointee.map { column.element == .memory(size: $0.size) } ?? false
    let isBytes = input.length != nil && type.isByte && (column.element == .int8 || column.element == .uint8)
    guard input.element.accepts(column.element) || isPointee || isBytes else {
      throw .wrongElement(column.element, input.element, type)
    }
    if let length = input.length {
      try checkBuffer(column, type, length)
      buffers.append(Buffer(input: input, address: column.data, count: column.count))
      return
    }
    try check(column.data, column.stride, column.element)
    if column.validity != nil { try Self.checkBitmap(column.validity, column.validityOffset, rows) }
    // Without rows the address is not used.
    let data = column.data ?? UnsafeRawPointer(bitPattern: 1).unsafelyUnwrapped
    inputs.append((input, Rows(data: data, stride: column.stride, element: column.element)))
  }

  private mutating func add(_ column: OutputColumn, _ output: ColumnPlan.Output, _ type: CType) throws(CallError) {
    guard output.element.accepts(column.element) else { throw .wrongElement(column.element, output.element, type) }
    try check(column.data, column.stride, column.element)
    if rows > 1, column.stride.magnitude < UInt(column.element.size) {
      throw .overlappingRows(column.stride, column.element)
    }
    if let validity = column.validity {
      try Self.checkBitmap(validity, column.validityOffset, rows)
      bitmaps.append(Bitmap(bytes: validity, offset: column.validityOffset))
    }
    // Without rows the address is not used.
    let data = column.data ?? UnsafeMutableRawPointer(bitPattern: 1).unsafelyUnwrapped
    outputs.append(Rows(data: data, stride: column.stride, element: column.element))
  }

  /// Throws if not all rows are in the address space.
  private func check(_ data: UnsafeRawPointer?, _ stride: Int, _ element: Column.Element) throws(CallError) {
    guard rows > 0 else { return }
    guard let data else { throw .columnWithoutData }
    let start = Int128(UInt(bitPattern: data))
    let last = start + Int128(stride) * Int128(rows - 1)
    guard min(start, last) >= 0, max(start, last) + Int128(element.size) <= Int128(Int.max) else {
      throw .columnOutOfRange(stride, rows: rows)
    }
  }

  private static func checkBitmap(_ bitmap: UnsafePointer<UInt8>?, _ offset: Int, _ count: Int) throws(CallError) {
    let (end, overflow) = offset.addingReportingOverflow(count)
    let size = UInt(bitPattern: bitmap).addingReportingOverflow(UInt(end.magnitude / 8))
    guard offset >= 0, !overflow, !size.overflow else { throw .bitmapOutOfRange(offset) }
  }

  private func checkBuffer(_ column: Column, _ type: CType, _ length: LengthExpression) throws(CallError) {
    let size = column.element.size
    let (bytes, overflow) = column.count.multipliedReportingOverflow(by: size)
    guard column.count >= 0 else { throw .negativeCount("\(column.count)") }
    guard !overflow else { throw .columnOutOfRange(size, rows: column.count) }
    guard column.count < 2 || column.stride == size else { throw .wrongBufferStride(column.stride, column.element) }
    guard let data = column.data else {
      if column.count > 0 || length.isTerminated { throw .columnWithoutData }
      return
    }
    guard UInt(bitPattern: data) % UInt(type.alignment) == 0 else { throw .misalignedBuffer(type) }
    if let validity = column.validity {
      try Self.checkBitmap(validity, column.validityOffset, column.count)
      for index in 0..<column.count where columns_bits(validity, column.validityOffset + index, 1) == 0 { throw .nullInBuffer }
    }
    if let expected = length.constant, expected != column.count {
      throw .wrongElementCount(column.count, .array(type, count: expected))
    }
    guard length.isTerminated else { return }
    let memory = UnsafeRawBufferPointer(start: data, count: bytes)
    let hasEnd = (0..<column.count).contains { memory[$0 * size..<($0 + 1) * size].allSatisfy { $0 == 0 } }
    if !hasEnd { throw .wrongBuffer("memory without a zero element", type) }
  }
}
