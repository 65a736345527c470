internal import CTroupe

/// The C side of a transform in Swift.
final class ExportedTransform {
  private let transform: any Transform
  /// The last failure as C text, owned by this object.
  private var failure: UnsafeMutablePointer<CChar>?

  private init(_ transform: any Transform) {
    self.transform = transform
  }

  deinit { failure?.deallocate() }

  /// Returns the C side of a transform; the receiver owns it.
  static func export(_ transform: any Transform) -> Contract.Exported {
    Contract.Exported(
      object: Unmanaged.passRetained(ExportedTransform(transform)).toOpaque(), vtable: UnsafeRawPointer(table),
      release: { Unmanaged<ExportedTransform>.fromOpaque($0).release() })
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

  /// Runs a step of the transform and converts a thrown error to a status and a message.
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
    } catch let error as ForeignOutput.Refusal {
      return error.status
    } catch {
      failure = CString.copy(String(describing: error))
      return troupe_status(TROUPE_FAILED)
    }
  }
}

/// An output that C implements.
private final class ForeignOutput: TransformOutput {
  /// The output rejected the bytes.
  struct Refusal: Error {
    let status: troupe_status
  }

  private let output: UnsafePointer<COutput>
  private let table: COutput

  /// Wraps an output of a plugin built for any minor version of the ABI. Returns nil if it is smaller than in the first version.
  init?(_ output: UnsafePointer<COutput>) {
    guard let table = ABIStruct.output.copy(output, as: COutput.self, minor: 0) else { return nil }
    (self.output, self.table) = (output, table)
  }

  func write(_ bytes: Span<UInt8>) throws {
    let status = bytes.withUnsafeBytes { bytes in
      bytes.baseAddress.map { table.write(output, $0, bytes.count) } ?? troupe_status(TROUPE_OK)
    }
    if status != TROUPE_OK { throw Refusal(status: status) }
  }
}
