// One `callAsFunction` for each number of arguments, since closures around a pack of arguments cannot be nested.

extension BufferCall {
  /// Calls the function with no arguments.
  ///
  /// - Throws: A `CallError`: `argumentRange` for text with a NUL or lengths that do not fit, and the function has then not run;
  ///   `system`, `callback` or `resultText` for a failed call.
  @inlinable
  public func callAsFunction<Result>() throws -> Result
  where Function == () -> Result {
    try result()
  }

  /// Calls the function with one argument. Throws as the call without arguments does.
  @inlinable
  public func callAsFunction<Result, A>(_ a: A) throws -> Result
  where Function == (A) -> Result {
    try lend(a, 0) { a in
      try result(a)
    }
  }

  /// Calls the function with two arguments. Throws as the call without arguments does.
  @inlinable
  public func callAsFunction<Result, A, B>(_ a: A, _ b: B) throws -> Result
  where Function == (A, B) -> Result {
    try lend(a, 0) { a in
      try lend(b, 1) { b in
        try result(a, b)
      }
    }
  }

  /// Calls the function with three arguments. Throws as the call without arguments does.
  @inlinable
  public func callAsFunction<Result, A, B, C>(_ a: A, _ b: B, _ c: C) throws -> Result
  where Function == (A, B, C) -> Result {
    try lend(a, 0) { a in
      try lend(b, 1) { b in
        try lend(c, 2) { c in
          try result(a, b, c)
        }
      }
    }
  }

  /// Calls the function with four arguments. Throws as the call without arguments does.
  @inlinable
  public func callAsFunction<Result, A, B, C, D>(_ a: A, _ b: B, _ c: C, _ d: D) throws -> Result
  where Function == (A, B, C, D) -> Result {
    try lend(a, 0) { a in
      try lend(b, 1) { b in
        try lend(c, 2) { c in
          try lend(d, 3) { d in
            try result(a, b, c, d)
          }
        }
      }
    }
  }

  /// Calls the function with five arguments. Throws as the call without arguments does.
  @inlinable
  public func callAsFunction<Result, A, B, C, D, E>(_ a: A, _ b: B, _ c: C, _ d: D, _ e: E) throws -> Result
  where Function == (A, B, C, D, E) -> Result {
    try lend(a, 0) { a in
      try lend(b, 1) { b in
        try lend(c, 2) { c in
          try lend(d, 3) { d in
            try lend(e, 4) { e in
              try result(a, b, c, d, e)
            }
          }
        }
      }
    }
  }

  /// Calls the function with six arguments. Throws as the call without arguments does.
  @inlinable
  public func callAsFunction<Result, A, B, C, D, E, F>(_ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F) throws -> Result
  where Function == (A, B, C, D, E, F) -> Result {
    try lend(a, 0) { a in
      try lend(b, 1) { b in
        try lend(c, 2) { c in
          try lend(d, 3) { d in
            try lend(e, 4) { e in
              try lend(f, 5) { f in
                try result(a, b, c, d, e, f)
              }
            }
          }
        }
      }
    }
  }
}
