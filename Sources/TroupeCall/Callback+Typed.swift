// Closures of Swift's own types, one initialiser for each number of arguments: a pack would be taken apart at run time, which
// costs more than the call.

extension Callback {
  /// Whether C's types are these; throws what differs.
  @usableFromInline
  static func check(
    _ signature: Signature, _ types: [any CScalar.Type], _ result: (any CScalar.Type)?
  ) throws(CallError) {
    guard types.count == signature.parameters.count else { throw .wrongCount(types.count, signature) }
    for (index, parameter) in signature.parameters.enumerated() where !types[index]._is(parameter.type) {
      throw CallError.wrongSwiftType(types[index], parameter.type).about(argument: index, name: parameter.name)
    }
    let isSame = result?._is(signature.result) ?? (signature.result == .void)
    guard isSame else { throw .wrongSwiftResult(result ?? Void.self, signature.result) }
  }

  /// The argument that lies at an address.
  @inlinable @inline(__always)
  static func argument<Argument: CScalar>(
    _ arguments: UnsafeMutablePointer<UnsafeMutableRawPointer?>, _ index: Int
  ) -> Argument {
    arguments[index].unsafelyUnwrapped.loadUnaligned(as: Argument.self)
  }
}

extension Callback {
  /// Makes a function of a closure that takes no arguments of Swift's own types, which are compared with C's once.
  ///
  /// - Throws: A `CallError`, also `argumentType` or `argumentCount` if the closure's type is not the signature's.
  @inlinable @inline(__always)
  public convenience init<Result: CScalar>(
    signature: Signature, _ body: @escaping @Sendable () -> Result
  ) throws(CallError) {
    try Self.check(signature, [], Result.self)
    try self.init(
      signature: signature,
      memory: { _, result in
        result.storeBytes(of: body()._word, as: UInt64.self)
      })
  }

  /// Makes a function of a closure that takes no arguments of Swift's own types and gives nothing back.
  @inlinable @inline(__always)
  public convenience init(
    signature: Signature, _ body: @escaping @Sendable () -> Void
  ) throws(CallError) {
    try Self.check(signature, [], nil)
    try self.init(signature: signature, memory: { _, _ in body() })
  }
}

extension Callback {
  /// Makes a function of a closure that takes one argument of Swift's own types, which are compared with C's once.
  ///
  /// - Throws: A `CallError`, also `argumentType` or `argumentCount` if the closure's type is not the signature's.
  @inlinable @inline(__always)
  public convenience init<Result: CScalar, A: CScalar>(
    signature: Signature, _ body: @escaping @Sendable (A) -> Result
  ) throws(CallError) {
    try Self.check(signature, [A.self], Result.self)
    try self.init(
      signature: signature,
      memory: { arguments, result in
        result.storeBytes(of: body(Callback.argument(arguments, 0))._word, as: UInt64.self)
      })
  }

  /// Makes a function of a closure that takes one argument of Swift's own types and gives nothing back.
  @inlinable @inline(__always)
  public convenience init<A: CScalar>(
    signature: Signature, _ body: @escaping @Sendable (A) -> Void
  ) throws(CallError) {
    try Self.check(signature, [A.self], nil)
    try self.init(signature: signature, memory: { arguments, _ in body(Callback.argument(arguments, 0)) })
  }
}

extension Callback {
  /// Makes a function of a closure that takes two arguments of Swift's own types, which are compared with C's once.
  ///
  /// - Throws: A `CallError`, also `argumentType` or `argumentCount` if the closure's type is not the signature's.
  @inlinable @inline(__always)
  public convenience init<Result: CScalar, A: CScalar, B: CScalar>(
    signature: Signature, _ body: @escaping @Sendable (A, B) -> Result
  ) throws(CallError) {
    try Self.check(signature, [A.self, B.self], Result.self)
    try self.init(
      signature: signature,
      memory: { arguments, result in
        result.storeBytes(of: body(Callback.argument(arguments, 0), Callback.argument(arguments, 1))._word, as: UInt64.self)
      })
  }

  /// Makes a function of a closure that takes two arguments of Swift's own types and gives nothing back.
  @inlinable @inline(__always)
  public convenience init<A: CScalar, B: CScalar>(
    signature: Signature, _ body: @escaping @Sendable (A, B) -> Void
  ) throws(CallError) {
    try Self.check(signature, [A.self, B.self], nil)
    try self.init(
      signature: signature, memory: { arguments, _ in body(Callback.argument(arguments, 0), Callback.argument(arguments, 1)) })
  }
}

extension Callback {
  /// Makes a function of a closure that takes three arguments of Swift's own types, which are compared with C's once.
  ///
  /// - Throws: A `CallError`, also `argumentType` or `argumentCount` if the closure's type is not the signature's.
  @inlinable @inline(__always)
  public convenience init<Result: CScalar, A: CScalar, B: CScalar, C: CScalar>(
    signature: Signature, _ body: @escaping @Sendable (A, B, C) -> Result
  ) throws(CallError) {
    try Self.check(signature, [A.self, B.self, C.self], Result.self)
    try self.init(
      signature: signature,
      memory: { arguments, result in
        result.storeBytes(
          of: body(Callback.argument(arguments, 0), Callback.argument(arguments, 1), Callback.argument(arguments, 2))._word,
          as: UInt64.self)
      })
  }

  /// Makes a function of a closure that takes three arguments of Swift's own types and gives nothing back.
  @inlinable @inline(__always)
  public convenience init<A: CScalar, B: CScalar, C: CScalar>(
    signature: Signature, _ body: @escaping @Sendable (A, B, C) -> Void
  ) throws(CallError) {
    try Self.check(signature, [A.self, B.self, C.self], nil)
    try self.init(
      signature: signature,
      memory: { arguments, _ in
        body(Callback.argument(arguments, 0), Callback.argument(arguments, 1), Callback.argument(arguments, 2))
      })
  }
}

extension Callback {
  /// Makes a function of a closure that takes four arguments of Swift's own types, which are compared with C's once.
  ///
  /// - Throws: A `CallError`, also `argumentType` or `argumentCount` if the closure's type is not the signature's.
  @inlinable @inline(__always)
  public convenience init<Result: CScalar, A: CScalar, B: CScalar, C: CScalar, D: CScalar>(
    signature: Signature, _ body: @escaping @Sendable (A, B, C, D) -> Result
  ) throws(CallError) {
    try Self.check(signature, [A.self, B.self, C.self, D.self], Result.self)
    try self.init(
      signature: signature,
      memory: { arguments, result in
        result.storeBytes(
          of: body(
            Callback.argument(arguments, 0), Callback.argument(arguments, 1), Callback.argument(arguments, 2),
            Callback.argument(arguments, 3)
          )._word,
          as: UInt64.self)
      })
  }

  /// Makes a function of a closure that takes four arguments of Swift's own types and gives nothing back.
  @inlinable @inline(__always)
  public convenience init<A: CScalar, B: CScalar, C: CScalar, D: CScalar>(
    signature: Signature, _ body: @escaping @Sendable (A, B, C, D) -> Void
  ) throws(CallError) {
    try Self.check(signature, [A.self, B.self, C.self, D.self], nil)
    try self.init(
      signature: signature,
      memory: { arguments, _ in
        body(
          Callback.argument(arguments, 0), Callback.argument(arguments, 1), Callback.argument(arguments, 2),
          Callback.argument(arguments, 3))
      })
  }
}

extension Callback {
  /// Makes a function of a closure that takes five arguments of Swift's own types, which are compared with C's once.
  ///
  /// - Throws: A `CallError`, also `argumentType` or `argumentCount` if the closure's type is not the signature's.
  @inlinable @inline(__always)
  public convenience init<Result: CScalar, A: CScalar, B: CScalar, C: CScalar, D: CScalar, E: CScalar>(
    signature: Signature, _ body: @escaping @Sendable (A, B, C, D, E) -> Result
  ) throws(CallError) {
    try Self.check(signature, [A.self, B.self, C.self, D.self, E.self], Result.self)
    try self.init(
      signature: signature,
      memory: { arguments, result in
        result.storeBytes(
          of: body(
            Callback.argument(arguments, 0), Callback.argument(arguments, 1), Callback.argument(arguments, 2),
            Callback.argument(arguments, 3),
            Callback.argument(arguments, 4)
          )._word, as: UInt64.self)
      })
  }

  /// Makes a function of a closure that takes five arguments of Swift's own types and gives nothing back.
  @inlinable @inline(__always)
  public convenience init<A: CScalar, B: CScalar, C: CScalar, D: CScalar, E: CScalar>(
    signature: Signature, _ body: @escaping @Sendable (A, B, C, D, E) -> Void
  ) throws(CallError) {
    try Self.check(signature, [A.self, B.self, C.self, D.self, E.self], nil)
    try self.init(
      signature: signature,
      memory: { arguments, _ in
        body(
          Callback.argument(arguments, 0), Callback.argument(arguments, 1), Callback.argument(arguments, 2),
          Callback.argument(arguments, 3), Callback.argument(arguments, 4)
        )
      })
  }
}

extension Callback {
  /// Makes a function of a closure that takes six arguments of Swift's own types, which are compared with C's once.
  ///
  /// - Throws: A `CallError`, also `argumentType` or `argumentCount` if the closure's type is not the signature's.
  @inlinable @inline(__always)
  public convenience init<Result: CScalar, A: CScalar, B: CScalar, C: CScalar, D: CScalar, E: CScalar, F: CScalar>(
    signature: Signature, _ body: @escaping @Sendable (A, B, C, D, E, F) -> Result
  ) throws(CallError) {
    try Self.check(signature, [A.self, B.self, C.self, D.self, E.self, F.self], Result.self)
    try self.init(
      signature: signature,
      memory: { arguments, result in
        result.storeBytes(
          of: body(
            Callback.argument(arguments, 0), Callback.argument(arguments, 1), Callback.argument(arguments, 2),
            Callback.argument(arguments, 3),
            Callback.argument(arguments, 4), Callback.argument(arguments, 5)
          )._word, as: UInt64.self)
      })
  }

  /// Makes a function of a closure that takes six arguments of Swift's own types and gives nothing back.
  @inlinable @inline(__always)
  public convenience init<A: CScalar, B: CScalar, C: CScalar, D: CScalar, E: CScalar, F: CScalar>(
    signature: Signature, _ body: @escaping @Sendable (A, B, C, D, E, F) -> Void
  ) throws(CallError) {
    try Self.check(signature, [A.self, B.self, C.self, D.self, E.self, F.self], nil)
    try self.init(
      signature: signature,
      memory: { arguments, _ in
        body(
          Callback.argument(arguments, 0), Callback.argument(arguments, 1), Callback.argument(arguments, 2),
          Callback.argument(arguments, 3),
          Callback.argument(arguments, 4), Callback.argument(arguments, 5))
      })
  }
}
