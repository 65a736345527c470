/// Infers from the names and types of parameters which pointers are buffers with a length, and which are outputs.
///
///     compress(dst, dstCapacity, src, srcSize)      names in pairs
///     write(file, buf, len)                         a length without a name of its own, beside the only pointer that needs one
///     put(name, size, value)                        a text ends at its zero, so the size is that of value
///     compare(a, b, size)                           two pointers need the size: no guess
///
/// A wrong guess lets C read or write behind a buffer. A missing one only makes a call less convenient. So a guess needs evidence, and of
/// two rules that contradict each other none applies. `BufferGuessTests` measures the share of right guesses for whole libraries.
extension SignatureWriter {
  /// Returns the texts of parameters that are probably buffers with a length, or outputs, by their indices.
  ///
  /// A function that allocates or releases gets none, since its pointers have to be those of the library.
  mutating func guesses(_ parameters: [Parameter], of function: String) -> [Int: String] {
    let words = NameWords.of(function)
    let function = function.lowercased()
    guard !Self.memoryWords.contains(where: { function.contains($0) }) else { return [:] }
    let isMaker = words.contains { word in Self.makingWords.contains { word.hasPrefix($0) } }
    var texts: [Int: String] = [:]
    let guess = BufferGuess(parameters.map { candidate($0) })
    for (index, parameter) in parameters.enumerated() {
      guard let name = parameter.name, let pointee = parameter.type.pointee, case .pointer(let object, _, _) = pointee,
        isHandle(object), !pointee.isConstant, !guess.isCounted(index), isMaker || Self.isResult(name)
      else { continue }
      declare(handle: object.words ?? "")
      texts[index] = "out \(object.isConstant ? "const " : "")\(object.words ?? "") **\(name)"
    }
    let names = BufferGuess.completed(parameters.map(\.name), for: guess.pairs)
    for pair in guess.pairs {
      let (name, length) = (names[pair.buffer] ?? "", names[pair.length] ?? "")
      guard let pointee = parameters[pair.buffer].type.pointee, let element = element(pointee) else { continue }
      var extent = length
      if let factor = pair.factor { extent += " * \(names[factor] ?? "")" }
      if pair.isInBytes { extent += " bytes" }
      let isOutput = pair.isStored || !pointee.isConstant && Self.isOutput(name)
      texts[pair.buffer] = (isOutput ? "out " : "") + Self.join(element, "\(name)[\(extent)]")
      let type = parameters[pair.length].type
      if pair.isStored {
        texts[pair.length] = "inout " + Self.join(type.pointee?.words ?? "", "*" + length)
      } else if parameters[pair.length].name == nil {
        texts[pair.length] = Self.join(type.words ?? "", length)
      }
    }
    return texts
  }

  private static let memoryWords = ["alloc", "free", "destroy", "close", "release", "delete", "cleanup", "unref", "clear"]

  /// The beginnings of words for a function that stores a reference. Others, such as `asn1_der_decoding(asn1_node *element, …)`, read it.
  private static let makingWords = [
    "clone", "compile", "connect", "copy", "create", "dup", "find", "first", "from", "get", "init", "load", "lookup", "make",
    "new", "next",
    "open", "parse", "prepare",
  ]

  /// True for a pointer that by its name is a result, such as `ppDb` and `out`.
  private static func isResult(_ name: String) -> Bool {
    NameWords.of(name).contains { ["new", "out", "pp", "res", "result", "ret"].contains($0) }
  }

  private func candidate(_ parameter: Parameter) -> BufferGuess.Candidate {
    BufferGuess.Candidate(
      name: parameter.name, pointer: parameter.isOpaque ? nil : kind(parameter.type),
      isConstant: parameter.type.pointee?.isConstant ?? false,
      integer: parameter.type.words.flatMap { Self.isInteger($0) ? $0 : nil },
      pointsToInteger: parameter.type.pointee.map { !$0.isConstant && Self.isInteger($0.words ?? "") } ?? false)
  }

  /// The kind of elements that a pointer can lead to; nil for other types.
  private func kind(_ type: HeaderType) -> BufferGuess.Elements? {
    switch type.pointee {
    case .base(let words, let isConstant):
      if words == "char", isConstant { return .text }
      if ["void", "char", "signed char", "unsigned char", "int8_t", "uint8_t"].contains(words) { return .bytes }
      if Self.isRecord(words) { return type.pointee.map(isHandle) ?? true ? nil : .records }
      return !words.hasPrefix("enum ") && Self.isKnown(words) ? .numbers : nil
    case .pointer(.base("char", isConstant: true), isConstant: true, _): return .texts
    case .pointer, .array, .function, nil: return nil
    }
  }

  /// The type of an element; nil for one of unknown size.
  mutating func element(_ pointee: HeaderType) -> String? {
    guard case .base(let words, let isConstant) = pointee else { return "const char *const" }
    if Self.isRecord(words), (try? define(words)) == nil { return nil }
    return (isConstant ? "const " : "") + words
  }

  private static func isOutput(_ name: String) -> Bool {
    let name = name.lowercased()
    return ["dest", "dst", "output"].contains { name.hasPrefix($0) } || name == "out" || name.hasSuffix("_out")
  }
}

/// Finds the lengths of the buffers of one function.
struct BufferGuess {
  /// What a pointer leads to. Only a text can have its end within it.
  enum Elements { case bytes, text, numbers, records, texts }

  /// What is known about a parameter.
  struct Candidate {
    let name: String?
    /// Nil for a parameter that cannot be a buffer.
    let pointer: Elements?
    let isConstant: Bool
    /// The integer type of a parameter that can be a length.
    let integer: String?
    let pointsToInteger: Bool
  }

  /// A buffer and its length, as indices of parameters.
  struct Pair: Equatable {
    let buffer: Int
    let length: Int
    /// The number of elements is the product of `length` and this parameter.
    var factor: Int?
    /// The function stores the length that it has used: `uLongf *destLen`.
    var isStored = false
    var isInBytes = false
  }

  private(set) var pairs: [Pair] = []
  private let parameters: [Candidate]
  private let lengths: [LengthName?]
  private let names: [BufferName?]

  init(_ parameters: [Candidate]) {
    self.parameters = parameters
    let buffers = parameters.map { $0.pointer == nil ? nil : BufferName($0.name) }
    let words = Set(parameters.compactMap { BufferName($0.name)?.text })
    names = buffers
    lengths = parameters.map { parameter in
      parameter.name.flatMap { parameter.integer == nil ? nil : LengthName($0, buffers: words) }
    }
    addProducts()
    addNamedPairs()
    addStoredLengths()
    for index in parameters.indices where lengths[index]?.isPlain ?? false { addPlainLength(index) }
    for index in parameters.indices { addForeignLength(index) }
    for index in parameters.indices { addUnnamedLength(index) }
    pairs.sort { $0.buffer < $1.buffer }
  }

  /// True for a pointer directly in front of a length, or behind one of no other pointer. It is an array and no output.
  func isCounted(_ index: Int) -> Bool {
    index + 1 < lengths.count && lengths[index + 1] != nil || index > 0 && lengths[index - 1] != nil && !isPaired(index - 1)
  }

  private func isPaired(_ index: Int) -> Bool { pairs.contains { [$0.buffer, $0.length, $0.factor].contains(index) } }

  /// The elements of a pointer that has no length yet, and by its name is no position in another buffer, such as `size_t *out_pos`, and no
  /// length, such as `int *outlength`.
  private func freeElements(_ index: Int) -> Elements? {
    guard parameters.indices.contains(index), !isPaired(index), names[index]?.isPosition != true,
      !parameters[index].pointsToInteger || parameters[index].name.flatMap({ LengthName($0, buffers: []) }) == nil
    else { return nil }
    return parameters[index].pointer
  }

  /// True for a parameter that by its name or type can be the length of the pointer in front of it.
  private func isLength(_ index: Int) -> Bool {
    guard parameters.indices.contains(index) else { return false }
    return lengths[index] != nil
      || parameters[index].name == nil && (parameters[index].integer == "size_t" || parameters[index].pointsToInteger)
  }

  /// True for a pointer in front of a length that has its name, or no name of its own.
  private func hasOwnLength(_ index: Int) -> Bool {
    guard isLength(index + 1) else { return false }
    return lengths[index + 1].map { $0.isPlain || names[index]?.score($0) ?? 0 > 0 } ?? true
  }

  // MARK: Rules

  /// A pointer to bytes in front of a size and a count, as of `fread`.
  private mutating func addProducts() {
    for index in parameters.indices.dropLast(2) where parameters[index].pointer == .bytes {
      guard let first = lengths[index + 1], let second = lengths[index + 2], first.stem.isEmpty, second.stem.isEmpty,
        first.unit == .size && second.unit == .count || first.unit == .count && second.unit == .size,
        // Two pointers share them: the key and the array of `bsearch`.
        index == 0 || parameters[index - 1].pointer != .bytes
      else { continue }
      pairs.append(Pair(buffer: index, length: index + 1, factor: index + 2))
    }
  }

  /// Lengths that have the name of a buffer. One that fits two buffers equally well, and a buffer with two such lengths, get no guess.
  private mutating func addNamedPairs() {
    var found: [Int: [(length: Int, score: Int)]] = [:]
    for (index, length) in lengths.enumerated() {
      guard let length, !length.stem.isEmpty, !isPaired(index) else { continue }
      let scores = parameters.indices.map { isPaired($0) ? 0 : names[$0]?.score(length) ?? 0 }
      guard let best = scores.max(), best > 0, scores.count(where: { $0 == best }) == 1 else { continue }
      found[scores.firstIndex(of: best) ?? 0, default: []].append((index, best))
    }
    for (buffer, lengths) in found {
      guard let best = lengths.map(\.score).max(), lengths.count(where: { $0.score == best }) == 1,
        let length = lengths.first(where: { $0.score == best })?.length
      else { continue }
      add(buffer, length)
    }
  }

  /// A pointer to bytes in front of a pointer to an integer with its name: `dest`, `destLen`. The function stores how many it has written.
  private mutating func addStoredLengths() {
    for index in parameters.indices.dropLast() where freeElements(index) == .bytes && !parameters[index].isConstant {
      guard parameters[index + 1].pointsToInteger, let name = parameters[index].name,
        let length = parameters[index + 1].name.flatMap({ LengthName($0, buffers: []) }),
        length.unit == .size, length.words == NameWords.of(name)
      else { continue }
      pairs.append(Pair(buffer: index, length: index + 1, isStored: true))
    }
  }

  /// A length without a name of its own. It is that of the only pointer around it that needs one.
  private mutating func addPlainLength(_ index: Int) {
    guard !isPaired(index), let length = lengths[index] else { return }
    var around = [index - 1].filter { freeElements($0) != nil }
    // Two pointers in front can share the length, or have it as a limit.
    if !around.isEmpty, freeElements(index - 2) != nil { around.append(index - 2) }
    if freeElements(index + 1) != nil, !hasOwnLength(index + 1) {
      around.append(index + 1)
      // Two arrays of numbers behind share it.
      if [freeElements(index + 1), freeElements(index + 2)] == [.numbers, .numbers], !hasOwnLength(index + 2) {
        around.append(index + 2)
      }
    }
    around = around.filter { parameters[$0].pointer != .records || names[$0]?.isPlural ?? false && length.unit == .count }
    let needy = around.filter { parameters[$0].pointer != .text }
    guard let buffer = (needy.isEmpty ? around : needy).first, (needy.isEmpty ? around : needy).count == 1, buffer >= index - 1
    else { return }
    let (isConstant, isSure) = (parameters[buffer].isConstant, !length.isLetter || parameters[index].integer == "size_t")
    let isLikely =
      switch (parameters[buffer].pointer, isBehind: buffer > index) {
      // An integer called n behind a text, or in front of a pointer, is often an index.
      case (.text, false): isSure
      case (.bytes, true): isSure
      // A pointer to one number can stand in front of the size of something else, or is an output.
      case (.numbers, false): isConstant || length.unit == .count
      case (.numbers, true): isSure && (isConstant || !parameters[buffer].pointsToInteger)
      case (_, let isBehind): !isBehind
      }
    if isLikely { add(buffer, index) }
  }

  /// A size with a name that no parameter has, directly behind constant bytes: `src`, `compressedSize`. It is rather that of a pointer behind
  /// it, if there is one: `nonce`, `alength`, `adata`.
  private mutating func addForeignLength(_ index: Int) {
    guard let length = lengths[index], !length.isPlain, length.unit == .size, !isPaired(index), !isLength(index + 1),
      parameters[index].integer == "size_t", freeElements(index - 1) == .bytes, parameters[index - 1].isConstant,
      freeElements(index + 1) == nil || hasOwnLength(index + 1),
      !names.contains(where: { $0?.score(length) ?? 0 > 0 })
    else { return }
    add(index - 1, index)
  }

  /// A `size_t` without a name, directly behind the only pointer to bytes in front of it.
  private mutating func addUnnamedLength(_ index: Int) {
    guard parameters[index].name == nil, parameters[index].integer == "size_t", !isPaired(index),
      freeElements(index - 1) == .bytes, freeElements(index - 2) != .bytes,
      index + 1 == parameters.count || parameters[index + 1].integer != "size_t"
    else { return }
    add(index - 1, index)
  }

  private mutating func add(_ buffer: Int, _ length: Int) {
    let unit = lengths[length]?.unit ?? .size
    switch parameters[buffer].pointer {
    // The size of structs is in bytes, as of `struct sockaddr`.
    case .records: if unit == .count { pairs.append(Pair(buffer: buffer, length: length)) }
    case .numbers, .texts: pairs.append(Pair(buffer: buffer, length: length, isInBytes: unit == .bytes))
    default: pairs.append(Pair(buffer: buffer, length: length))
    }
  }

  // MARK: Names

  /// Gives names to buffers and lengths without one.
  static func completed(_ names: [String?], for pairs: [Pair]) -> [String?] {
    var names = names
    func complete(_ index: Int, _ name: String) {
      guard names[index] == nil else { return }
      let candidates = [name] + (2...).prefix(names.count).map { "\(name)\($0)" }
      names[index] = candidates.first { !names.contains($0) }
    }
    for pair in pairs {
      complete(pair.buffer, "buffer")
      complete(pair.length, "size")
    }
    return names
  }
}

/// The words of names.
private enum NameWords {
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

  /// Returns one spelling for those that libraries use.
  static func normalized(_ words: [String]) -> [String] {
    words.map { spellings[$0] ?? $0 }
  }

  private static let spellings = [
    "dest": "dst", "destination": "dst", "source": "src", "input": "in", "output": "out", "buffer": "buf", "dictionary": "dict",
  ]
}

/// The name of a pointer.
private struct BufferName {
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
private struct LengthName {
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
