/// The registers of a call of at most eight scalars.
///
/// The compiler knows all of it where the call stands, so that only the moves into the registers remain at run time. The routine in
/// assembly that other calls use costs 1.4 to 1.7 direct calls, even from C: it copies the registers through memory.
///
/// The call goes through a prototype that is not the function's. Swift has no other way to call through a pointer with generic arguments.
/// The register conventions of both processors permit it: a function ignores the registers that it has no parameters for. Swift adds no
/// type check to such a call, and the processor's checks (IBT, BTI) compare no types.
@frozen @usableFromInline
struct ArgumentRegisters {
  // What four arguments need at most, and eight; registers that a function does not look at do no harm. On x86-64 the seventh and
  // eighth integer are on the stack, and so the last of the list; on AArch64 they follow the others.
  @usableFromInline typealias FourToWord =
    @convention(c) (
      UInt64, UInt64, UInt64, UInt64, Double, Double, Double, Double
    ) -> UInt64
  @usableFromInline typealias FourToNumber =
    @convention(c) (
      UInt64, UInt64, UInt64, UInt64, Double, Double, Double, Double
    ) -> Double
  #if arch(arm64)
    @usableFromInline typealias EightToWord =
      @convention(c) (
        UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64,
        Double, Double, Double, Double, Double, Double, Double, Double
      ) -> UInt64
    @usableFromInline typealias EightToNumber =
      @convention(c) (
        UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64,
        Double, Double, Double, Double, Double, Double, Double, Double
      ) -> Double
  #else
    @usableFromInline typealias EightToWord =
      @convention(c) (
        UInt64, UInt64, UInt64, UInt64, UInt64, UInt64,
        Double, Double, Double, Double, Double, Double, Double, Double, UInt64, UInt64
      ) -> UInt64
    @usableFromInline typealias EightToNumber =
      @convention(c) (
        UInt64, UInt64, UInt64, UInt64, UInt64, UInt64,
        Double, Double, Double, Double, Double, Double, Double, Double, UInt64, UInt64
      ) -> Double
  #endif

  @usableFromInline var integers: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0, 0, 0, 0, 0)
  @usableFromInline var floats: (Double, Double, Double, Double, Double, Double, Double, Double) = (0, 0, 0, 0, 0, 0, 0, 0)
  @usableFromInline var integerCount = 0
  @usableFromInline var floatCount = 0

  @inlinable @inline(__always)
  init() {}

  /// Registers with words: eight integers, and eight floating-point numbers.
  @inline(__always)
  init(_ words: InlineArray<16, UInt64>, count: Int) {
    func number(_ index: Int) -> Double { Double(bitPattern: words[8 + index]) }
    integers = (words[0], words[1], words[2], words[3], words[4], words[5], words[6], words[7])
    floats = (number(0), number(1), number(2), number(3), number(4), number(5), number(6), number(7))
    // Which of the two they are does not matter.
    integerCount = count
  }

  /// Returns the registers with one more argument.
  @inlinable @inline(__always)
  func adding<Argument: CScalar>(_ argument: Argument) -> ArgumentRegisters {
    var copy = self
    copy.add(argument)
    return copy
  }

  @inlinable @inline(__always)
  mutating func add<Argument: CScalar>(_ argument: Argument) {
    if Argument._isFloatingPoint {
      let number = Double(bitPattern: argument._word)
      switch floatCount {
      case 0: floats.0 = number
      case 1: floats.1 = number
      case 2: floats.2 = number
      case 3: floats.3 = number
      case 4: floats.4 = number
      case 5: floats.5 = number
      case 6: floats.6 = number
      default: floats.7 = number
      }
      floatCount += 1
    } else {
      let word = argument._word
      switch integerCount {
      case 0: integers.0 = word
      case 1: integers.1 = word
      case 2: integers.2 = word
      case 3: integers.3 = word
      case 4: integers.4 = word
      case 5: integers.5 = word
      case 6: integers.6 = word
      default: integers.7 = word
      }
      integerCount += 1
    }
  }

  /// Calls a function whose result is in an integer register, or that gives nothing back.
  @inlinable @inline(__always)
  func word(_ function: UnsafeRawPointer) -> UInt64 {
    let (i, f) = (integers, floats)
    if integerCount + floatCount <= 4 {
      return unsafeBitCast(function, to: FourToWord.self)(i.0, i.1, i.2, i.3, f.0, f.1, f.2, f.3)
    }
    let eight = unsafeBitCast(function, to: EightToWord.self)
    #if arch(arm64)
      return eight(i.0, i.1, i.2, i.3, i.4, i.5, i.6, i.7, f.0, f.1, f.2, f.3, f.4, f.5, f.6, f.7)
    #else
      return eight(i.0, i.1, i.2, i.3, i.4, i.5, f.0, f.1, f.2, f.3, f.4, f.5, f.6, f.7, i.6, i.7)
    #endif
  }

  /// Calls a function whose result is in a floating-point register.
  @inlinable @inline(__always)
  func number(_ function: UnsafeRawPointer) -> UInt64 {
    let (i, f) = (integers, floats)
    if integerCount + floatCount <= 4 {
      return unsafeBitCast(function, to: FourToNumber.self)(i.0, i.1, i.2, i.3, f.0, f.1, f.2, f.3).bitPattern
    }
    let eight = unsafeBitCast(function, to: EightToNumber.self)
    #if arch(arm64)
      return eight(i.0, i.1, i.2, i.3, i.4, i.5, i.6, i.7, f.0, f.1, f.2, f.3, f.4, f.5, f.6, f.7).bitPattern
    #else
      return eight(i.0, i.1, i.2, i.3, i.4, i.5, f.0, f.1, f.2, f.3, f.4, f.5, f.6, f.7, i.6, i.7).bitPattern
    #endif
  }

  /// Calls a function.
  @inlinable @inline(__always)
  func call<Result: CScalar>(_ function: UnsafeRawPointer) -> Result {
    Result(_word: Result._isFloatingPoint ? number(function) : word(function))
  }
}
