internal import Synchronization

/// How functions of one type are called, which depends on their signature alone.
final class CallPlan: Sendable {
  /// The layout of a call; for an open-ended signature, if there are no further arguments.
  let layout: CallLayout
  /// The short way, if the signature is all numbers and pointers.
  let scalars: ScalarCall?

  /// Works it out. Throws a `CallError` with the code `unsupportedSignature` if libffi cannot make such a call on this machine.
  init(_ signature: Signature, _ backend: PreparedCall.Backend) throws(CallError) {
    layout = try PreparedCall.layout(signature, extra: [], backend)
    scalars = ScalarCall(signature, layout)
  }

  /// Returns the plan that all functions of a type share.
  static func shared(_ type: FunctionType) throws(CallError) -> CallPlan {
    // Nothing else stores a plan.
    if let plan = type.plan.withLock({ $0 }) { return unsafeDowncast(plan, to: CallPlan.self) }
    let new = try CallPlan(type.signature, .automatic)
    type.plan.withLock { $0 = new }
    return new
  }
}
