/// How a type of at most 16 bytes is passed on x86-64, and a scalar on AArch64.
///
/// Source: System V Application Binary Interface, AMD64 Architecture Processor Supplement, section 3.2.3.
extension CType {
  /// The class of a word of eight bytes. A type without words is in memory.
  enum Word {
    case integer, float
    /// The two words of a `long double`: an x87 register as a result, memory as an argument.
    case x87, x87Upper

    /// The class of a word that holds parts of two classes, as in a union; nil if that is in memory.
    func merged(with other: Word) -> Word? {
      if self == other { return self }
      if self == .integer || other == .integer { return .integer }
      return nil
    }
  }

  /// The classes of the words of a result; nil if the result is in memory.
  var words: [Word]? {
    guard size <= 16 else { return nil }
    var words: [Word?] = Array(repeating: nil, count: (size + 7) / 8)
    guard classify(at: 0, &words) else { return nil }
    // No type has a word that is only padding, since C has no members without size here.
    return words.map { $0 ?? .float }
  }

  /// The classes of the words of an argument; nil if the argument is in memory.
  var argumentWords: [Word]? {
    guard let words, !words.contains(.x87), !words.contains(.x87Upper) else { return nil }
    return words
  }

  /// Merges the classes of the type's parts into those of the words; false if the whole is in memory.
  private func classify(at offset: Int, _ words: inout [Word?]) -> Bool {
    // The alignment of a packed record is 1, and its members decide.
    guard offset % alignment == 0 else { return false }
    switch self {
    case .longDouble: return Self.merge(.x87, &words[offset / 8]) && Self.merge(.x87Upper, &words[offset / 8 + 1])
    case .float, .double: return Self.merge(.float, &words[offset / 8])
    case .complex(let real):
      return real.type.classify(at: offset, &words) && real.type.classify(at: offset + real.type.size, &words)
    case .record(let record):
      // Each record is classified by itself first: a union of a long double and an int is in memory, also as a member of a union
      // whose other members would make integers of its words.
      var own = [Word?](repeating: nil, count: words.count)
      guard record.members.allSatisfy({ $0.type.classify(at: offset + $0.offset, &own) }) else { return false }
      if own.last == .x87Upper, own.first != .x87 { return false }
      return own.indices.allSatisfy { index in own[index].map { Self.merge($0, &words[index]) } ?? true }
    case .array(let element, let count):
      return (0..<count).allSatisfy { element.classify(at: offset + $0 * element.size, &words) }
    case .flexible: return true
    default: return Self.merge(.integer, &words[offset / 8])
    }
  }

  /// Merges a class into that of a word; false if the whole is in memory.
  private static func merge(_ new: Word, _ word: inout Word?) -> Bool {
    guard let old = word else {
      word = new
      return true
    }
    word = old.merged(with: new)
    return word != nil
  }
}
