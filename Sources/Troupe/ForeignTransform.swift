internal import CTroupe

/// A transform that a plugin in C implements.
final class ForeignTransform: Transform, ForeignBacked {
  let foreign: ForeignInstance
  private let table: CTransform
  private let bridge = OutputBridge()

  /// Wraps an instance, whose table must have been checked.
  init(_ foreign: ForeignInstance) throws {
    guard let table = foreign.vtable.flatMap({ CTransform(copying: $0) }) else {
      throw TransformError("the instance has no table of functions")
    }
    self.foreign = foreign
    self.table = table
  }

  func feed(_ bytes: Span<UInt8>, to output: any TransformOutput) throws {
    try bytes.withUnsafeBytes { bytes in
      // An empty span may have no address, and the header promises one.
      guard let address = bytes.baseAddress else { return }
      try bridge.run(output) {
        table.feed(foreign.object, address, bytes.count, $0)
      } message: {
        message()
      }
    }
  }

  func finish(to output: any TransformOutput) throws {
    try bridge.run(output) {
      table.finish(foreign.object, $0)
    } message: {
      message()
    }
  }

  func reset() -> Bool { table.reset?(foreign.object) == troupe_status(TROUPE_OK) }

  private func message() -> String? {
    table.message?(foreign.object).map { String(cString: $0) }
  }
}

/// Passes a Swift output to C, and a Swift error from the output past the C code to the caller.
private final class OutputBridge {
  private var output: (any TransformOutput)?
  private var failure: (any Error)?

  /// Calls C with an output. Throws the error of the output if there was one, otherwise the message of a failed call.
  func run(
    _ output: any TransformOutput, call: (UnsafePointer<COutput>) -> troupe_status, message: () -> String?
  ) throws {
    self.output = output
    failure = nil
    defer { self.output = nil }
    var crossing = COutput(
      struct_size: UInt32(MemoryLayout<COutput>.size), reserved: 0, context: Unmanaged.passUnretained(self).toOpaque(),
      write: { output, bytes, count in
        guard let output else { return troupe_status(TROUPE_INVALID_ARGUMENT) }
        let bridge = Unmanaged<OutputBridge>.fromOpaque(output.pointee.context).takeUnretainedValue()
        return bridge.write(bytes, count: count)
      })
    let status = call(&crossing)
    if let failure { throw failure }
    if status != TROUPE_OK { throw message().map { TransformError($0) } ?? TransformError(status: status) }
  }

  private func write(_ start: UnsafeRawPointer?, count: Int) -> troupe_status {
    guard let output else { return troupe_status(TROUPE_TOO_LATE) }
    // After a failure the output takes no more bytes, even if the plugin ignores the status.
    guard failure == nil else { return troupe_status(TROUPE_FAILED) }
    // Swift imports size_t as a signed number.
    guard count >= 0, count == 0 || start != nil else {
      failure = TransformError(start == nil ? "it wrote from NULL" : "it wrote \(UInt(bitPattern: count)) bytes at once")
      return troupe_status(TROUPE_INVALID_ARGUMENT)
    }
    do {
      try output.write(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count).bindMemory(to: UInt8.self).span)
      return troupe_status(TROUPE_OK)
    } catch {
      failure = error
      return troupe_status(TROUPE_FAILED)
    }
  }
}
