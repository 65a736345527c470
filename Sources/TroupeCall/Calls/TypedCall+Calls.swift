// The calls, one for each number of arguments: a pack would be taken apart at run time, which costs more than the call.

extension TypedCall {
  /// Calls the function with no arguments.
  @inlinable @inline(__always)
  public func callAsFunction<Result: CScalar>() -> Result where Function == () -> Result {
    result(ArgumentRegisters())
  }

  /// Calls the function, which returns nothing, with no arguments.
  @inlinable @inline(__always)
  public func callAsFunction() where Function == () -> Void {
    run(ArgumentRegisters())
  }

  /// Calls the function with one argument.
  @inlinable @inline(__always)
  public func callAsFunction<Result: CScalar, A: CScalar>(_ a: A) -> Result where Function == (A) -> Result {
    result(ArgumentRegisters().adding(a))
  }

  /// Calls the function, which returns nothing, with one argument.
  @inlinable @inline(__always)
  public func callAsFunction<A: CScalar>(_ a: A) where Function == (A) -> Void {
    run(ArgumentRegisters().adding(a))
  }

  /// Calls the function with two arguments.
  @inlinable @inline(__always)
  public func callAsFunction<Result: CScalar, A: CScalar, B: CScalar>(_ a: A, _ b: B) -> Result
  where Function == (A, B) -> Result {
    result(ArgumentRegisters().adding(a).adding(b))
  }

  /// Calls the function, which returns nothing, with two arguments.
  @inlinable @inline(__always)
  public func callAsFunction<A: CScalar, B: CScalar>(_ a: A, _ b: B) where Function == (A, B) -> Void {
    run(ArgumentRegisters().adding(a).adding(b))
  }

  /// Calls the function with three arguments.
  @inlinable @inline(__always)
  public func callAsFunction<Result: CScalar, A: CScalar, B: CScalar, C: CScalar>(_ a: A, _ b: B, _ c: C) -> Result
  where Function == (A, B, C) -> Result {
    result(ArgumentRegisters().adding(a).adding(b).adding(c))
  }

  /// Calls the function, which returns nothing, with three arguments.
  @inlinable @inline(__always)
  public func callAsFunction<A: CScalar, B: CScalar, C: CScalar>(_ a: A, _ b: B, _ c: C) where Function == (A, B, C) -> Void {
    run(ArgumentRegisters().adding(a).adding(b).adding(c))
  }

  /// Calls the function with four arguments.
  @inlinable @inline(__always)
  public func callAsFunction<Result: CScalar, A: CScalar, B: CScalar, C: CScalar, D: CScalar>(
    _ a: A, _ b: B, _ c: C, _ d: D
  ) -> Result where Function == (A, B, C, D) -> Result {
    result(ArgumentRegisters().adding(a).adding(b).adding(c).adding(d))
  }

  /// Calls the function, which returns nothing, with four arguments.
  @inlinable @inline(__always)
  public func callAsFunction<A: CScalar, B: CScalar, C: CScalar, D: CScalar>(_ a: A, _ b: B, _ c: C, _ d: D)
  where Function == (A, B, C, D) -> Void {
    run(ArgumentRegisters().adding(a).adding(b).adding(c).adding(d))
  }

  /// Calls the function with five arguments.
  @inlinable @inline(__always)
  public func callAsFunction<Result: CScalar, A: CScalar, B: CScalar, C: CScalar, D: CScalar, E: CScalar>(
    _ a: A, _ b: B, _ c: C, _ d: D, _ e: E
  ) -> Result where Function == (A, B, C, D, E) -> Result {
    result(ArgumentRegisters().adding(a).adding(b).adding(c).adding(d).adding(e))
  }

  /// Calls the function, which returns nothing, with five arguments.
  @inlinable @inline(__always)
  public func callAsFunction<A: CScalar, B: CScalar, C: CScalar, D: CScalar, E: CScalar>(_ a: A, _ b: B, _ c: C, _ d: D, _ e: E)
  where Function == (A, B, C, D, E) -> Void {
    run(ArgumentRegisters().adding(a).adding(b).adding(c).adding(d).adding(e))
  }

  /// Calls the function with six arguments.
  @inlinable @inline(__always)
  public func callAsFunction<Result: CScalar, A: CScalar, B: CScalar, C: CScalar, D: CScalar, E: CScalar, F: CScalar>(
    _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F
  ) -> Result where Function == (A, B, C, D, E, F) -> Result {
    result(ArgumentRegisters().adding(a).adding(b).adding(c).adding(d).adding(e).adding(f))
  }

  /// Calls the function, which returns nothing, with six arguments.
  @inlinable @inline(__always)
  public func callAsFunction<A: CScalar, B: CScalar, C: CScalar, D: CScalar, E: CScalar, F: CScalar>(
    _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F
  ) where Function == (A, B, C, D, E, F) -> Void {
    run(ArgumentRegisters().adding(a).adding(b).adding(c).adding(d).adding(e).adding(f))
  }

  /// Calls the function with seven arguments.
  @inlinable @inline(__always)
  public func callAsFunction<
    Result: CScalar, A: CScalar, B: CScalar, C: CScalar, D: CScalar, E: CScalar, F: CScalar, G: CScalar
  >(
    _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G
  ) -> Result where Function == (A, B, C, D, E, F, G) -> Result {
    result(ArgumentRegisters().adding(a).adding(b).adding(c).adding(d).adding(e).adding(f).adding(g))
  }

  /// Calls the function, which returns nothing, with seven arguments.
  @inlinable @inline(__always)
  public func callAsFunction<A: CScalar, B: CScalar, C: CScalar, D: CScalar, E: CScalar, F: CScalar, G: CScalar>(
    _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G
  ) where Function == (A, B, C, D, E, F, G) -> Void {
    run(ArgumentRegisters().adding(a).adding(b).adding(c).adding(d).adding(e).adding(f).adding(g))
  }

  /// Calls the function with eight arguments.
  @inlinable @inline(__always)
  public func callAsFunction<
    Result: CScalar, A: CScalar, B: CScalar, C: CScalar, D: CScalar, E: CScalar, F: CScalar, G: CScalar, H: CScalar
  >(
    _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G, _ h: H
  ) -> Result where Function == (A, B, C, D, E, F, G, H) -> Result {
    result(ArgumentRegisters().adding(a).adding(b).adding(c).adding(d).adding(e).adding(f).adding(g).adding(h))
  }

  /// Calls the function, which returns nothing, with eight arguments.
  @inlinable @inline(__always)
  public func callAsFunction<A: CScalar, B: CScalar, C: CScalar, D: CScalar, E: CScalar, F: CScalar, G: CScalar, H: CScalar>(
    _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G, _ h: H
  ) where Function == (A, B, C, D, E, F, G, H) -> Void {
    run(ArgumentRegisters().adding(a).adding(b).adding(c).adding(d).adding(e).adding(f).adding(g).adding(h))
  }
}
