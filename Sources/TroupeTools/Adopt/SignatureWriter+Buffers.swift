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
