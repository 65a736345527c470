internal import TroupeSignature

/// Declarations: a type and a name, as C spells them. The types have no typedefs.
extension SignatureWriter {
  /// Where a type stands in a signature.
  enum Position {
    case result, parameter, member
    /// A parameter or the result of a callback.
    case callback
  }

  /// True if a word can name a parameter or a member.
  static func isName(_ word: String) -> Bool {
    guard let first = word.utf8.first, !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else { return false }
    let isWord = word.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
        UInt8(ascii: "_"):
        true
      default: false
      }
    }
    return isWord && !Signature.reservedWords.contains(word)
  }

  func isHandle(_ type: HeaderType) -> Bool { type.words.map { handles.contains($0, header) } ?? false }

  /// Returns the declaration of a name with a type without typedefs. Throws `InexpressibleError`.
  mutating func declaration(_ type: HeaderType, _ name: String, _ position: Position) throws(InexpressibleError) -> String {
    switch type {
    case .base(let words, let isConstant):
      return Self.join((isConstant ? "const " : "") + (try value(words)), name)
    case .pointer(let pointee, let isConstant, let isNonnull):
      let nonnull = isNonnull && (position == .parameter || position == .member) ? "_Nonnull" : ""
      if case .function(let result, let parameters) = pointee {
        return (try? callback(result, parameters, Self.join(nonnull, name))) ?? Self.join("void *" + nonnull, name)
      }
      let qualifiers = nonnull.isEmpty && isConstant && position == .member ? "const" : nonnull
      return Self.join(pointer(pointee, position) + qualifiers, name)
    case .array(let element, let count?) where count > 0 && position == .member:
      return try declaration(element, name + "[\(count)]", position)
    case .array: throw InexpressibleError("an array without a length")
    case .function: throw InexpressibleError("a function that is no pointer")
    }
  }

  static func join(_ type: String, _ name: String) -> String {
    name.isEmpty || type.isEmpty || type.hasSuffix("*") || name.hasPrefix("[") ? type + name : "\(type) \(name)"
  }

  /// The words of a type that is passed by value, which are defined in front of the result.
  private mutating func value(_ words: String) throws(InexpressibleError) -> String {
    if words.hasSuffix(HeaderTypeParser.anonymous) { return try anonymousDefinition() }
    if words.hasPrefix("enum ") {
      guard detail != .words else { return try integer(ofEnumeration: words) }
      do throws(InexpressibleError) {
        try define(words)
      } catch {
        return try integer(ofEnumeration: words)
      }
    } else if Self.isRecord(words) {
      try define(words)
    }
    return words
  }

  static func isRecord(_ words: String) -> Bool { words.hasPrefix("struct ") || words.hasPrefix("union ") }

  /// The words and stars of a pointer. The pointee of one that signatures lack is `void`.
  private mutating func pointer(_ pointee: HeaderType, _ position: Position) -> String {
    switch pointee {
    case .base(let words, let isConstant):
      let start = isConstant ? "const " : ""
      if words.hasSuffix(HeaderTypeParser.anonymous) { return start + "void *" }
      if Self.isRecord(words) {
        reference(words)
      } else if !words.hasPrefix("enum "), !Self.isKnown(words) {
        return start + "void *"
      }
      // The call copies the text of a result; neither C nor this signature says which side frees it.
      return (words == "char" && position == .result ? "const " : start) + words + " *"
    case .pointer(let inner, let isConstant, _):
      guard Self.isSpelled(inner) else { return "void *" }
      return pointer(inner, .member) + (isConstant ? "const *" : "*")
    // The address of an array is that of its first element, and only elements have a spelling without parentheses.
    case .array(let element, _): return pointer(element, position)
    case .function: return "void *"
    }
  }

  /// True if a pointee of a pointer to pointers contains no function or array.
  private static func isSpelled(_ type: HeaderType) -> Bool {
    switch type {
    case .base(let words, _): isKnown(words) || isRecord(words) && !words.hasSuffix(HeaderTypeParser.anonymous)
    case .pointer(let pointee, _, _): isSpelled(pointee)
    case .array, .function: false
    }
  }

  /// True if a signature can contain the name of a scalar type.
  static func isKnown(_ words: String) -> Bool { words == "void" || (try? Signature(parsing: "void (\(words))")) != nil }

  // MARK: Callbacks

  /// Returns the declaration of a pointer to a function. Throws `InexpressibleError` for one that no program can pass.
  private mutating func callback(
    _ result: HeaderType, _ list: HeaderType.FunctionParameters, _ name: String
  ) throws(InexpressibleError) -> String {
    // There are no arrays of callbacks.
    guard detail != .words, !list.isVariadic, !list.isUnknown, !name.contains("[") else {
      throw InexpressibleError("a callback")
    }
    var texts: [String] = []
    for (index, type) in list.types.enumerated() {
      let next = index + 1 < list.types.count ? list.types[index + 1].words : nil
      if case .pointer(.function, _, _) = type {
        texts.append("void *")
      } else if let pointee = type.pointee, Self.isText(pointee), next.map(Self.isInteger) ?? false {
        // Probably not terminated by a zero, so that it must not be read as text.
        texts.append("const void *")
      } else {
        texts.append(try declaration(type, "", .callback))
      }
    }
    if case .pointer(.function, _, _) = result { throw InexpressibleError("a callback that returns a function") }
    return try declaration(result, "(*\(name))(\(texts.isEmpty ? "void" : texts.joined(separator: ", ")))", .callback)
  }

  private static func isText(_ pointee: HeaderType) -> Bool {
    pointee.isConstant && ["char", "wchar_t", "char16_t", "char32_t"].contains(pointee.words)
  }

  /// True for integer types that can be a length.
  static func isInteger(_ words: String) -> Bool {
    [
      "int", "unsigned int", "long", "unsigned long", "long long", "unsigned long long", "short", "unsigned short", "size_t",
      "ssize_t", "int32_t", "uint32_t", "int64_t", "uint64_t", "ptrdiff_t",
    ].contains(words)
  }
}
