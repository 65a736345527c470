internal import CFFI

/// Which register or word of the stack each argument of a call goes to, where that can be told without libffi.
///
/// Sources: System V Application Binary Interface, AMD64 Architecture Processor Supplement, section 3.2.3; Procedure Call Standard
/// for the Arm 64-bit Architecture, section 6.8. On AArch64 only scalars are planned, on other machines nothing is.
struct RegisterPlan {
  /// Two words that have to be copied, since a struct's two words go to registers of different kinds.
  struct Move {
    let source: Int
    let destination: Int
  }

  /// Where each argument is written, in bytes from the start of the registers; what is behind them is for `moves`.
  private(set) var offsets: [Int] = []
  /// What is copied once all arguments have been written.
  private(set) var moves: [Move] = []
  /// The size in bytes, what is behind the registers included.
  private(set) var size = MemoryLayout<troupe_registers>.size
  /// Whether any floating-point register is used.
  private(set) var usesFloats = false
  /// How many words of the stack are used.
  private(set) var stackWords = 0
  /// In which registers the result is.
  let result: troupe_result
  /// Whether the result is in memory whose address is the first argument.
  let hasResultInMemory: Bool

  private var integers = 0
  private var floats = 0

  private static let integerCount = Int(TROUPE_INTEGER_REGISTERS)
  private static let floatCount = Int(TROUPE_FLOAT_REGISTERS)
  private static let stackCount = Int(TROUPE_STACK_WORDS)

  /// Plans a call. Nil if it needs more than there is, or something that only libffi knows.
  init?(result: CType, parameters: [CType]) {
    #if arch(x86_64) || arch(arm64)
      guard let (kind, isInMemory) = Self.result(result) else { return nil }
      (self.result, hasResultInMemory) = (kind, isInMemory)
      if isInMemory { integers = 1 }
      for parameter in parameters {
        guard place(parameter) else { return nil }
      }
    #else
      return nil
    #endif
  }

  /// What a word of eight bytes holds.
  private enum Word {
    case integer, float
  }

  /// The registers of a result, nil if only libffi knows.
  private static func result(_ type: CType) -> (troupe_result, isInMemory: Bool)? {
    switch type {
    case .void: return (TROUPE_RESULT_INTEGERS, false)
    case .longDouble: return nil
    case .complex(let real) where real == .longDouble: return nil
    default: break
    }
    guard isPlanned(type) else { return nil }
    switch words(type) {
    case [.integer], [.integer, .integer]: return (TROUPE_RESULT_INTEGERS, false)
    case [.float], [.float, .float]: return (TROUPE_RESULT_FLOATS, false)
    case [.integer, .float]: return (TROUPE_RESULT_INTEGER_FLOAT, false)
    case [.float, .integer]: return (TROUPE_RESULT_FLOAT_INTEGER, false)
    default:
      // A single member makes a struct no different from it, and x87 registers are libffi's business.
      return type.holdsLongDouble && type.size <= 16 ? nil : (TROUPE_RESULT_INTEGERS, true)
    }
  }

  /// Whether this machine's rules for a type are known here.
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

  private mutating func place(_ type: CType) -> Bool {
    guard Self.isPlanned(type) else { return false }
    guard let words = Self.words(type) else { return push(type) }
    let integers = words.count { $0 == .integer }
    let floats = words.count - integers
    guard self.integers + integers <= Self.integerCount, self.floats + floats <= Self.floatCount else { return push(type) }
    if floats > 0 { usesFloats = true }
    if integers == words.count {
      offsets.append(8 * self.integers)
    } else if floats == words.count {
      offsets.append(Self.floatStart + 8 * self.floats)
    } else {
      // Written behind the registers and copied from there.
      offsets.append(size)
      for (index, word) in words.enumerated() {
        let destination = word == .integer ? 8 * self.integers : Self.floatStart + 8 * self.floats
        moves.append(Move(source: size + 8 * index, destination: destination))
      }
      size += 16
    }
    self.integers += integers
    self.floats += floats
    return true
  }

  private static let floatStart = 8 * integerCount
  static let stackStart = 8 * (integerCount + floatCount)

  /// Puts an argument on the stack.
  private mutating func push(_ type: CType) -> Bool {
    // The stack begins at a multiple of 16.
    if type.alignment > 8 { stackWords = stackWords.roundedUp(to: 2) }
    let words = type.size.roundedUp(to: 8) / 8
    guard stackWords + words <= Self.stackCount else { return false }
    offsets.append(Self.stackStart + 8 * stackWords)
    stackWords += words
    return true
  }

  /// What the words of a type hold that is passed in registers; nil if it is passed in memory.
  private static func words(_ type: CType) -> [Word]? {
    guard type.size <= 16 else { return nil }
    var words: [Word?] = Array(repeating: nil, count: max(1, (type.size + 7) / 8))
    guard collect(type, at: 0, &words) else { return nil }
    // A word that is only padding is passed as a floating-point one with nothing in it; there is none in C without
    // zero-sized members.
    return words.map { $0 ?? .float }
  }

  /// Notes what the words of a type hold; false if it has to be passed in memory.
  private static func collect(_ type: CType, at offset: Int, _ words: inout [Word?]) -> Bool {
    guard offset % type.alignment == 0 else { return false }
    switch type {
    case .longDouble: return false
    case .float, .double:
      if words[offset / 8] == nil { words[offset / 8] = .float }
      return true
    case .complex(let real):
      return collect(real.type, at: offset, &words) && collect(real.type, at: offset + real.type.size, &words)
    case .record(let record):
      // The alignment of a packed record is 1, and that of its members decides.
      return record.members.allSatisfy { collect($0.type, at: offset + $0.offset, &words) }
    case .array(let element, let count):
      return (0..<count).allSatisfy { collect(element, at: offset + $0 * element.size, &words) }
    default:
      words[offset / 8] = .integer
      return true
    }
  }

  /// What the words of a union or struct of at most 16 bytes hold, for libffi, which knows no unions: true for floating point.
  /// Nil if it is passed in memory.
  static func floatWords(_ type: CType) -> [Bool]? { words(type)?.map { $0 == .float } }
}

extension CType {
  /// Whether there is a `long double` in it.
  var holdsLongDouble: Bool {
    switch self {
    case .longDouble: true
    case .complex(let real): real == .longDouble
    case .array(let element, _): element.holdsLongDouble
    case .record(let record): record.members.contains { $0.type.holdsLongDouble }
    default: false
    }
  }

  /// Whether a member lies where its alignment would not put it, as in a packed struct.
  var hasMisplacedMember: Bool { misplaced(at: 0) }

  private func misplaced(at offset: Int) -> Bool {
    switch self {
    case .record(let record): record.members.contains { $0.type.misplaced(at: offset + $0.offset) }
    case .array(let element, let count):
      // The second element shows what the others do, too.
      element.misplaced(at: offset) || count > 1 && element.misplaced(at: offset + element.size)
    default: offset % alignment != 0
    }
  }

  /// The type that an argument behind `...` is passed as: small integers as `int`, `float` as `double` (C11, section 6.5.2.2).
  var promoted: CType {
    switch self {
    case .float: .double
    case .bool: .integer(.int)
    case .integer(let integer) where integer.width < 32: .integer(.int)
    case .enumeration(let enumeration): CType.integer(enumeration.underlying).promoted
    default: self
    }
  }
}

extension CType.Integer {
  /// `int`.
  static var int: CType.Integer {
    guard let int = keywords.first(where: { $0.name == "int" }) else { preconditionFailure("C has int") }
    return int
  }
}
