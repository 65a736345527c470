import CTroupe
import Troupe

/// What a plugin in C would be: a table of C functions and an object that they take. The stage writes what it is fed twice,
/// as two pieces, and at the end a full stop.
final class CStage {
  /// The pieces that it was fed.
  fileprivate(set) var fed: [[UInt8]] = []
  /// What the output answered.
  fileprivate(set) var answers: [troupe_status] = []
  /// How often it was ended.
  fileprivate(set) var destroyed = 0
  /// What `feed` and `finish` return by themselves.
  var status = troupe_status(TROUPE_OK)
  /// Whether it returns `status` whatever the output answers.
  var ignoresOutput = false
  /// The sentence that the table's `message` gives.
  var message: UnsafeMutablePointer<CChar>?
  /// What happens at the end.
  var atEnd: () -> Void = {}

  /// The table, which a test may change before it uses it.
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
        message: { UnsafePointer(CStage.from($0).message) }))
  }

  deinit {
    message?.deallocate()
    table.deallocate()
  }

  private static func from(_ object: UnsafeMutableRawPointer) -> CStage {
    Unmanaged<CStage>.fromOpaque(object).takeUnretainedValue()
  }

  /// The stage as the host would take it over from a factory in C; it lives at least until it is ended.
  func instance(contract: String = "troupe.transform/1", plugin: AnyObject? = nil) -> ForeignInstance {
    ForeignInstance(
      contract: contract, object: Unmanaged.passRetained(self).toOpaque(), vtable: UnsafeRawPointer(table),
      destroy: { object in
        let stage = Unmanaged<CStage>.fromOpaque(object).takeRetainedValue()
        stage.destroyed += 1
        stage.atEnd()
      }, plugin: plugin)
  }

  /// The stage as Swift uses it.
  func transform() throws -> any Transform {
    guard let transform = try Contract.transform.adapter.adopt(instance()) as? any Transform else {
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
