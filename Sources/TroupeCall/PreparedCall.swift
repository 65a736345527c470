/// A C function together with its signature, ready to be called any number of times.
///
///     let add: @convention(c) (Double, Int32) -> Double = { $0 + Double($1) }
///     let call = try PreparedCall(
///       signature: Signature(parsing: "double (double x, int32_t count)"),
///       function: unsafeBitCast(add, to: UnsafeRawPointer.self))
///     print(try call.call([.double(0.5), .integer(2)]))  // 2.5
///
/// It may be used on any thread, also on several at once, if the C function may. It does not keep the library loaded that
/// the function is in; whoever calls does.
public final class PreparedCall: Sendable {
  /// The type of the function.
  public let signature: Signature
  private let interface: CallInterface

  /// Prepares calls of a function. The cost grows with the number of parameters; a call afterwards allocates nothing but the
  /// memory for its arguments and a copy of a string result.
  ///
  /// - Parameters:
  ///   - signature: What the function takes and gives back. If that is not the function's real type, a call has undefined
  ///     behaviour, as it has in C.
  ///   - function: The address of the function, which must stay valid for every call.
  /// - Throws: A `CallError` with the code `unsupportedSignature` if libffi cannot make such a call on this machine; it can
  ///   on every one that Swift runs on.
  public init(signature: Signature, function: UnsafeRawPointer) throws(CallError) {
    self.signature = signature
    self.interface = try CallInterface(signature, function: function)
  }

  /// Calls the function.
  ///
  /// - Parameters:
  ///   - arguments: One value for each of the signature's ``Signature/callerParameters``, which is converted as
  ///     ``Value/converted(to:)`` says. Strings are lent to the function until it returns, so that it must not keep them, and
  ///     a pointer into one is worth nothing afterwards.
  ///   - resolver: What a `resolver` parameter gets; not needed if there is none.
  /// - Returns: What the function gave back, bit for bit. A string is copied, and the original left alone.
  /// - Throws: A `CallError`. Before the call: `argumentCount`, `argumentType`, `argumentRange`, `missingResolver`; the
  ///   function has then not run. After the call: `resultText`.
  public func call(_ arguments: [Value] = [], resolver: UnsafeRawPointer? = nil) throws(CallError) -> Value {
    try signature.checkCount(arguments.count)
    var stringBytes = 0
    for case .string(let string?) in arguments { stringBytes += string.utf8.count + 1 }

    return try CallFrame.withFrame(
      parameterCount: signature.parameters.count, stringBytes: stringBytes
    ) { (frame: inout CallFrame) throws(CallError) in
      try append(arguments, resolver, to: &frame)
      interface.call(frame)
      guard let result = frame.result(as: signature.result) else { throw .resultIsNotUTF8 }
      return result
    }
  }

  /// Fills in an argument for each parameter.
  private func append(
    _ arguments: [Value], _ resolver: UnsafeRawPointer?, to frame: inout CallFrame
  ) throws(CallError) {
    var index = 0
    for parameter in signature.parameters {
      if parameter.type == .resolver {
        guard let resolver else { throw .missingResolver(signature) }
        frame.append(.pointer(Value.Pointer(resolver)), as: parameter.type)
        continue
      }
      do {
        frame.append(try arguments[index].converted(to: parameter.type), as: parameter.type)
      } catch {
        throw error.about(argument: index, name: parameter.name)
      }
      index += 1
    }
  }
}
