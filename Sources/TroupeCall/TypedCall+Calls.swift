// The calls, one for each number of arguments: a pack would be taken apart at run time, which costs more than the call.

extension TypedCall {
  /// Calls the function with no arguments.
  @inlinable @inline(__always)
  public func callAsFunction<Result: CScalar>() -> Result
  where Function == () -> Result {
    let registers = ArgumentRegisters()

    return result(registers)
  }

  /// Calls the function, which gives nothing back, with no arguments.
  @inlinable @inline(__always)
  public func callAsFunction() where Function == () -> Void {
    let registers = ArgumentRegisters()

    run(registers)
  }
}

extension TypedCall {
  /// Calls the function with one argument.
  @inlinable @inline(__always)
  public func callAsFunction<Result: CScalar, A: CScalar>(_ a: A) -> Result
  where Function == (A) -> Result {
    var registers = ArgumentRegisters()
    registers.add(a)
    return result(registers)
  }

  /// Calls the function, which gives nothing back, with one argument.
  @inlinable @inline(__always)
  public func callAsFunction<A: CScalar>(_ a: A) where Function == (A) -> Void {
    var registers = ArgumentRegisters()
    registers.add(a)
    run(registers)
  }
}

extension TypedCall {
  /// Calls the function with two arguments.
  @inlinable @inline(__always)
  public func callAsFunction<Result: CScalar, A: CScalar, B: CScalar>(_ a: A, _ b: B) -> Result
  where Function == (A, B) -> Result {
    var registers = ArgumentRegisters()
    registers.add(a)
    registers.add(b)
    return result(registers)
  }

  /// Calls the function, which gives nothing back, with two arguments.
  @inlinable @inline(__always)
  public func callAsFunction<A: CScalar, B: CScalar>(_ a: A, _ b: B) where Function == (A, B) -> Void {
    var registers = ArgumentRegisters()
    registers.add(a)
    registers.add(b)
    run(registers)
  }
}

extension TypedCall {
  /// Calls the function with three arguments.
  @inlinable @inline(__always)
  public func callAsFunction<Result: CScalar, A: CScalar, B: CScalar, C: CScalar>(_ a: A, _ b: B, _ c: C) -> Result
  where Function == (A, B, C) -> Result {
    var registers = ArgumentRegisters()
    registers.add(a)
    registers.add(b)
    registers.add(c)
    return result(registers)
  }

  /// Calls the function, which gives nothing back, with three arguments.
  @inlinable @inline(__always)
  public func callAsFunction<A: CScalar, B: CScalar, C: CScalar>(_ a: A, _ b: B, _ c: C) where Function == (A, B, C) -> Void {
    var registers = ArgumentRegisters()
    registers.add(a)
    registers.add(b)
    registers.add(c)
    run(registers)
  }
}

extension TypedCall {
  /// Calls the function with four arguments.
  @inlinable @inline(__always)
  public func callAsFunction<Result: CScalar, A: CScalar, B: CScalar, C: CScalar, D: CScalar>(_ a: A, _ b: B, _ c: C, _ d: D)
    -> Result
  where Function == (A, B, C, D) -> Result {
    var registers = ArgumentRegisters()
    registers.add(a)
    registers.add(b)
    registers.add(c)
    registers.add(d)
    return result(registers)
  }

  /// Calls the function, which gives nothing back, with four arguments.
  @inlinable @inline(__always)
  public func callAsFunction<A: CScalar, B: CScalar, C: CScalar, D: CScalar>(_ a: A, _ b: B, _ c: C, _ d: D)
  where Function == (A, B, C, D) -> Void {
    var registers = ArgumentRegisters()
    registers.add(a)
    registers.add(b)
    registers.add(c)
    registers.add(d)
    run(registers)
  }
}

extension TypedCall {
  /// Calls the function with five arguments.
  @inlinable @inline(__always)
  public func callAsFunction<Result: CScalar, A: CScalar, B: CScalar, C: CScalar, D: CScalar, E: CScalar>(
    _ a: A, _ b: B, _ c: C, _ d: D, _ e: E
  ) -> Result
  where Function == (A, B, C, D, E) -> Result {
    var registers = ArgumentRegisters()
    registers.add(a)
    registers.add(b)
    registers.add(c)
    registers.add(d)
    registers.add(e)
    return result(registers)
  }

  /// Calls the function, which gives nothing back, with five arguments.
  @inlinable @inline(__always)
  public func callAsFunction<A: CScalar, B: CScalar, C: CScalar, D: CScalar, E: CScalar>(_ a: A, _ b: B, _ c: C, _ d: D, _ e: E)
  where Function == (A, B, C, D, E) -> Void {
    var registers = ArgumentRegisters()
    registers.add(a)
    registers.add(b)
    registers.add(c)
    registers.add(d)
    registers.add(e)
    run(registers)
  }
}

extension TypedCall {
  /// Calls the function with six arguments.
  @inlinable @inline(__always)
  public func callAsFunction<Result: CScalar, A: CScalar, B: CScalar, C: CScalar, D: CScalar, E: CScalar, F: CScalar>(
    _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F
  ) -> Result
  where Function == (A, B, C, D, E, F) -> Result {
    var registers = ArgumentRegisters()
    registers.add(a)
    registers.add(b)
    registers.add(c)
    registers.add(d)
    registers.add(e)
    registers.add(f)
    return result(registers)
  }

  /// Calls the function, which gives nothing back, with six arguments.
  @inlinable @inline(__always)
  public func callAsFunction<A: CScalar, B: CScalar, C: CScalar, D: CScalar, E: CScalar, F: CScalar>(
    _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F
  ) where Function == (A, B, C, D, E, F) -> Void {
    var registers = ArgumentRegisters()
    registers.add(a)
    registers.add(b)
    registers.add(c)
    registers.add(d)
    registers.add(e)
    registers.add(f)
    run(registers)
  }
}

extension TypedCall {
  /// Calls the function with seven arguments.
  @inlinable @inline(__always)
  public func callAsFunction<
    Result: CScalar, A: CScalar, B: CScalar, C: CScalar, D: CScalar, E: CScalar, F: CScalar, G: CScalar
  >(_ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G) -> Result
  where Function == (A, B, C, D, E, F, G) -> Result {
    var registers = ArgumentRegisters()
    registers.add(a)
    registers.add(b)
    registers.add(c)
    registers.add(d)
    registers.add(e)
    registers.add(f)
    registers.add(g)
    return result(registers)
  }

  /// Calls the function, which gives nothing back, with seven arguments.
  @inlinable @inline(__always)
  public func callAsFunction<A: CScalar, B: CScalar, C: CScalar, D: CScalar, E: CScalar, F: CScalar, G: CScalar>(
    _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G
  ) where Function == (A, B, C, D, E, F, G) -> Void {
    var registers = ArgumentRegisters()
    registers.add(a)
    registers.add(b)
    registers.add(c)
    registers.add(d)
    registers.add(e)
    registers.add(f)
    registers.add(g)
    run(registers)
  }
}

extension TypedCall {
  /// Calls the function with eight arguments.
  @inlinable @inline(__always)
  public func callAsFunction<
    Result: CScalar, A: CScalar, B: CScalar, C: CScalar, D: CScalar, E: CScalar, F: CScalar, G: CScalar, H: CScalar
  >(_ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G, _ h: H) -> Result
  where Function == (A, B, C, D, E, F, G, H) -> Result {
    var registers = ArgumentRegisters()
    registers.add(a)
    registers.add(b)
    registers.add(c)
    registers.add(d)
    registers.add(e)
    registers.add(f)
    registers.add(g)
    registers.add(h)
    return result(registers)
  }

  /// Calls the function, which gives nothing back, with eight arguments.
  @inlinable @inline(__always)
  public func callAsFunction<A: CScalar, B: CScalar, C: CScalar, D: CScalar, E: CScalar, F: CScalar, G: CScalar, H: CScalar>(
    _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G, _ h: H
  ) where Function == (A, B, C, D, E, F, G, H) -> Void {
    var registers = ArgumentRegisters()
    registers.add(a)
    registers.add(b)
    registers.add(c)
    registers.add(d)
    registers.add(e)
    registers.add(f)
    registers.add(g)
    registers.add(h)
    run(registers)
  }
}
