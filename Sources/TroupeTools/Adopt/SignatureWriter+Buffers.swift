/// Infers from the names of parameters which pointers are buffers with a length, and which are outputs.
extension SignatureWriter {
  /// Returns the texts of parameters that are probably buffers with a length, or outputs, by their indices.
  ///
  /// - A pointer to elements, directly in front of an integer whose name is that of a length, is a buffer: `const void *data, size_t size`.
  /// - A pointer to bytes in front of a size and a count is a buffer of their product, as of `fread`.
  /// - A pointer to bytes in front of a pointer to an integer with its name, such as `dest` and `destLen`, is an output that has at most
  ///   this length, and stores it.
  /// - A pointer to a handle is an output.
  ///
  /// A function that allocates or releases gets none, since its pointers have to be those of the library.
  mutating func guesses(_ parameters: [Parameter], of function: String) -> [Int: String] {
    let function = function.lowercased()
    guard !Self.memoryWords.contains(where: { function.contains($0) }) else { return [:] }
    var texts: [Int: String] = [:]
    for (index, parameter) in parameters.enumerated() {
      guard let name = parameter.name, let pointee = parameter.type.pointee else { continue }
      let followers = Array(parameters[(index + 1)...].prefix(2))
      if case .pointer(let object, _, _) = pointee, isHandle(object) {
        let isArray = followers.first.map { LengthParameter($0) != nil } ?? false
        if !pointee.isConstant, !isArray { texts[index] = output(object, name) }
        continue
      }
      // The length of two pointers of one type can be that of both, or a limit.
      if index > 0, parameters[index - 1].type == parameter.type { continue }
      guard let next = followers.first else { continue }
      if let length = LengthParameter(next) {
        guard let extent = extent(of: parameter, length, followers), let element = element(pointee) else { continue }
        let isOutput = !pointee.isConstant && Self.isOutput(name)
        texts[index] = (isOutput ? "out " : "") + Self.join(element, "\(name)[\(extent)]")
      } else if Self.isBytes(pointee), !pointee.isConstant, let integer = next.type.pointee, !integer.isConstant,
        let length = LengthParameter(Parameter(type: integer, name: next.name)), length.stem == LengthParameter.word(name)
      {
        texts[index] = "out " + Self.join(pointee.words ?? "", "\(name)[\(length.name)]")
        texts[index + 1] = "inout " + Self.join(integer.words ?? "", "*" + length.name)
      }
    }
    return texts
  }

  private static let memoryWords = ["alloc", "free", "destroy", "close", "release", "delete", "cleanup", "unref", "clear"]

  private mutating func output(_ object: HeaderType, _ name: String) -> String {
    declare(handle: object.words ?? "")
    return "out \(object.isConstant ? "const " : "")\(object.words ?? "") **\(name)"
  }

  /// The type of an element; nil for one of unknown size.
  private mutating func element(_ pointee: HeaderType) -> String? {
    switch pointee {
    case .base(let words, let isConstant):
      if Self.isRecord(words), isHandle(pointee) || (try? define(words)) == nil { return nil }
      if words.hasPrefix("enum ") || !Self.isRecord(words) && !Self.isKnown(words) { return nil }
      return (isConstant ? "const " : "") + words
    case .pointer(.base("char", isConstant: true), isConstant: true, _): return "const char *const"
    case .pointer, .array, .function: return nil
    }
  }

  /// The number of elements of a buffer in front of a length; nil if the length can be one of something else.
  private func extent(of buffer: Parameter, _ length: LengthParameter, _ followers: [Parameter]) -> String? {
    guard let pointee = buffer.type.pointee else { return nil }
    let isBytes = Self.isBytes(pointee)
    if followers.count > 1, let second = LengthParameter(followers[1]) {
      let isProduct = length.isCount && second.isSize || length.isSize && second.isCount
      return isProduct && isBytes ? "\(length.name) * \(second.name)" : nil
    }
    let name = LengthParameter.word(buffer.name ?? "")
    let hasName = !length.stem.isEmpty && (name.hasPrefix(length.stem) || length.stem.hasPrefix(name))
    // A pointer to one result of several bytes can stand in front of the size of something else.
    let isUsual = isBytes || pointee.isConstant || length.isCount
    guard hasName || isUsual && LengthParameter.usualStems.contains(length.stem) else { return nil }
    return !isBytes && length.isInBytes ? length.name + " bytes" : length.name
  }

  private static func isBytes(_ pointee: HeaderType) -> Bool {
    ["void", "char", "signed char", "unsigned char", "int8_t", "uint8_t"].contains(pointee.words)
  }

  private static func isOutput(_ name: String) -> Bool {
    let name = name.lowercased()
    return ["dest", "dst", "output"].contains { name.hasPrefix($0) } || name == "out" || name.hasSuffix("_out")
  }
}

/// An integer parameter that by its name is a length.
private struct LengthParameter {
  let name: String
  /// The name without the word for a length, in lower case and without underscores: `source` of `sourceLen`.
  let stem: String
  let isCount: Bool
  var isSize: Bool { name.lowercased().contains("size") }
  var isInBytes: Bool { name.lowercased().contains("byte") }

  /// The stems that lengths of any buffer have.
  static let usualStems: Set<String> = ["", "n", "max", "buf", "data"]
  private static let counts: Set<String> = ["n", "num", "cnt", "nmemb", "nitems", "count"]

  /// Returns nil for another parameter.
  init?(_ parameter: SignatureWriter.Parameter) {
    guard let name = parameter.name, let words = parameter.type.words, SignatureWriter.isInteger(words),
      !["result", "bytes"].contains(name)
    else { return nil }
    self.name = name
    let word = Self.word(name)
    if Self.counts.contains(word) {
      (stem, isCount) = ("", true)
    } else if let suffix = ["length", "len", "size", "count", "bytes", "byte", "cnt"].first(where: word.hasSuffix),
      word != "byte"
    {
      (stem, isCount) = (String(word.dropLast(suffix.count)), ["count", "cnt"].contains(suffix))
    } else if let prefix = ["num", "n"].first(where: { name.hasPrefix($0 + "_") }) {
      (stem, isCount) = (String(word.dropFirst(prefix.count)), true)
    } else {
      return nil
    }
  }

  static func word(_ name: String) -> String { name.lowercased().filter { $0 != "_" } }
}
