internal import CCallbacks

extension PreparedCall {
  /// Returns the same call of a function that only returns zeros. It takes the time that a call takes beside its function.
  ///
  /// The call recognizes no failures, because a zero may be one. It takes no `long double`, for which x86-64 has other registers. Throws a
  /// `CallError` as the initializers do.
  package func withEmptyFunction() throws(CallError) -> PreparedCall {
    let function: @convention(c) () -> troupe_zeros = troupe_return_zeros
    let result: CType = [.longDouble, .complex(.longDouble)].contains(signature.result) ? .void : signature.result
    return try PreparedCall(
      signature: Signature(
        result: result, resultOwnership: signature.resultOwnership, parameters: signature.parameters,
        fixedCount: signature.fixedCount),
      function: unsafeBitCast(function, to: UnsafeRawPointer.self),
      symbols: { [functions] in functions[$0]?.address },
      maximumBufferSize: maximumBufferSize, backend: backend)
  }
}
