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
