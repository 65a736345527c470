package import CTroupe

extension Contract {
  /// `troupe.transform/1`, the streaming stage: `troupe_transform` in C, `any Transform` in Swift.
  ///
  ///     any Transform    ExportedTransform ──▶ troupe_transform + object    for plugins in C
  ///     troupe_transform + object ──▶ ForeignTransform    any Transform     for Swift
  ///
  /// A Swift error crosses C as a status and a message. An error that a Swift output throws to a transform in C passes that transform
  /// and reaches the caller unchanged.
  public static let transform = Contract(
    TROUPE_CONTRACT_TRANSFORM, (any Transform).self, tableStruct: .transform,
    checkTable: { table in
      guard let table = CTransform(copying: table) else { return "vtable has a struct_size that is too small" }
      if table.feed == nil { return "vtable has NULL for feed" }
      if table.finish == nil { return "vtable has NULL for finish" }
      return nil
    },
    export: { ExportedTransform.export($0) },
    wrap: { try ForeignTransform($0) })
}

extension CTransform {
  /// Copies the table of a plugin of any minor version. Returns nil if it is smaller than in version 1.0.
  package init?(copying table: UnsafeRawPointer) {
    guard let copy = ABIStruct.transform.copy(table, as: CTransform.self, minor: 0) else { return nil }
    self = copy
  }
}

// MARK: From Swift to C

/// The object of a transform in Swift for callers in C.
private final class ExportedTransform {
  private let transform: any Transform
  /// The message of the last failure.
  private var failure: UnsafeMutablePointer<CChar>?

  private init(_ transform: any Transform) {
    self.transform = transform
  }

  deinit { failure?.deallocate() }

  /// The receiver owns the object.
  static func export(_ transform: any Transform) -> Contract.Exported {
    Contract.Exported(
      object: Unmanaged.passRetained(ExportedTransform(transform)).toOpaque(), vtable: UnsafeRawPointer(table),
      destroy: { Unmanaged<ExportedTransform>.fromOpaque($0).release() })
  }

  /// The table, created once and never freed.
  // Safe to share: the memory is written before the constant is published, and only read afterwards.
  nonisolated(unsafe) private static let table: UnsafePointer<CTransform> = {
    let table = UnsafeMutablePointer<CTransform>.allocate(capacity: 1)
    table.initialize(
      to: CTransform(
        struct_size: UInt32(MemoryLayout<CTransform>.size), reserved: 0,
        feed: { object, bytes, count, output in
          ExportedTransform.from(object).run(output) { transform, output in
            try transform.feed(UnsafeRawBufferPointer(start: bytes, count: count).bindMemory(to: UInt8.self).span, to: output)
          }
        },
        finish: { object, output in
          ExportedTransform.from(object).run(output) { transform, output in try transform.finish(to: output) }
        },
        message: { UnsafePointer(ExportedTransform.from($0).failure) },
        reset: { troupe_status(ExportedTransform.from($0).transform.reset() ? TROUPE_OK : TROUPE_FAILED) }))
    return UnsafePointer(table)
  }()

  private static func from(_ object: UnsafeMutableRawPointer) -> ExportedTransform {
    Unmanaged<ExportedTransform>.fromOpaque(object).takeUnretainedValue()
  }

  /// Converts an error of a step to a status and a message.
  private func run(
    _ output: UnsafePointer<COutput>, step: (any Transform, any TransformOutput) throws -> Void
  ) -> troupe_status {
    failure?.deallocate()
    failure = nil
    do {
      guard let output = ForeignOutput(output) else {
        let (size, minimum) = (ABIStruct.declaredSize(of: output), ABIStruct.output.size(inMinor: 0))
        failure = CString.copy("the output has struct_size \(size); set it to sizeof(troupe_output), which is \(minimum)")
        return troupe_status(TROUPE_INVALID_ARGUMENT)
      }
      try step(transform, output)
      return troupe_status(TROUPE_OK)
    } catch let error as ForeignOutput.WriteError {
      return error.status
    } catch {
      failure = CString.copy(String(describing: error))
      return troupe_status(TROUPE_FAILED)
    }
  }
}

/// An output in C for a transform in Swift.
private final class ForeignOutput: TransformOutput {
  struct WriteError: Error {
    let status: troupe_status
  }

  private let output: UnsafePointer<COutput>
  private let table: COutput

  /// Returns nil if the output is smaller than in version 1.0.
  init?(_ output: UnsafePointer<COutput>) {
    guard let table = ABIStruct.output.copy(output, as: COutput.self, minor: 0) else { return nil }
    (self.output, self.table) = (output, table)
  }

  func write(_ bytes: Span<UInt8>) throws {
    let status = bytes.withUnsafeBytes { bytes in
      bytes.baseAddress.map { table.write(output, $0, bytes.count) } ?? troupe_status(TROUPE_OK)
    }
    if status != TROUPE_OK { throw WriteError(status: status) }
  }
}

// MARK: From C to Swift

/// A transform in C for callers in Swift.
private final class ForeignTransform: Transform, ForeignBacked {
  let foreign: ForeignInstance
  private let table: CTransform
  private let bridge = OutputBridge()

  /// - Precondition: `checkTable` accepts the table of the instance.
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

/// A Swift output for a transform in C. It keeps the first error that the output throws, for the caller of the transform.
private final class OutputBridge {
  private var output: (any TransformOutput)?
  private var failure: (any Error)?

  /// - Throws: The error of the output, else the message of a failed call.
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
