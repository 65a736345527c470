// Calls with spans, one for each number of arguments: a pack of types cannot contain one that does not escape. The memory of a
// `MutableSpan` is lent by its `withUnsafeMutableBufferPointer`.

extension PreparedCall {
  /// The same call with Swift's own types, of one argument with a span among them; see ``BufferCall``. Throws as ``typed(as:)`` does.
  @_disfavoredOverload
  public func typed<Result, A: CArgument & ~Escapable>(
    as type: ((A) -> Result).Type
  ) throws(CallError) -> BufferCall<(A) -> Result> {
    try call([ArgumentType(lent: A.self)], Result.self)
  }

  /// The same call with Swift's own types, of two arguments with a span among them; see ``BufferCall``. Throws as ``typed(as:)`` does.
  @_disfavoredOverload
  public func typed<Result, A: CArgument & ~Escapable, B: CArgument & ~Escapable>(
    as type: ((A, B) -> Result).Type
  ) throws(CallError) -> BufferCall<(A, B) -> Result> {
    try call([ArgumentType(lent: A.self), ArgumentType(lent: B.self)], Result.self)
  }

  /// The same call with Swift's own types, of three arguments with a span among them; see ``BufferCall``. Throws as ``typed(as:)`` does.
  @_disfavoredOverload
  public func typed<Result, A: CArgument & ~Escapable, B: CArgument & ~Escapable, C: CArgument & ~Escapable>(
    as type: ((A, B, C) -> Result).Type
  ) throws(CallError) -> BufferCall<(A, B, C) -> Result> {
    try call([ArgumentType(lent: A.self), ArgumentType(lent: B.self), ArgumentType(lent: C.self)], Result.self)
  }

  /// The same call with Swift's own types, of four arguments with a span among them; see ``BufferCall``. Throws as ``typed(as:)`` does.
  @_disfavoredOverload
  public func typed<
    Result, A: CArgument & ~Escapable, B: CArgument & ~Escapable, C: CArgument & ~Escapable,
    D: CArgument & ~Escapable
  >(
    as type: ((A, B, C, D) -> Result).Type
  ) throws(CallError) -> BufferCall<(A, B, C, D) -> Result> {
    try call(
      [ArgumentType(lent: A.self), ArgumentType(lent: B.self), ArgumentType(lent: C.self), ArgumentType(lent: D.self)],
      Result.self)
  }
}

extension BufferCall {
  /// Calls the function with one argument that it lends. Throws as the other calls do.
  @inlinable
  public func callAsFunction<Result, A: CArgument & ~Escapable>(_ a: A) throws -> Result
  where Function == (A) -> Result {
    try a._withMemory { a in
      try result(a)
    }
  }

  /// Calls the function with two arguments that it lends. Throws as the other calls do.
  @inlinable
  public func callAsFunction<Result, A: CArgument & ~Escapable, B: CArgument & ~Escapable>(_ a: A, _ b: B) throws
    -> Result
  where Function == (A, B) -> Result {
    try a._withMemory { a in
      try b._withMemory { b in
        try result(a, b)
      }
    }
  }

  /// Calls the function with three arguments that it lends. Throws as the other calls do.
  @inlinable
  public func callAsFunction<Result, A: CArgument & ~Escapable, B: CArgument & ~Escapable, C: CArgument & ~Escapable>(
    _ a: A, _ b: B, _ c: C
  ) throws -> Result
  where Function == (A, B, C) -> Result {
    try a._withMemory { a in
      try b._withMemory { b in
        try c._withMemory { c in
          try result(a, b, c)
        }
      }
    }
  }

  /// Calls the function with four arguments that it lends. Throws as the other calls do.
  @inlinable
  public func callAsFunction<
    Result, A: CArgument & ~Escapable, B: CArgument & ~Escapable, C: CArgument & ~Escapable,
    D: CArgument & ~Escapable
  >(_ a: A, _ b: B, _ c: C, _ d: D) throws -> Result
  where Function == (A, B, C, D) -> Result {
    try a._withMemory { a in
      try b._withMemory { b in
        try c._withMemory { c in
          try d._withMemory { d in
            try result(a, b, c, d)
          }
        }
      }
    }
  }
}
