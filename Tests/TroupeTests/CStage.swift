import CTroupe
import Troupe

/// A stage of a C plugin: a table of C functions and their object. The stage writes each piece twice, as two pieces, and a
/// full stop at the end.
final class CStage {
  /// The pieces fed so far.
  fileprivate(set) var fed: [[UInt8]] = []
  /// The results of the output.
  fileprivate(set) var answers: [troupe_status] = []
  /// The number of `destroy` calls.
  fileprivate(set) var destroyed = 0
  /// The status that `feed` and `finish` return after successful writes.
  var status = troupe_status(TROUPE_OK)
  /// True to return `status` even if the output fails.
  var ignoresOutput = false
  /// The text that the table's `message` returns.
  var message: UnsafeMutablePointer<CChar>?
  /// A closure that `destroy` calls.
  var atEnd: () -> Void = {}

  /// The table. Tests may change it before its first use.
  let table = UnsafeMutablePointer<CTransform>.allocate(capacity: 1)

  init() {
    table.initialize(
      to: CTransform(
        struct_size: UInt32(MemoryLayout<CTransform>.size), reserved: 0,
        feed: { object, bytes, count, output in
          let stage = CStage.from(object)
          stage.fed.append(Array(UnsafeRawBufferPointer(start: bytes, count: count)))
          for _ in 0..<2 {
            stage.answers.append(output.pointee.write(output, bytes, count))
            if let answer = stage.answers.last, answer != TROUPE_OK, !stage.ignoresOutput { return answer }
          }
          return stage.status
        },
        finish: { object, output in
          let stage = CStage.from(object)
          let answer = output.pointee.write(output, ".", 1)
          stage.answers.append(answer)
          return answer == TROUPE_OK || stage.ignoresOutput ? stage.status : answer
        },
        message: { UnsafePointer(CStage.from($0).message) }, reset: nil))
  }

  deinit {
    message?.deallocate()
    table.deallocate()
  }

  private static func from(_ object: UnsafeMutableRawPointer) -> CStage {
    Unmanaged<CStage>.fromOpaque(object).takeUnretainedValue()
  }

  /// Returns the stage as an instance of a C factory. The stage lives at least until it is destroyed.
  func instance(contract: String = "troupe.transform/1", plugin: AnyObject? = nil) -> ForeignInstance {
    ForeignInstance(
      contract: contract, object: Unmanaged.passRetained(self).toOpaque(), vtable: UnsafeRawPointer(table),
      destroy: { object in
        let stage = Unmanaged<CStage>.fromOpaque(object).takeRetainedValue()
        stage.destroyed += 1
        stage.atEnd()
      }, plugin: plugin)
  }

  /// Returns the stage as a Swift transform.
  func transform() throws -> any Transform {
    guard let transform = try Contract.transform.adapter.wrap(instance()) as? any Transform else {
      throw TransformError("what the contract adopts is no transform")
    }
    return transform
  }
}

extension Transform {
  /// Feeds a text.
  func feed(_ text: String, to output: any TransformOutput) throws {
    try feed(Array(text.utf8).span, to: output)
  }
}
