internal import CFFI

/// The register or stack word that each argument of a call goes to.
///
/// Sources: System V Application Binary Interface, AMD64 Architecture Processor Supplement, section 3.2.3; Procedure Call Standard
/// for the Arm 64-bit Architecture, section 6.8. On x86-64 every call has a plan. On AArch64 calls with scalars in registers and in
/// 16 words of the stack have one; libffi makes the others. On other machines libffi makes all calls.
struct RegisterPlan {
  /// A word to copy, since the two words of a struct go to registers of different kinds.
  struct Move {
    let source: Int
    let destination: Int
  }

  /// Where the caller writes each argument, in bytes from the start of the registers; behind the registers and the stack are the
  /// arguments that `moves` copies.
  private(set) var offsets: [Int] = []
  /// The words to copy once all arguments are written.
  private(set) var moves: [Move] = []
  /// The size in bytes of registers, stack and the arguments that `moves` copies.
  private(set) var size = 0
  /// Whether the call loads the floating-point registers, and says so to a function with variable arguments.
  private(set) var usesFloats: Bool
  /// The number of stack words that arguments are in.
  private(set) var stackWords = 0
  /// The registers of the result.
  let result: troupe_result
  /// Whether the result is in memory whose address is the first argument.
  let hasResultInMemory: Bool

  private var integers = 0
  private var floats = 0
  /// The arguments that `moves` copies, by their indices.
  private var mixed: [Int] = []

  private static let integerCount = Int(TROUPE_INTEGER_REGISTERS)
  private static let floatCount = Int(TROUPE_FLOAT_REGISTERS)

  /// Plans a call. Nil if only libffi can make it.
  ///
  /// - Parameter isVariadic: Whether the function takes variable arguments. `parameters` are then promoted.
  init?(result: CType, parameters: [CType], isVariadic: Bool = false) {
    #if arch(x86_64) || arch(arm64)
      guard let (kind, isInMemory) = Self.result(result) else { return nil }
      (self.result, hasResultInMemory, usesFloats) = (kind, isInMemory, isVariadic)
      if isInMemory { integers = 1 }
      for parameter in parameters {
        guard Self.isPlanned(parameter) else { return nil }
        place(parameter)
      }
      let room = Int(troupe_stack_room(Int32(stackWords)))
      guard room >= stackWords else { return nil }
      placeMixed(behind: Self.stackStart + 8 * room)
    #else
      return nil
    #endif
  }

  /// The registers of a result, nil if only libffi knows.
  private static func result(_ type: CType) -> (troupe_result, isInMemory: Bool)? {
    guard isPlanned(type) else { return nil }
    switch type {
    case .void: return (TROUPE_RESULT_INTEGERS, false)
    case .complex(.longDouble): return (TROUPE_RESULT_COMPLEX_LONG_DOUBLE, false)
    default: break
    }
    switch type.words {
    case [.integer], [.integer, .integer]: return (TROUPE_RESULT_INTEGERS, false)
    case [.float], [.float, .float]: return (TROUPE_RESULT_FLOATS, false)
    case [.integer, .float]: return (TROUPE_RESULT_INTEGER_FLOAT, false)
    case [.float, .integer]: return (TROUPE_RESULT_FLOAT_INTEGER, false)
    case [.x87, .x87Upper]: return (TROUPE_RESULT_LONG_DOUBLE, false)
    default: return (TROUPE_RESULT_INTEGERS, true)
    }
  }

  /// Whether this file knows this machine's rules for a type.
  private static func isPlanned(_ type: CType) -> Bool {
    #if arch(x86_64)
      return true
    #else
      switch type {
      case .record, .array, .complex, .longDouble: return false
      default: return true
      }
    #endif
  }

  private mutating func place(_ type: CType) {
    guard let words = type.argumentWords else { return push(type) }
    let integers = words.count { $0 == .integer }
    let floats = words.count - integers
    guard self.integers + integers <= Self.integerCount, self.floats + floats <= Self.floatCount else { return push(type) }
    if floats > 0 { usesFloats = true }
    if integers == words.count {
      offsets.append(8 * self.integers)
    } else if floats == words.count {
      offsets.append(Self.floatStart + 8 * self.floats)
    } else {
      for (index, word) in words.enumerated() {
        let destination = word == .integer ? 8 * self.integers : Self.floatStart + 8 * self.floats
        moves.append(Move(source: 16 * mixed.count + 8 * index, destination: destination))
      }
      mixed.append(offsets.count)
      offsets.append(0)
    }
    self.integers += integers
    self.floats += floats
  }

  private static let floatStart = 8 * integerCount
  static let stackStart = 8 * (integerCount + floatCount)

  /// Puts an argument on the stack.
  private mutating func push(_ type: CType) {
    // The stack begins at a multiple of 16.
    if type.alignment > 8 { stackWords = stackWords.roundedUp(to: 2) }
    offsets.append(Self.stackStart + 8 * stackWords)
    stackWords += type.size.roundedUp(to: 8) / 8
  }

  /// Puts the arguments that `moves` copies behind the stack.
  private mutating func placeMixed(behind end: Int) {
    for (index, argument) in mixed.enumerated() { offsets[argument] = end + 16 * index }
    moves = moves.map { Move(source: end + $0.source, destination: $0.destination) }
    size = end + 16 * mixed.count
  }
}
