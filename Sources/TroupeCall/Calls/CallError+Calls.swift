internal import CLinux
internal import Glibc
internal import TroupeBase

/// Calls that cannot be made as they are given, and functions that report a failure.
extension CallError {
  static var consumedLiteral: CallError {
    CallError(
      .argumentType, "the function releases this argument, which the call would allocate",
      remedy: "give a reference to an object that the library has made")
  }

  static func wrongCount(_ count: Int, _ signature: Signature) -> CallError {
    let expected = signature.callerParameters
    let problem =
      "\(count) argument\(count == 1 ? "" : "s") given, \(expected.count) expected by \(signature.description.quoted())"
    guard count < expected.count else {
      if let buffer = expected.first(where: \.isBuffer) {
        let name = buffer.name.map { " " + $0.quoted() } ?? ""
        return CallError(.argumentCount, problem, remedy: "pass the buffer\(name) as one argument, such as '[1, 2, 3]'")
      }
      let surplus = count - expected.count
      return CallError(.argumentCount, problem, remedy: "leave out the last\(surplus == 1 ? "" : " \(surplus)")")
    }
    let missing = Argument(index: count, name: expected[count].name)
    let more = expected.count - count - 1
    return CallError(
      .argumentCount, problem,
      remedy: "add \(missing) of type \(expected[count].argumentType)" + (more == 0 ? "" : " and \(more) more behind it")
        + (expected[count...].compactMap(\.output).first.map {
          ", or write \($0.quoted()) into the signature if the function writes the value"
        } ?? ""))
  }

  static func missingResolver(_ signature: Signature) -> CallError {
    CallError(
      .missingResolver, "\(signature.description.quoted()) takes a resolver and none was passed",
      remedy: "call it through a host that passes one")
  }

  static func unsupported(
    _ signature: Signature, problem: String, remedy: String = "declare the function with other types, or call it with values"
  ) -> CallError {
    CallError(
      .unsupportedSignature, "no such call of \(signature.description.quoted()) can be prepared: \(problem)", remedy: remedy)
  }

  /// Buffers that share a length have different numbers of elements.
  static func unequalLengths(_ count: Int, _ other: Int, _ length: String) -> CallError {
    CallError(
      .argumentRange,
      "\(count) element\(count == 1 ? "" : "s") given, and \(other) for another buffer whose length is \(length)",
      remedy: "give the same number for each")
  }

  static func wrongBufferLength(_ count: Int, _ length: String, _ type: CType) -> CallError {
    CallError(
      .argumentRange, "\(count) elements of \(type.shortDescription) given, which is not \(length)",
      remedy: "give as many elements as the other arguments say")
  }

  static func tooLong(_ count: Int, _ parameter: Signature.Parameter) -> CallError {
    CallError(
      .argumentRange, "\(parameter) cannot hold the number of elements, \(count)", remedy: "give fewer elements")
  }

  static func negativeCount(_ count: String) -> CallError {
    CallError(.argumentRange, "\(count) is not a number of elements", remedy: "give 0 or more")
  }

  static func bufferTooLarge(_ count: Int128, _ type: CType, limit: Int) -> CallError {
    CallError(
      .bufferSize, "a buffer of \(count) elements of type \(type.shortDescription) exceeds the limit of \(limit) bytes",
      remedy: "use fewer elements, or raise maximumBufferSize (--max-buffer-size)")
  }

  static func wrongVariadic(_ shown: String) -> CallError {
    CallError(
      .argumentType, "\(shown) cannot be passed behind \"...\"",
      remedy: "give a number of at most 64 bits, text, a pointer, a callback, a reference or memory")
  }

  static func wrongTypedCount(_ count: Int, _ expected: Int, _ signature: Signature) -> CallError {
    CallError(
      .argumentCount,
      "the Swift type has \(count) parameters, and a typed call of \(signature.description.quoted()) \(expected)",
      remedy: expected > 6
        ? "call it with values, since a typed call has at most 6"
        : "name a type for each parameter but the lengths of buffers")
  }

  static func wrongSwiftType(_ swift: Any.Type, _ type: CType) -> CallError {
    CallError(.argumentType, "\(swift) is no Swift type for \(type.shortDescription)", remedy: type.swiftRemedy)
  }

  static func wrongSwiftType(_ swift: String, _ parameter: Signature.Parameter, of signature: Signature) -> CallError {
    CallError(
      .argumentType, "\(swift) does not fit the parameter \(signature.text(of: parameter).quoted())",
      remedy: "name its Swift type: String, an array of the element type, or a number of the same width")
  }

  static func wrongSwiftResult(_ swift: Any.Type, _ type: CType) -> CallError {
    CallError(
      .argumentType, "\(swift) is no Swift type for the result, \(type.shortDescription)",
      remedy: type == .string ? "name String?" : type.swiftRemedy)
  }

  static func missingFunction(_ name: String, _ signature: Signature) -> CallError {
    CallError(
      .missingFunction, "there is no function \(name.quoted()), which \(signature.description.quoted()) names",
      remedy: "name one that the library or its dependencies export")
  }

  static func system(_ code: Int32) -> CallError {
    let name = linux_error_name(code).map { String(cString: $0) + ": " } ?? ""
    return CallError(
      .system(code), "the function failed: \(name)\(String(cString: strerror(code))) (errno \(code))",
      remedy: "see the documentation of the function")
  }

  /// A result that is a failure, with the name that an enumeration has for it and the text of the signature's function.
  static func failed(_ number: Int128, _ type: CType, text: String?) -> CallError {
    var shown = type.integer == nil && type != .bool ? "null" : "\(number)"
    if case .enumeration(let enumeration) = type, let name = enumeration.cases.first(where: { $0.value == number })?.name {
      shown = "\(name) (\(number))"
    }
    return CallError(
      .failure(number), "the function failed with the result \(shown)" + (text.map { ": " + $0 } ?? ""),
      remedy: "see the documentation of the function")
  }

  static func smallStack(_ needed: Int, _ rest: Int) -> CallError {
    CallError(
      .smallStack, "the arguments need \(needed) bytes of the thread's stack, which has \(rest) bytes left",
      remedy: "call it on a thread with a larger stack")
  }
}

extension Signature.Parameter {
  /// The declaration as an output, for a plain pointer that may lead to a result. The only other argument for it is a null pointer.
  fileprivate var output: String? {
    guard case .pointer(let pointer) = type, passing == .value, let name else { return nil }
    return pointer.spelling == "void *" || pointer.spelling.hasPrefix("const ") ? nil : "out \(pointer.spelling)\(name)"
  }

  /// The type of an argument for it, for a message.
  fileprivate var argumentType: String {
    guard case .buffer(_, let length, _) = passing else { return type.shortDescription }
    // Not as a declaration, in which the brackets follow the name.
    return length.constant.map { CType.array(type, count: $0).shortDescription } ?? type.shortDescription + "[]"
  }
}

extension CType {
  /// The Swift type to name for it in a typed call.
  fileprivate var swiftRemedy: String {
    switch self {
    case .void: "name Void"
    case .bool: "name Bool"
    case .integer(let integer): "name \(integer.swiftName)"
    case .enumeration(let enumeration): "name \(enumeration.underlying.swiftName)"
    case .float: "name Float"
    case .double: "name Double"
    case .string: "name String"
    case .pointer, .function: "name Value.Pointer"
    case .record, .complex: "name a Swift struct with the same members"
    case .longDouble, .array, .wideString, .reference, .sequence, .flexible, .resolver: "call the function with values"
    }
  }
}

extension CType.Integer {
  /// The Swift type of the same width and sign.
  fileprivate var swiftName: String { (isSigned ? "Int" : "UInt") + (width == Int.bitWidth ? "" : "\(width)") }
}
