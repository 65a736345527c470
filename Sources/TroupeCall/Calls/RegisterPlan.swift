internal import CCallbacks

/// The register or stack word that each argument of a call goes to.
///
/// Sources: System V Application Binary Interface, AMD64 Architecture Processor Supplement, section 3.2.3; Procedure Call Standard
/// for the Arm 64-bit Architecture, section 6.8. On x86-64 every call has a plan. On AArch64 calls with scalars have one; libffi makes the
/// others. On other machines libffi makes all calls.
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
  /// The number of stack words that arguments are in.
  private(set) var stackWords = 0
  /// Where the call leaves the result, in bytes from the start of the registers; nil if in memory whose address is the first argument.
  let result: Int?
  /// The number of x87 registers that the result is in.
  let x87Results: UInt64

  private var integers = 0
  private var floats = 0
  /// The arguments that `moves` copies, by their indices.
  private var mixed: [Int] = []

  private static let integerCount = Int(TROUPE_FLOATS) / 8
  private static let floatCount = 8

  /// Plans a call of a function, whose variable arguments are promoted. Nil if only libffi can make it.
  init?(result type: CType, parameters: [CType]) {
    #if arch(x86_64) || arch(arm64)
      guard Self.isPlanned(type), parameters.allSatisfy(Self.isPlanned) else { return nil }
      (result, x87Results) = Self.result(type)
      if result == nil { integers = 1 }
      for parameter in parameters { place(parameter) }
      placeMixed(behind: Self.stackStart + 8 * stackWords.roundedUp(to: 2))
    #else
      return nil
    #endif
  }

  /// Where a call leaves a result, nil if in memory, and the number of x87 registers that it is in. In `troupe_registers` the words of
  /// any struct are neighbors.
  private static func result(_ type: CType) -> (offset: Int?, x87Count: UInt64) {
    let (first, floats) = (Int(TROUPE_RESULTS), Int(TROUPE_FLOAT_RESULTS))
    if type == .void { return (first, 0) }
    if type == .complex(.longDouble) { return (first, 2) }
    #if arch(x86_64)
      switch type.eightbytes {
      case [.x87, .x87Upper]: return (first, 1)
      case [.float, .integer]: return (first, 0)
      case [.integer], [.integer, .integer]: return (first + 8, 0)
      case [.integer, .float]: return (first + 24, 0)
      case [.float], [.float, .float]: return (floats, 0)
      default: return (nil, 0)
      }
    #else
      return (type.eightbytes == [.float] ? floats : first, 0)
    #endif
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
    guard let eightbytes = type.argumentEightbytes else { return push(type) }
    let integers = eightbytes.count { $0 == .integer }
    let floats = eightbytes.count - integers
    guard self.integers + integers <= Self.integerCount, self.floats + floats <= Self.floatCount else { return push(type) }
    if integers == eightbytes.count {
      offsets.append(8 * self.integers)
    } else if floats == eightbytes.count {
      offsets.append(Self.floatStart + Self.floatSize * self.floats)
    } else {
      for (index, eightbyte) in eightbytes.enumerated() {
        let destination = eightbyte == .integer ? 8 * self.integers : Self.floatStart + Self.floatSize * self.floats
        moves.append(Move(source: 16 * mixed.count + 8 * index, destination: destination))
      }
      mixed.append(offsets.count)
      offsets.append(0)
    }
    self.integers += integers
    self.floats += floats
  }

  private static let floatStart = Int(TROUPE_FLOATS)
  private static let floatSize = Int(TROUPE_FLOAT_SIZE)
  private static let stackStart = Int(TROUPE_STACK)

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
