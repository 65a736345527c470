// The header documents the public functions.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import CTroupeHost
internal import Troupe
internal import TroupeHost

/// A transform in use by a program.
final class CTransformInstance {
  private enum Phase: String {
    case open, failed, finished
  }

  private let transform: any Transform
  private let output = CTransformOutput()
  private var phase = Phase.open

  init(_ transform: any Transform) { self.transform = transform }

  /// Runs a step, which writes its output to a function of the program.
  ///
  /// - Throws: A `Diagnosis`.
  func run(
    _ name: String, isLast: Bool, _ write: @escaping troupe_write, _ context: UnsafeMutableRawPointer?,
    _ step: (any Transform, any TransformOutput) throws -> Void
  ) throws(Diagnosis) {
    guard phase == .open else {
      throw Diagnosis(
        .invalidArgument, name, problem: "the transform has \(phase.rawValue)", remedy: "resolve another instance")
    }
    output.target = (write, context)
    defer { output.target = nil }
    do {
      try step(transform, output)
      if isLast { phase = .finished }
    } catch let refusal as CTransformOutput.Refusal {
      phase = .failed
      throw Diagnosis(.inputOutput, name, problem: "the output was refused with status \(refusal.status)")
    } catch let error as WorkerError {
      phase = .failed
      throw Diagnosis(error, of: name)
    } catch {
      phase = .failed
      throw Diagnosis(.reportedFailure, name, problem: "\(error)")
    }
  }

  /// Makes the transform as new for another input. Returns false if it cannot, or if it runs.
  func reset() -> Bool {
    guard output.target == nil, transform.reset() else { return false }
    phase = .open
    return true
  }
}

/// The output of a transform to a function of a program.
private final class CTransformOutput: TransformOutput {
  /// The function returned a status.
  struct Refusal: Error {
    let status: troupe_status
  }

  /// Nil outside of a step.
  var target: (write: troupe_write, context: UnsafeMutableRawPointer?)?

  func write(_ bytes: Span<UInt8>) throws {
    guard let target else { throw TransformError("it wrote after its function had returned") }
    let status = bytes.withUnsafeBytes { target.write(target.context, $0.baseAddress, $0.count) }
    if status != TROUPE_OK { throw Refusal(status: status) }
  }
}

@c @implementation
public func troupe_instance_is_transform(_ instance: OpaquePointer) -> Int32 {
  Handle<CInstance>.borrow(instance).transform == nil ? 0 : 1
}

@c @implementation
public func troupe_transform_feed(
  _ instance: OpaquePointer?, _ bytes: UnsafeRawPointer?, _ count: Int, _ write: troupe_write?,
  _ context: UnsafeMutableRawPointer?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> troupe_status {
  CError.status(error) {
    guard count == 0 || bytes != nil, count >= 0 else { throw Diagnosis.missing("bytes") }
    try step(instance, isLast: false, write, context) { transform, output in
      try transform.feed(UnsafeRawBufferPointer(start: bytes, count: count).bindMemory(to: UInt8.self).span, to: output)
    }
  }
}

@c @implementation
public func troupe_transform_finish(
  _ instance: OpaquePointer?, _ write: troupe_write?, _ context: UnsafeMutableRawPointer?,
  _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> troupe_status {
  CError.status(error) {
    try step(instance, isLast: true, write, context) { transform, output in try transform.finish(to: output) }
  }
}

@c @implementation
public func troupe_transform_reset(_ instance: OpaquePointer?) -> Int32 {
  guard let instance, Handle<CInstance>.borrow(instance).transform?.reset() == true else { return 0 }
  return 1
}

private func step(
  _ instance: OpaquePointer?, isLast: Bool, _ write: troupe_write?, _ context: UnsafeMutableRawPointer?,
  _ body: (any Transform, any TransformOutput) throws -> Void
) throws(Diagnosis) {
  let instance = try Handle<CInstance>.borrow(instance, as: "transform")
  guard let write else { throw .missing("write") }
  let name = String(cString: instance.registration.pointee.name)
  guard let transform = instance.transform else {
    throw Diagnosis(
      .invalidArgument, name, problem: "is no transform", remedy: "resolve with the contract TROUPE_CONTRACT_TRANSFORM")
  }
  try transform.run(name, isLast: isLast, write, context, body)
}
