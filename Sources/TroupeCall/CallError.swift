internal import CLinux
internal import Glibc
internal import TroupeBase

/// The reason that a call was not made or its result is not valid: the problem, the argument and the remedy.
///
///     let signature = try Signature(parsing: "int8_t (int8_t count)")
///     do {
///       print(try signature.arguments(parsing: ["300"]))
///     } catch {
///       print(error)  // argument 1 "count": int8_t cannot hold 300; give an integer from -128 to 127
///     }
public struct CallError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of fault, for a program.
  public enum Code: Sendable, Hashable {
    /// There are too few arguments or too many.
    case argumentCount
    /// An argument is of another kind than the parameter.
    case argumentType
    /// An argument is of the right kind, but the parameter's type cannot hold it.
    case argumentRange
    /// The function takes a resolver and none was passed.
    case missingResolver
    /// A text that the function gave back is not valid, as UTF-8 for example. The call has been made.
    case resultText
    /// This machine, or this kind of call, does not support the signature.
    case unsupportedSignature
    /// A function that the signature names to free something is not there.
    case missingFunction
    /// The function says by `errno` that it failed. The call has been made.
    case system(Int32)
    /// The function says by this result that it failed. The call has been made.
    case failure(Int128)
    /// A handle has been released, or it cannot be because it is in use. The call has not been made.
    case handle
    /// A callback threw an error, which is part of the text. The call has been made.
    case callback
    /// The system refuses the executable memory that a callback needs.
    case noExecutableMemory
    /// The rest of the thread's stack is too small for the arguments. The call has not been made.
    case smallStack
    /// A buffer exceeds the limit of ``PreparedCall/maximumBufferSize``. The call has not been made.
    case bufferSize
    /// The function gave back a buffer with a negative length, or a larger one than the limit. The call has been made.
    case resultLength
    /// There is no memory for a buffer.
    case noMemory
    /// The program, or the cancellation of the task, ended a call over columns between two rows.
    case cancelled
  }

  /// Which argument is at fault.
  public struct Argument: Sendable, Hashable {
    /// The position from 0 among the arguments that the caller gives.
    public let index: Int
    /// The parameter's name, if it has one.
    public let name: String?

    package init(index: Int, name: String?) { (self.index, self.name) = (index, name) }
  }

  /// The kind of fault.
  public let code: Code
  /// The argument at fault, if the fault is in one.
  public let argument: Argument?
  /// The row of a call over columns in which the fault is, counted from 0 as in the memory of the columns; nil for any other fault.
  public private(set) var row: Int?
  /// The problem, such as `int8_t cannot hold 300`.
  public let problem: String
  /// What to do about it, such as `give an integer from -128 to 127`.
  public let remedy: String

  init(_ code: Code, _ problem: String, remedy: String, argument: Argument? = nil) {
    self.code = code
    self.argument = argument
    self.problem = problem
    self.remedy = remedy
  }

  /// Creates an error from its parts, such as those that another process sends.
  package init(_ code: Code, problem: String, remedy: String, argument: Argument?, row: Int?) {
    self.init(code, problem, remedy: remedy, argument: argument)
    self.row = row
  }

  /// The same fault, at a place within the value: a member's name, or an element's index in brackets.
  func within(_ place: String) -> CallError {
    // Outer places come later: "b" within "a" is "a.b".
    let inner = place.hasPrefix("[") ? "element \(place)" : "member \(place)"
    guard problem.hasPrefix("member ") || problem.hasPrefix("element ") else {
      return CallError(code, "\(inner): \(problem)", remedy: remedy, argument: argument)
    }
    let rest = problem.drop { $0 != " " }.dropFirst()
    return CallError(code, inner + (rest.hasPrefix("[") ? "" : ".") + rest, remedy: remedy, argument: argument)
  }

  /// One line for the user. Arguments are counted from 1, rows from 0.
  public var description: String {
    let row = row.map { "row \($0): " } ?? ""
    guard let argument else { return "\(row)\(problem); \(remedy)" }
    return "\(row)\(argument): \(problem); \(remedy)"
  }

  /// Returns the same fault as that of a row.
  package func inRow(_ row: Int) -> CallError {
    var error = self
    error.row = row
    return error
  }

  /// The same fault as that of one argument.
  ///
  /// - Parameters:
  ///   - index: The position from 0 among the arguments that the caller gives.
  ///   - name: The parameter's name, if it has one.
  public func about(argument index: Int, name: String?) -> CallError {
    CallError(code, problem, remedy: remedy, argument: Argument(index: index, name: name))
  }
}

extension CallError.Argument: CustomStringConvertible {
  /// For example `argument 2 "count"`, or `argument 2` if the parameter has no name.
  public var description: String {
    "argument \(index + 1)" + (name.map { " " + $0.quoted() } ?? "")
  }
}

// MARK: The faults

extension CallError {
  /// `shown` is the value as a message shows it, here and below.
  static func wrongType(_ shown: String, _ type: CType) -> CallError {
    CallError(.argumentType, "\(shown) is no value for \(type.shortDescription)", remedy: "give \(type.remedy)")
  }

  /// The user wrote another value than null for a pointer.
  static func notNull(_ shown: String, _ pointer: CType.Pointer, _ name: String?) -> CallError {
    var element = pointer.spelling.dropLast()
    if !element.hasSuffix("*"), element.last != " " { element += " " }
    // Behind a pointer to a struct there is often no array but an object that only the library knows.
    let isObject = ["struct ", "union "].contains { element.contains($0) }
    let buffer = "\(element)\(name ?? "values")[count]"
    return CallError(
      .argumentType, "\(shown) is no value for \(pointer.spelling)",
      remedy: isObject ? "give null" : "give null, or, for a buffer, write the parameter in the signature as \(buffer)")
  }

  static func outOfRange(_ shown: String, _ type: CType) -> CallError {
    CallError(.argumentRange, "\(type.shortDescription) cannot hold \(shown)", remedy: "give \(type.remedy)")
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

  static func wrongElementCount(_ count: Int, _ expected: Int, _ type: CType) -> CallError {
    CallError(
      .argumentType, "\(count) element\(count == 1 ? "" : "s") given for \(type.shortDescription)",
      remedy: "give \(type.remedy)")
  }

  static func unknownMember(_ name: String, _ type: CType) -> CallError {
    CallError(.argumentType, "\(type.shortDescription) has no member \(name.quoted())", remedy: "give \(type.remedy)")
  }

  static func repeatedMember(_ name: String, _ type: CType) -> CallError {
    CallError(.argumentType, "the member \(name.quoted()) of \(type.shortDescription) is given twice", remedy: "give it once")
  }

  static func missingMember(_ name: String, _ type: CType) -> CallError {
    CallError(
      .argumentType, "the member \(name.quoted()) of \(type.shortDescription) is missing", remedy: "give \(type.remedy)")
  }

  static func unequalMembers(_ type: CType) -> CallError {
    CallError(
      .argumentType, "the members of \(type.shortDescription) differ in the memory that they share",
      remedy: "give one of them, or all of them with the same bytes")
  }

  static func wrongCallback(_ signature: Signature, _ type: CType) -> CallError {
    CallError(.argumentType, "a callback of type \(signature) is no value for \(type)", remedy: "make it with that signature")
  }

  /// No function has the name that a person wrote for a callback.
  package static func unknownFunction(_ name: String, _ type: Signature, known: [String]) -> CallError {
    let list = known.prefix(10).joined(separator: ", ") + (known.count > 10 ? " and \(known.count - 10) more" : "")
    return CallError(
      .argumentType, "there is no function \(name.quoted()) for a callback of type \(type.description.quoted())",
      remedy: known.isEmpty ? "none is known of that type; add a plugin with one" : "those of that type are \(list)")
  }

  /// The function that a person named for a callback is of another type.
  package static func wrongFunction(_ name: String, _ signature: Signature, _ type: Signature) -> CallError {
    CallError(
      .argumentType,
      "the function \(name.quoted()) is of type \(signature.description.quoted()) and the callback of type \(type.description.quoted())",
      remedy: "name a function of the callback's type")
  }

  /// Several functions have the name that a person wrote for a callback.
  package static func ambiguousFunction(_ name: String, _ list: String) -> CallError {
    CallError(
      .argumentType, "several functions are named \(name.quoted())", remedy: "give the UUID of one: \(list)")
  }

  /// Buffers that share a length have different numbers of elements.
  static func unequalLengths(_ count: Int, _ other: Int, _ length: String) -> CallError {
    CallError(
      .argumentRange,
      "\(count) element\(count == 1 ? "" : "s") given, and \(other) for another buffer whose length is \(length)",
      remedy: "give the same number for each")
  }

  static func wrongBuffer(_ shown: String, _ element: CType) -> CallError {
    CallError(
      .argumentType, "\(shown) is no value for a buffer of \(element.shortDescription)",
      remedy: CType.array(element, count: 0).isBytes ? "give bytes, text or an array" : "give an array")
  }

  static func wrongSwiftType(_ swift: Any.Type, _ type: CType) -> CallError {
    CallError(.argumentType, "\(swift) is no Swift type for \(type.shortDescription)", remedy: type.swiftRemedy)
  }

  static func wrongSwiftResult(_ swift: Any.Type, _ type: CType) -> CallError {
    CallError(
      .argumentType, "\(swift) is no Swift type for the result, \(type.shortDescription)",
      remedy: type == .string ? "name String?" : type.swiftRemedy)
  }

  static func wrongSwiftType(_ swift: String, _ parameter: Signature.Parameter, of signature: Signature) -> CallError {
    CallError(
      .argumentType, "\(swift) does not fit the parameter \(signature.text(of: parameter).quoted())",
      remedy: "name its Swift type: String, an array of the element type, or a number of the same width")
  }

  static func wrongTypedCount(_ count: Int, _ expected: Int, _ signature: Signature) -> CallError {
    CallError(
      .argumentCount,
      "the Swift type has \(count) parameters, and a typed call of \(signature.description.quoted()) \(expected)",
      remedy: expected > 6
        ? "call it with values, since a typed call has at most 6"
        : "name a type for each parameter but the lengths of buffers")
  }

  static func wrongVariadic(_ shown: String) -> CallError {
    CallError(
      .argumentType, "\(shown) cannot be passed behind \"...\"",
      remedy: "give a number of at most 64 bits, text, a pointer, a callback, a handle or memory")
  }

  static func tooLong(_ count: Int, _ parameter: Signature.Parameter) -> CallError {
    CallError(
      .argumentRange, "\(parameter) cannot hold the number of elements, \(count)", remedy: "give fewer elements")
  }

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

  static func negativeCount(_ count: String) -> CallError {
    CallError(.argumentRange, "\(count) is not a number of elements", remedy: "give 0 or more")
  }

  static func bufferTooLarge(_ count: Int128, _ type: CType, limit: Int) -> CallError {
    CallError(
      .bufferSize, "a buffer of \(count) elements of type \(type.shortDescription) exceeds the limit of \(limit) bytes",
      remedy: "use fewer elements, or raise maximumBufferSize (--max-buffer-size)")
  }

  /// There is no memory for an output.
  static func noRoom(_ count: Int128, _ type: CType) -> CallError {
    CallError(
      .noMemory, "there is no memory for \(count) elements of type \(type)", remedy: "use fewer elements")
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

  static func releasedHandle(_ type: String) -> CallError {
    CallError(.handle, "the handle of \(type) has been released", remedy: "get another one")
  }

  static func foreignHandle(_ type: String) -> CallError {
    CallError(.handle, "a handle of \(type) belongs to another process", remedy: "pass it to functions of its own plugin")
  }

  static func usedHandle(_ type: String, users: Int) -> CallError {
    CallError(
      .handle,
      "the handle of \(type) is in use by \(users) other handle\(users == 1 ? "" : "s") or call\(users == 1 ? "" : "s")",
      remedy: "wait for the calls, and release the handles that borrow from it first")
  }

  static func noPlace(_ path: String, _ type: CType, count: Int) -> CallError {
    let memory = (count > 1 ? "memory of \(count) elements of type " : "") + type.shortDescription
    return CallError(
      .argumentType, "\(memory) has no member or element \(path.quoted())",
      remedy: count > 1
        ? "name an element from [0] to [\(count - 1)], or one of its members, such as [0].a"
        : "name one of its members, such as a.b or a[2], within its bounds")
  }

  static func tooManyElements(_ count: Int, _ type: CType) -> CallError {
    CallError(
      .argumentRange, "there is no room for \(count) elements of \(type.shortDescription)",
      remedy: "allocate memory with a larger flexibleCount")
  }

  static func wrongBufferLength(_ count: Int, _ length: String, _ type: CType) -> CallError {
    CallError(
      .argumentRange, "\(count) elements of \(type.shortDescription) given, which is not \(length)",
      remedy: "give as many elements as the other arguments say")
  }

  static func shortBuffer(_ count: Int, needed: Int128, _ type: CType) -> CallError {
    CallError(
      .argumentRange,
      "\(count) element\(count == 1 ? "" : "s") of \(type.shortDescription) given, and the length of the buffer is \(needed)",
      remedy: "give at least as many elements, or leave out the length")
  }

  static func callbackFailed(_ error: any Error) -> CallError {
    CallError(.callback, "a callback failed: \(error)", remedy: "correct it, or handle the error in the callback")
  }

  static var noExecutableMemory: CallError {
    CallError(
      .noExecutableMemory, "the system gives no memory for code that is made at run time, which a callback is",
      remedy: "allow it for this process, or use a function in C")
  }

  static func smallStack(_ needed: Int, _ rest: Int) -> CallError {
    CallError(
      .smallStack, "the arguments need \(needed) bytes of the thread's stack, which has \(rest) bytes left",
      remedy: "call it on a thread with a larger stack")
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

  static func resultIsNotText(_ type: CType) -> CallError {
    CallError(
      .resultText, "the string of type \(type) that the function returned is not valid Unicode",
      remedy: "declare the result as a pointer")
  }

  static var resultIsNotUTF8: CallError {
    CallError(
      .resultText, "the string that the function gave back is not UTF-8",
      remedy: "declare the result as a pointer, or let the function return UTF-8")
  }

  static func unsupported(
    _ signature: Signature, problem: String, remedy: String = "declare the function with other types, or call it with values"
  ) -> CallError {
    CallError(
      .unsupportedSignature, "no such call of \(signature.description.quoted()) can be prepared: \(problem)", remedy: remedy)
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
  /// An argument for this type, to follow "give" in a sentence.
  fileprivate var remedy: String {
    switch self {
    case .void: "nothing"
    case .bool: "true or false"
    case .integer(let integer): "an integer from \(integer.range.lowerBound) to \(integer.range.upperBound)"
    case .enumeration(let enumeration): "one of \(enumeration.cases.map(\.name).joined(separator: ", ")), or its number"
    case .float, .double, .longDouble: "a number, inf, -inf or nan"
    case .complex: "a number, or an array of the real and the imaginary part"
    case .string, .wideString: "text without a NUL"
    case .pointer(let pointer) where pointer.pointee != nil: "a pointer, null, or the struct as an object"
    case .pointer: "a pointer or null"
    case .handle(let handle): "a handle of \(handle.name)" + (handle.isNullable ? " or null" : "")
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
    case .longDouble, .array, .wideString, .handle, .sequence, .flexible, .resolver: "call the function with values"
    }
  }
}

extension CType.Integer {
  /// The Swift type of the same width and sign.
  fileprivate var swiftName: String { (isSigned ? "Int" : "UInt") + (width == Int.bitWidth ? "" : "\(width)") }
}
