/// The keywords of an integer type, which may be in any order: C reads `long unsigned int` and
/// `unsigned long` alike.
struct IntegerSpelling {
  /// A keyword that takes part in spelling an integer type.
  enum Keyword: String {
    case signed, unsigned, char, short, int, long
  }

  /// The keywords so far; a set of keywords with their numbers would allow types that C does not have.
  private var sign: Keyword?
  private var size: Keyword?
  private var isLongLong = false
  private var hasInt = false

  /// Whether no keyword has been taken.
  var isEmpty: Bool { sign == nil && size == nil && !hasInt }

  /// Whether the type is plain `char`, the one that C strings are made of.
  var isPlainChar: Bool { sign == nil && size == .char }

  /// Whether it is the one word `long`, behind which `double` makes another type.
  var isLong: Bool { sign == nil && size == .long && !isLongLong && !hasInt }

  /// Whether `int` may follow the words, as after `unsigned` and `long`.
  var isOpen: Bool { !isEmpty && !hasInt && size != .char }

  /// Takes one more keyword. False, and nothing changes, if C has no type that is spelled like this.
  mutating func take(_ keyword: Keyword) -> Bool {
    switch keyword {
    case .signed, .unsigned:
      guard sign == nil else { return false }
      sign = keyword
    case .int:
      guard !hasInt, size != .char else { return false }
      hasInt = true
    case .char:
      guard size == nil, !hasInt else { return false }
      size = .char
    case .short:
      guard size == nil else { return false }
      size = .short
    case .long:
      guard size == nil || size == .long && !isLongLong else { return false }
      isLongLong = size == .long
      size = .long
    }
    return true
  }

  /// The canonical name; that of `int` if nothing was taken.
  var name: String {
    let base = isLongLong ? "long long" : (size ?? .int).rawValue
    return switch sign {
    case .unsigned: "unsigned " + base
    case .signed where size == .char: "signed char"
    default: base
    }
  }

  /// The type that is spelled, or nil if nothing was taken.
  var type: CType? {
    isEmpty ? nil : CType.Integer.keywords.first { $0.name == name }.map(CType.integer)
  }
}
