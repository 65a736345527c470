/// A call of a function that returns a pointer, with arguments that are read where they are: nothing is boxed, and nothing
/// allocated. For functions that make objects, which take numbers for the most part.
package struct UnboxedCall: Sendable {
  /// The identity of the type that an argument was given with, and its address.
  package typealias Argument = (type: ObjectIdentifier, address: UnsafeRawPointer)

  private let function: UInt
  private let scalars: ScalarCall
  private let lock: CallLock?

  /// Nil if the function does not return a pointer, or takes anything but numbers and pointers.
  package init?(_ call: PreparedCall) {
    guard let scalars = call.scalars, scalars.result == .pointer else { return nil }
    (function, self.scalars, lock) = (UInt(bitPattern: call.function), scalars, call.lock)
  }

  /// Calls the function, which must still be loaded.
  ///
  /// - Parameter discard: Gets the address, which is not 0, if the call fails although the function has made something.
  /// - Returns: The address that it returned, 0 for NULL. Nil, and it has not run, if the arguments are not as many as the
  ///   parameters or not of their types; an `Int` is accepted for any integer that it fits into.
  /// - Throws: A `CallError` with the code `callback`.
  package func callAsFunction(
    _ arguments: UnsafeBufferPointer<Argument>, discard: (UInt) -> Void
  ) throws(CallError) -> UInt? {
    guard arguments.count == scalars.count, let function = UnsafeRawPointer(bitPattern: function) else { return nil }
    lock?.lock()
    defer { lock?.unlock() }
    let (result, failure) = CallbackErrors.collecting {
      scalars.call(function) { index, kind in Self.word(arguments[index], kind) }
    }
    if let failure {
      if let result, result != 0 { discard(UInt(result)) }
      throw .callbackFailed(failure)
    }
    return result.map { UInt($0) }
  }

  /// The word of an argument; nil if it is not of the parameter's type, or does not fit.
  @inline(__always)
  private static func word(_ argument: Argument, _ kind: ScalarKind) -> UInt64? {
    switch kind {
    case .int8: integer(Int8.self, argument)
    case .int16: integer(Int16.self, argument)
    case .int32: integer(Int32.self, argument)
    case .int64: integer(Int64.self, argument)
    case .uint8: integer(UInt8.self, argument)
    case .uint16: integer(UInt16.self, argument)
    case .uint32: integer(UInt32.self, argument)
    case .uint64: integer(UInt64.self, argument) ?? scalar(UInt.self, argument)
    case .bool: scalar(Bool.self, argument)
    case .float: scalar(Float.self, argument)
    case .double: scalar(Double.self, argument)
    case .pointer: scalar(Value.Pointer.self, argument)
    case .void: nil
    }
  }

  @inline(__always)
  private static func scalar<Scalar: CScalar>(_ type: Scalar.Type, _ argument: Argument) -> UInt64? {
    argument.type == ObjectIdentifier(type) ? argument.address.load(as: type)._word : nil
  }

  @inline(__always)
  private static func integer<Integer: CScalar & FixedWidthInteger>(_ type: Integer.Type, _ argument: Argument) -> UInt64? {
    if let word = scalar(type, argument) { return word }
    guard argument.type == ObjectIdentifier(Int.self) else { return nil }
    return Integer(exactly: argument.address.load(as: Int.self))?._word
  }
}
