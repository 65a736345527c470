internal import TroupeBase

/// The errors of values, buffers and results. `shown` is a value as a message shows it.
extension CallError {
  // MARK: Values that do not fit a C type

  static func wrongType(_ shown: String, _ type: CType) -> CallError {
    CallError(.argumentType, "expected \(type.shortDescription), got \(shown)", remedy: "give \(type.expectedArgument)")
  }

  /// A call allocates no memory for such a value.
  static func notNull(_ shown: String, _ pointer: CType.Pointer) -> CallError {
    CallError(.argumentType, "expected \(pointer.spelling), got \(shown)", remedy: "give \(pointer.expectedArgument)")
  }

  /// The declaration of a pointer rules out NULL.
  static func null(_ type: CType) -> CallError {
    CallError(
      .argumentType, "expected \(type.shortDescription) that is not null, got null", remedy: "give \(type.expectedObject)")
  }

  static func outOfRange(_ shown: String, _ type: CType) -> CallError {
    CallError(.argumentRange, "\(type.shortDescription) cannot hold \(shown)", remedy: "give \(type.expectedArgument)")
  }

  /// A finite number would become infinite.
  static func overflow(_ shown: String, _ type: CType) -> CallError {
    let greatest =
      switch type {
      case .float: Float.greatestFiniteMagnitude.description
      case .double: Double.greatestFiniteMagnitude.description
      default: LongDouble.Number.greatestFiniteMagnitude.description
      }
    return CallError(.argumentRange, "\(type) cannot hold \(shown)", remedy: "give a number from -\(greatest) to \(greatest)")
  }

  static func inexact(_ shown: String, _ type: CType, nearest: String) -> CallError {
    CallError(.argumentRange, "\(type) cannot hold \(shown) exactly", remedy: "give the nearest that it holds, \(nearest)")
  }

  static func embeddedNUL(_ shown: String) -> CallError {
    CallError(.argumentRange, "\(shown) contains a NUL, which would end it early", remedy: "give text without a NUL")
  }

  static func wrongElementCount(_ count: Int, _ type: CType) -> CallError {
    CallError(
      .argumentType, "\(count) element\(count == 1 ? "" : "s") given for \(type.shortDescription)",
      remedy: "give \(type.expectedArgument)")
  }

  static func unknownMember(_ name: String, _ type: CType) -> CallError {
    CallError(.argumentType, "\(type.shortDescription) has no member \(name.quoted())", remedy: "give \(type.expectedArgument)")
  }

  /// A path names no member.
  static func noMember(_ path: String, of subject: String, among names: [String]) -> CallError {
    let name = String(path.prefix { $0 != "." && $0 != "[" })
    return CallError(
      .argumentType, "\(subject) has no member \(path.quoted())",
      remedy: nearestName(to: name, in: names).map { "did you mean \($0.quoted())?" }
        ?? "its members are \(knownNames(names, for: name))")
  }

  static func repeatedMember(_ name: String, _ type: CType) -> CallError {
    CallError(.argumentType, "the member \(name.quoted()) of \(type.shortDescription) is given twice", remedy: "give it once")
  }

  static func missingMember(_ name: String, _ type: CType) -> CallError {
    CallError(
      .argumentType, "the member \(name.quoted()) of \(type.shortDescription) is missing",
      remedy: "give \(type.expectedArgument)")
  }

  static func conflictingUnionMembers(_ type: CType) -> CallError {
    CallError(
      .argumentType, "the members of \(type.shortDescription) differ in the memory that they share",
      remedy: "give one of them, or all of them with the same bytes")
  }

  static func wrongCallback(_ signature: Signature, _ type: CType) -> CallError {
    CallError(.argumentType, "expected \(type), got a callback of type \(signature)", remedy: "make it with that signature")
  }

  // MARK: Buffers

  static func wrongBuffer(_ shown: String, _ element: CType) -> CallError {
    CallError(
      .argumentType, "expected a buffer of \(element.shortDescription), got \(shown)",
      remedy: element.isByte ? "give bytes, text or an array" : "give an array")
  }

  static func shortBuffer(_ count: Int, needed: Int128, _ type: CType) -> CallError {
    CallError(
      .argumentRange,
      "\(count) element\(count == 1 ? "" : "s") of \(type.shortDescription) given, and the length of the buffer is \(needed)",
      remedy: "give at least as many elements, or leave out the length")
  }

  static func tooManyElements(_ count: Int, _ type: CType) -> CallError {
    CallError(
      .argumentRange, "there is no room for \(count) elements of \(type.shortDescription)",
      remedy: "allocate memory with a larger flexibleCount")
  }

  /// There is no memory for an output.
  static func noRoom(_ count: Int128, _ type: CType) -> CallError {
    CallError(
      .noMemory, "there is no memory for \(count) elements of type \(type)", remedy: "use fewer elements")
  }

  // MARK: Results and outputs, which the function gave back

  static func wrongLength(_ type: CType) -> CallError {
    CallError(
      .resultLength, "the function returned no valid length for elements of type \(type.shortDescription)",
      remedy: "see the documentation of the function")
  }

  static func resultTooLarge(_ count: Int, _ type: CType, limit: Int) -> CallError {
    CallError(
      .resultLength,
      "the function gave back \(count) elements of type \(type.shortDescription), which exceed the limit of \(limit) bytes",
      remedy: "if that is right, raise maximumBufferSize (--max-buffer-size)")
  }

  static func resultExceeds(limit: Int) -> CallError {
    CallError(
      .resultLength, "the texts and elements that the function gave back exceed the limit of \(limit) bytes",
      remedy: "if that is right, raise maximumBufferSize (--max-buffer-size)")
  }

  static func resultIsNotText(_ type: CType) -> CallError {
    CallError(
      .resultText, "the string of type \(type) that the function returned is not valid Unicode",
      remedy: "declare the result as a pointer")
  }

  static var resultIsNotUTF8: CallError {
    CallError(
      .resultText, "the text is not UTF-8",
      remedy: "declare it as a pointer such as const void *, or let the library return UTF-8")
  }
}

extension CType.Pointer {
  /// An argument for the pointer, to follow "give" in a sentence.
  fileprivate var expectedArgument: String {
    guard let target else {
      guard spelling.hasSuffix("void *") else { return "a pointer or null" }
      return "text, bytes as {\"base64\": \"AAE=\"} or @FILE, a number of zero bytes as {\"bytes\": 64}, or null"
    }
    if target.isByte { return "text, an array, a number of zero bytes as {\"bytes\": 64}, or null" }
    let element = if case .pointer = target { "null" } else if target == .string { "\"text\"" } else { "0" }
    return "an array such as [\(element)], a number of zero bytes as {\"bytes\": \(8 * target.size)}, or null"
  }
}

extension CType {
  /// The argument for a pointer that is not null.
  fileprivate var expectedObject: String {
    switch self {
    case .string, .wideString: "text"
    case .reference(let reference): "an object of \(reference.name)"
    case .function: "a callback"
    default: "memory"
    }
  }

  /// An argument for this type, to follow "give" in a sentence.
  fileprivate var expectedArgument: String {
    switch self {
    case .void: "nothing"
    case .bool: "true or false"
    case .integer(let integer): "an integer from \(integer.range.lowerBound) to \(integer.range.upperBound)"
    case .enumeration(let enumeration): "one of \(enumeration.cases.map(\.name).joined(separator: ", ")), or its number"
    case .float, .double, .longDouble: "a number, inf, -inf or nan"
    case .complex: "a number, or an array of the real and the imaginary part"
    case .string, .wideString: "text without a NUL"
    case .pointer(let pointer): pointer.expectedArgument
    case .reference(let reference):
      reference.name + (reference.record == nil ? " *, or null" : " *, null, or its members as an object")
    case .sequence, .flexible: "an array"
    case .record(let record) where record.kind == .union:
      "an object with one of the members \(record.memberNames.joined(separator: ", "))"
    case .record(let record): "an object with the members \(record.memberNames.joined(separator: ", "))"
    case .array(_, let count) where isText: "text of at most \(count) bytes, or an array of \(count) numbers"
    case .array(_, let count): "an array of \(count) element\(count == 1 ? "" : "s")"
    case .function: "a callback, a pointer to a function or null"
    case .resolver: "nothing, the host passes it"
    }
  }
}
