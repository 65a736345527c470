internal import TroupeBase

/// The errors of calls over columns.
extension CallError {
  static func wrongColumnCount(_ count: Int, _ expected: Int, _ what: String, _ signature: Signature) -> CallError {
    CallError(
      .argumentCount,
      "\(count) \(what) column\(count == 1 ? "" : "s") given, \(expected) expected by \(signature.description.quoted())",
      remedy: "give \(expected)")
  }

  static func wrongElement(_ given: Column.Element, _ expected: Column.Element, _ type: CType) -> CallError {
    CallError(
      .argumentType, "a column of \(given.name) is no column for \(type.shortDescription)",
      remedy: "give one of \(expected.name)")
  }

  static var columnWithoutData: CallError {
    CallError(.argumentRange, "the column has NULL as its data", remedy: "pass the address of the first element")
  }

  static func columnOutOfRange(_ stride: Int, rows: Int) -> CallError {
    CallError(
      .argumentRange, "\(rows) rows with a stride of \(stride) bytes exceed the address space",
      remedy: "correct the number of rows and the stride")
  }

  static func overlappingRows(_ stride: Int, _ element: Column.Element) -> CallError {
    CallError(
      .argumentRange, "the rows of an output with a stride of \(stride) bytes overlap",
      remedy: "give a stride of at least \(element.size) bytes")
  }

  static func wrongBufferStride(_ stride: Int, _ element: Column.Element) -> CallError {
    CallError(
      .argumentRange, "the column of a buffer has a stride of \(stride) bytes",
      remedy: "give neighboring elements, with a stride of \(element.size)")
  }

  static func misalignedBuffer(_ type: CType) -> CallError {
    CallError(
      .argumentRange, "the elements of a buffer are not aligned for \(type.shortDescription)",
      remedy: "copy them to memory that is aligned to \(type.alignment) bytes")
  }

  static var nullInBuffer: CallError {
    CallError(.argumentRange, "a buffer contains nulls", remedy: "give elements without nulls")
  }

  static var nullWithoutBitmap: CallError {
    CallError(.argumentRange, "a row is null and an output has no bitmap for nulls", remedy: "give each output a bitmap")
  }

  static func negativeRowCount(_ rows: Int) -> CallError {
    CallError(.argumentRange, "\(rows) is not a number of rows", remedy: "give 0 or more")
  }

  static var cancelled: CallError { CallError(.cancelled, "the call was cancelled", remedy: "call it again for all rows") }

  static func noMemory(forRows rows: Int) -> CallError {
    CallError(.noMemory, "there is no memory for the bitmap of \(rows) rows", remedy: "use fewer rows")
  }

  static func noColumns(_ signature: Signature, _ problem: String) -> CallError {
    CallError(
      .unsupportedSignature, "\(signature.description.quoted()) cannot be called over columns: \(problem)",
      remedy: "call it with values")
  }

  /// Returns the error with the output that it is about.
  func about(output name: String) -> CallError {
    CallError(code, "the output \(name.quoted()): \(problem)", remedy: remedy)
  }

  static func bitmapOutOfRange(_ offset: Int) -> CallError {
    CallError(
      .argumentRange, "a bitmap that begins at bit \(offset) exceeds the address space",
      remedy: "correct the number of rows and the offset")
  }

  static func unequalColumns(_ count: Int, _ other: Int) -> CallError {
    CallError(
      .argumentRange, "columns of \(count) and of \(other) rows given", remedy: "give columns with as many rows, or with one")
  }
}
