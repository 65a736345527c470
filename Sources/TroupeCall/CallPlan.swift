/// How functions of one type are called, which depends on their signature alone.
struct CallPlan {
  /// The layout of a call; for an open-ended signature, if there are no further arguments.
  let layout: CallLayout
  /// The short way, if the signature is all numbers and pointers.
  let scalars: ScalarCall?

  /// Works it out. Throws a `CallError` with the code `unsupportedSignature` if libffi cannot make such a call on this machine.
  init(_ signature: Signature, _ way: PreparedCall.Way) throws(CallError) {
    layout = try PreparedCall.layout(signature, extra: [], way)
    scalars = ScalarCall(signature, layout)
  }
}
