/// The words of names.
enum NameWords {
  /// Returns the words of a name in lower case: [dst, capacity] for `dstCapacity` and `dst_capacity`.
  static func of(_ name: String) -> [String] {
    var words: [String] = []
    var previous: Character = "_"
    for character in name {
      if character == "_" || words.isEmpty || previous == "_" || character.isUppercase && !previous.isUppercase {
        words.append("")
      }
      if character != "_" { words[words.count - 1] += character.lowercased() }
      previous = character
    }
    return words.filter { !$0.isEmpty }
  }

  /// Replaces words by the abbreviations that the rules have, such as `buffer` by `buf`.
  static func normalized(_ words: [String]) -> [String] {
    words.map { spellings[$0] ?? $0 }
  }

  private static let spellings = [
    "dest": "dst", "destination": "dst", "source": "src", "input": "in", "output": "out", "buffer": "buf", "dictionary": "dict",
  ]
}

/// The name of a pointer.
struct BufferName {
  let words: [String]
  let text: String
  let isPosition: Bool
  let isPlural: Bool

  init?(_ name: String?) {
    guard let name else { return nil }
    var words = NameWords.of(name)
    // SQLite and others begin names with their kinds: zSql, pData, azParam.
    if words.count > 1, ["a", "az", "p", "pp", "pz", "z"].contains(words[0]) { words.removeFirst() }
    isPosition = words.last.map { ["cursor", "idx", "index", "offset", "pos", "position"].contains($0) } ?? false
    isPlural = words.last.map { $0.hasSuffix("s") } ?? false
    text = words.joined()
    self.words = NameWords.normalized(words)
  }

  /// Returns how well a length fits: 3 for the same name, 2 for one without a word such as `buf`, 1 for another word for the same side, and
  /// 0 for another name.
  func score(_ length: LengthName) -> Int {
    guard !length.stem.isEmpty else { return 0 }
    if Self.singular(words.joined()) == Self.singular(length.stem.joined()) { return 3 }
    let (own, other) = (Self.trimmed(words), Self.trimmed(length.stem))
    if own == other { return 2 }
    return own.count == 1 && other.count == 1 && Self.side(own[0]) == Self.side(other[0]) ? 1 : 0
  }

  private static func singular(_ text: String) -> Substring { text.hasSuffix("s") ? text.dropLast() : text[...] }

  private static func trimmed(_ words: [String]) -> [String] {
    Array(words.reversed().drop { ["buf", "data", "p", "ptr", "start"].contains($0) }.reversed())
  }

  private static func side(_ word: String) -> String { word == "in" ? "src" : word == "out" ? "dst" : word }
}

/// The name of an integer that can be a length.
struct LengthName {
  enum Unit { case size, count, bytes }

  /// The words without that for a length: [src] for `srcSize`, as they are written.
  let words: [String]
  /// The same in one spelling, and without words such as `max`.
  let stem: [String]
  let unit: Unit
  /// The name is a single letter.
  let isLetter: Bool
  /// The length has no name of its own, such as `len` and `buf_size`.
  var isPlain: Bool { stem.isEmpty || [["buf"], ["data"]].contains(stem) }

  /// Returns nil for another name.
  ///
  /// - Parameter buffers: The names of pointers, for names such as `nfds`.
  init?(_ name: String, buffers: Set<String>) {
    // These are no names in a length.
    guard !["result", "bytes"].contains(name) else { return nil }
    var words = NameWords.of(name)
    guard let last = words.last else { return nil }
    isLetter = words == ["n"]
    if Self.counts.contains(last) {
      words.removeLast()
      unit = .count
    } else if let suffix = Self.suffixes.first(where: { last.hasSuffix($0.text) && last != "byte" }) {
      words.removeLast()
      if last != suffix.text { words.append(String(last.dropLast(suffix.text.count))) }
      unit = suffix.unit
    } else if words.count > 1, ["n", "num"].contains(words[0]) {
      words.removeFirst()
      unit = words == ["byte"] ? .bytes : .count
      if words == ["byte"] { words = [] }
    } else if words.count == 1, last.hasPrefix("n"), buffers.contains(String(last.dropFirst())) {
      words = [String(last.dropFirst())]
      unit = .count
    } else {
      return nil
    }
    self.words = words
    stem = NameWords.normalized(words.filter { !["max", "maximum", "n", "num", "target", "total"].contains($0) })
  }

  private static let counts: Set<String> = ["n", "num", "cnt", "count", "nel", "nelem", "nelems", "nitems", "nmemb"]
  private static let suffixes: [(text: String, unit: Unit)] = [
    ("length", .size), ("len", .size), ("size", .size), ("capacity", .size), ("count", .count), ("cnt", .count),
    ("bytes", .bytes), ("byte", .bytes),
  ]
}
