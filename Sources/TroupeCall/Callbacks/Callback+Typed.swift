// Closures of Swift's own types, one initializer for each number of arguments: a pack would be taken apart at run time, which
// costs more than the call.

extension Callback {
  /// The addresses of the arguments of a call.
  @frozen @usableFromInline
  struct Arguments {
    @usableFromInline let addresses: UnsafeMutablePointer<UnsafeMutableRawPointer?>

    init(_ addresses: UnsafeMutablePointer<UnsafeMutableRawPointer?>) { self.addresses = addresses }

    /// The argument with an index.
    @inlinable @inline(__always)
    subscript<Argument: CScalar>(index: Int) -> Argument {
      addresses[index].unsafelyUnwrapped.loadUnaligned(as: Argument.self)
    }
  }

  /// Makes a function after comparing the types with C's; throws the first that differs.
  @usableFromInline
  convenience init(
    _ signature: Signature, _ types: [any CScalar.Type], _ result: (any CScalar.Type)?, memory body: @escaping MemoryBody
  ) throws(CallError) {
    guard types.count == signature.parameters.count else { throw .wrongCount(types.count, signature) }
    for (index, parameter) in signature.parameters.enumerated() where !types[index]._is(parameter.type) {
      throw CallError.wrongSwiftType(types[index], parameter.type).about(argument: index, name: parameter.name)
    }
    let isSame = result?._is(signature.result) ?? (signature.result == .void)
    guard isSame else { throw .wrongSwiftResult(result ?? Void.self, signature.result) }
    try self.init(signature: signature, memory: body)
  }
}

extension Callback {
  /// Makes a function of a closure with no arguments. Throws as the other initializers do.
  @inlinable @inline(__always)
  public convenience init<Result: CScalar>(
    signature: Signature, _ body: @escaping @Sendable () -> Result
  ) throws(CallError) {
    try self.init(signature, [], Result.self) { $1.storeBytes(of: body()._word, as: UInt64.self) }
  }

  /// Makes a function of a closure with no arguments, which returns nothing. Throws as the other initializers do.
  @inlinable @inline(__always)
  public convenience init(
    signature: Signature, _ body: @escaping @Sendable () -> Void
  ) throws(CallError) {
    try self.init(signature, [], nil) { _, _ in body() }
  }

  /// Makes a function of a closure with one argument of Swift types. Throws as the other initializers do.
  @inlinable @inline(__always)
  public convenience init<Result: CScalar, A: CScalar>(
    signature: Signature, _ body: @escaping @Sendable (A) -> Result
  ) throws(CallError) {
    try self.init(signature, [A.self], Result.self) { $1.storeBytes(of: body($0[0])._word, as: UInt64.self) }
  }

  /// Makes a function of a closure with one argument of Swift types, which returns nothing. Throws as the other initializers do.
  @inlinable @inline(__always)
  public convenience init<A: CScalar>(
    signature: Signature, _ body: @escaping @Sendable (A) -> Void
  ) throws(CallError) {
    try self.init(signature, [A.self], nil) { arguments, _ in body(arguments[0]) }
  }

  /// Makes a function of a closure with two arguments of Swift types. Throws as the other initializers do.
  @inlinable @inline(__always)
  public convenience init<Result: CScalar, A: CScalar, B: CScalar>(
    signature: Signature, _ body: @escaping @Sendable (A, B) -> Result
  ) throws(CallError) {
    try self.init(signature, [A.self, B.self], Result.self) { $1.storeBytes(of: body($0[0], $0[1])._word, as: UInt64.self) }
  }

  /// Makes a function of a closure with two arguments of Swift types, which returns nothing. Throws as the other initializers do.
  @inlinable @inline(__always)
  public convenience init<A: CScalar, B: CScalar>(
    signature: Signature, _ body: @escaping @Sendable (A, B) -> Void
  ) throws(CallError) {
    try self.init(signature, [A.self, B.self], nil) { arguments, _ in body(arguments[0], arguments[1]) }
  }

  /// Makes a function of a closure with three arguments of Swift types. Throws as the other initializers do.
  @inlinable @inline(__always)
  public convenience init<Result: CScalar, A: CScalar, B: CScalar, C: CScalar>(
    signature: Signature, _ body: @escaping @Sendable (A, B, C) -> Result
  ) throws(CallError) {
    try self.init(signature, [A.self, B.self, C.self], Result.self) {
      $1.storeBytes(of: body($0[0], $0[1], $0[2])._word, as: UInt64.self)
    }
  }

  /// Makes a function of a closure with three arguments of Swift types, which returns nothing. Throws as the other initializers do.
  @inlinable @inline(__always)
  public convenience init<A: CScalar, B: CScalar, C: CScalar>(
    signature: Signature, _ body: @escaping @Sendable (A, B, C) -> Void
  ) throws(CallError) {
    try self.init(signature, [A.self, B.self, C.self], nil) { arguments, _ in body(arguments[0], arguments[1], arguments[2]) }
  }

  /// Makes a function of a closure with four arguments of Swift types. Throws as the other initializers do.
  @inlinable @inline(__always)
  public convenience init<Result: CScalar, A: CScalar, B: CScalar, C: CScalar, D: CScalar>(
    signature: Signature, _ body: @escaping @Sendable (A, B, C, D) -> Result
  ) throws(CallError) {
    try self.init(signature, [A.self, B.self, C.self, D.self], Result.self) {
      $1.storeBytes(of: body($0[0], $0[1], $0[2], $0[3])._word, as: UInt64.self)
    }
  }

  /// Makes a function of a closure with four arguments of Swift types, which returns nothing. Throws as the other initializers do.
  @inlinable @inline(__always)
  public convenience init<A: CScalar, B: CScalar, C: CScalar, D: CScalar>(
    signature: Signature, _ body: @escaping @Sendable (A, B, C, D) -> Void
  ) throws(CallError) {
    try self.init(signature, [A.self, B.self, C.self, D.self], nil) { arguments, _ in
      body(arguments[0], arguments[1], arguments[2], arguments[3])
    }
  }

  /// Makes a function of a closure with five arguments of Swift types. Throws as the other initializers do.
  @inlinable @inline(__always)
  public convenience init<Result: CScalar, A: CScalar, B: CScalar, C: CScalar, D: CScalar, E: CScalar>(
    signature: Signature, _ body: @escaping @Sendable (A, B, C, D, E) -> Result
  ) throws(CallError) {
    try self.init(signature, [A.self, B.self, C.self, D.self, E.self], Result.self) {
      $1.storeBytes(of: body($0[0], $0[1], $0[2], $0[3], $0[4])._word, as: UInt64.self)
    }
  }

  /// Makes a function of a closure with five arguments of Swift types, which returns nothing. Throws as the other initializers do.
  @inlinable @inline(__always)
  public convenience init<A: CScalar, B: CScalar, C: CScalar, D: CScalar, E: CScalar>(
    signature: Signature, _ body: @escaping @Sendable (A, B, C, D, E) -> Void
  ) throws(CallError) {
    try self.init(signature, [A.self, B.self, C.self, D.self, E.self], nil) { arguments, _ in
      body(arguments[0], arguments[1], arguments[2], arguments[3], arguments[4])
    }
  }

  /// Makes a function of a closure with six arguments of Swift types. Throws as the other initializers do.
  @inlinable @inline(__always)
  public convenience init<Result: CScalar, A: CScalar, B: CScalar, C: CScalar, D: CScalar, E: CScalar, F: CScalar>(
    signature: Signature, _ body: @escaping @Sendable (A, B, C, D, E, F) -> Result
  ) throws(CallError) {
    try self.init(signature, [A.self, B.self, C.self, D.self, E.self, F.self], Result.self) {
      $1.storeBytes(of: body($0[0], $0[1], $0[2], $0[3], $0[4], $0[5])._word, as: UInt64.self)
    }
  }

  /// Makes a function of a closure with six arguments of Swift types, which returns nothing. Throws as the other initializers do.
  @inlinable @inline(__always)
  public convenience init<A: CScalar, B: CScalar, C: CScalar, D: CScalar, E: CScalar, F: CScalar>(
    signature: Signature, _ body: @escaping @Sendable (A, B, C, D, E, F) -> Void
  ) throws(CallError) {
    try self.init(signature, [A.self, B.self, C.self, D.self, E.self, F.self], nil) { arguments, _ in
      body(arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5])
    }
  }
}
