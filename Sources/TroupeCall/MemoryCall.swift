/// A C function that is called with Swift values that lie in memory as C's do: imported C structs, and Swift structs with the same
/// members in the same order.
///
///     let turn = try call.memory(as: ((CPoint, Double) -> CPoint).self)
///     let point = turn(CPoint(x: 1, y: 2), .pi)
///
/// The initializer compares sizes and alignments. The caller ensures that the members are the same. A call copies the arguments and
/// the result, allocates nothing, and does not check whether the thread's stack has room for large structs. Use it on any thread, also
/// on several at once, if the C function allows that. ``BufferCall`` takes strings and buffers as well.
public struct MemoryCall<Function>: Sendable {
  private let call: PreparedCall

  fileprivate init(_ call: PreparedCall) { self.call = call }

  /// Calls the function with arguments that lie somewhere, as many as it takes, and gives its result.
  @inlinable @inline(__always)
  func result<Result: BitwiseCopyable>(
    _ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer? = nil, _ third: UnsafeRawBufferPointer? = nil,
    _ fourth: UnsafeRawBufferPointer? = nil
  ) -> Result {
    withUnsafeTemporaryAllocation(of: Result.self, capacity: 1) { result in
      run(
        [first.baseAddress, second?.baseAddress, third?.baseAddress, fourth?.baseAddress],
        UnsafeMutableRawPointer(result.baseAddress.unsafelyUnwrapped))
      return result[0]
    }
  }

  @usableFromInline
  func run(_ arguments: InlineArray<4, UnsafeRawPointer?>, _ result: UnsafeMutableRawPointer) {
    call.run(arguments, result)
  }
}

extension PreparedCall {
  /// The same call with values that lie in memory as C's do.
  ///
  /// - Parameter type: A Swift function type of one to four parameters.
  /// - Throws: A `CallError` with the code `argumentType` that names the first whose size or alignment differs, `argumentCount`,
  ///   or `unsupportedSignature` for a signature that takes more than plain values.
  public func memory<Result: BitwiseCopyable, each Argument: BitwiseCopyable>(
    as type: ((repeat each Argument) -> Result).Type
  ) throws(CallError) -> MemoryCall<(repeat each Argument) -> Result> {
    guard signature.isPlain, signature.parameters.allSatisfy({ $0.type != .resolver }) else {
      throw .unsupported(signature, problem: "a call with memory takes plain values")
    }
    var layouts: [(type: Any.Type, size: Int, alignment: Int)] = []
    for argument in repeat (each Argument).self { layouts.append(Self.layout(of: argument)) }
    guard layouts.count == signature.parameters.count else { throw .wrongCount(layouts.count, signature) }
    for (index, parameter) in signature.parameters.enumerated() where !Self.isSame(layouts[index], parameter.type) {
      throw CallError.wrongSwiftType(layouts[index].type, parameter.type).about(argument: index, name: parameter.name)
    }
    guard Self.isSame(Self.layout(of: Result.self), signature.result) else {
      throw .wrongSwiftResult(Result.self, signature.result)
    }
    return MemoryCall(self)
  }

  private static func layout<T>(of type: T.Type) -> (type: Any.Type, size: Int, alignment: Int) {
    (type, MemoryLayout<T>.size, MemoryLayout<T>.alignment)
  }

  private static func isSame(_ swift: (type: Any.Type, size: Int, alignment: Int), _ type: CType) -> Bool {
    // Swift counts no padding at the end.
    swift.size.roundedUp(to: max(1, swift.alignment)) == type.size && swift.alignment == type.alignment
      || swift.type == Void.self && type == .void
  }

  /// Calls the function with arguments and a result that lie somewhere.
  fileprivate func run(_ arguments: InlineArray<4, UnsafeRawPointer?>, _ result: UnsafeMutableRawPointer) {
    withUnsafeTemporaryAllocation(byteCount: layout.size, alignment: 16) { memory in
      guard let start = memory.baseAddress else { return }
      for (index, slot) in layout.slots.enumerated() {
        if let argument = arguments[index] { slot.copy(argument, to: start) }
      }
      invoke(layout, start)
      result.copyMemory(from: start + layout.result, byteCount: layout.resultSize)
    }
  }
}

extension MemoryCall {
  /// Calls the function with one argument.
  @inlinable
  public func callAsFunction<Result: BitwiseCopyable, A: BitwiseCopyable>(_ a: A) -> Result where Function == (A) -> Result {
    withUnsafeBytes(of: a) { a in
      result(a)
    }
  }
}

extension MemoryCall {
  /// Calls the function with two arguments.
  @inlinable
  public func callAsFunction<Result: BitwiseCopyable, A: BitwiseCopyable, B: BitwiseCopyable>(_ a: A, _ b: B) -> Result
  where Function == (A, B) -> Result {
    withUnsafeBytes(of: a) { a in
      withUnsafeBytes(of: b) { b in
        result(a, b)
      }
    }
  }
}

extension MemoryCall {
  /// Calls the function with three arguments.
  @inlinable
  public func callAsFunction<Result: BitwiseCopyable, A: BitwiseCopyable, B: BitwiseCopyable, C: BitwiseCopyable>(
    _ a: A, _ b: B, _ c: C
  ) -> Result where Function == (A, B, C) -> Result {
    withUnsafeBytes(of: a) { a in
      withUnsafeBytes(of: b) { b in
        withUnsafeBytes(of: c) { c in
          result(a, b, c)
        }
      }
    }
  }
}

extension MemoryCall {
  /// Calls the function with four arguments.
  @inlinable
  public func callAsFunction<
    Result: BitwiseCopyable, A: BitwiseCopyable, B: BitwiseCopyable, C: BitwiseCopyable, D: BitwiseCopyable
  >(_ a: A, _ b: B, _ c: C, _ d: D) -> Result where Function == (A, B, C, D) -> Result {
    withUnsafeBytes(of: a) { a in
      withUnsafeBytes(of: b) { b in
        withUnsafeBytes(of: c) { c in
          withUnsafeBytes(of: d) { d in
            result(a, b, c, d)
          }
        }
      }
    }
  }
}
