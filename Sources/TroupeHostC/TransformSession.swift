// include/troupe-host.h documents the public functions.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import CTroupeHost
internal import Troupe
internal import TroupeHost

/// A transform that a program feeds, with the state of its input.
///
///     open ──feed──▶ open ──finish──▶ finished
///       └──an error──▶ failed
///
/// `reset` leads from every state to `open`. In the other states each step is an error.
final class TransformSession {
  private enum InputState: String {
    case open, failed, finished
  }

  private let transform: any Transform
  private let output = CallbackOutput()
  private var state = InputState.open

  init(_ transform: any Transform) { self.transform = transform }

  /// Runs a step with an output that calls `write`.
  func run(
    _ name: String, isLast: Bool, _ write: @escaping troupe_write, _ context: UnsafeMutableRawPointer?,
    _ step: (any Transform, any TransformOutput) throws -> Void
  ) throws(Diagnosis) {
    guard state == .open else {
      throw Diagnosis(
        .invalidArgument, name, problem: "the transform has \(state.rawValue)", remedy: "resolve another instance")
    }
    output.target = (write, context)
    defer { output.target = nil }
    do {
      try step(transform, output)
      if isLast { state = .finished }
    } catch let error as CallbackOutput.WriteError {
      state = .failed
      throw Diagnosis(.inputOutput, name, problem: "the output was refused with status \(error.status)")
    } catch let error as WorkerError {
      state = .failed
      throw Diagnosis(error, of: name)
    } catch {
      state = .failed
      throw Diagnosis(.reportedFailure, name, problem: "\(error)")
    }
  }

  /// Returns false if the transform has no reset, or if this is called by its `write`.
  func reset() -> Bool {
    guard output.target == nil, transform.reset() else { return false }
    state = .open
    return true
  }
}

/// The output of a transform to the program's `write`.
private final class CallbackOutput: TransformOutput {
  struct WriteError: Error {
    let status: troupe_status
  }

  /// Nil outside of a step.
  var target: (write: troupe_write, context: UnsafeMutableRawPointer?)?

  func write(_ bytes: Span<UInt8>) throws {
    guard let target else { throw TransformError("it wrote after its function had returned") }
    let status = bytes.withUnsafeBytes { target.write(target.context, $0.baseAddress, $0.count) }
    if status != TROUPE_OK { throw WriteError(status: status) }
  }
}

@c @implementation
public func troupe_instance_is_transform(_ instance: OpaquePointer) -> Int32 {
  InstanceHandle.borrow(instance).transform == nil ? 0 : 1
}

@c @implementation
public func troupe_transform_feed(
  _ instance: OpaquePointer?, _ bytes: UnsafeRawPointer?, _ count: Int, _ write: troupe_write?,
  _ context: UnsafeMutableRawPointer?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> troupe_status {
  ErrorHandle.status(error) {
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
  ErrorHandle.status(error) {
    try step(instance, isLast: true, write, context) { transform, output in try transform.finish(to: output) }
  }
}

@c @implementation
public func troupe_transform_reset(_ instance: OpaquePointer?) -> Int32 {
  guard let instance, InstanceHandle.borrow(instance).transform?.reset() == true else { return 0 }
  return 1
}

private func step(
  _ instance: OpaquePointer?, isLast: Bool, _ write: troupe_write?, _ context: UnsafeMutableRawPointer?,
  _ body: (any Transform, any TransformOutput) throws -> Void
) throws(Diagnosis) {
  let instance = try InstanceHandle.borrow(instance, as: "transform")
  guard let write else { throw .missing("write") }
  let name = String(cString: instance.registration.pointee.name)
  guard let transform = instance.transform else {
    throw Diagnosis(
      .invalidArgument, name, problem: "is no transform", remedy: "resolve with the contract TROUPE_CONTRACT_TRANSFORM")
  }
  try transform.run(name, isLast: isLast, write, context, body)
}
