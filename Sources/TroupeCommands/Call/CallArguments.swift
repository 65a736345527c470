internal import FoundationEssentials
internal import TroupeHost
internal import TroupeTools

/// A step of `troupe call`, which has a group of operands of the command line.
enum CallStep {
  case call(name: String, CallArguments)
  case assignment(MemberAssignment)
}

/// The arguments of one call of `troupe call`: words, or the JSON of `--arguments`.
///
///     troupe call open @settings.json --then close '$1'
///
/// `@FILE` is read at once, before a plugin is opened; `$1` is the result of an earlier step.
enum CallArguments {
  static let json = Option(
    "arguments", value: "JSON", "Read the arguments from a JSON array.")

  case operands([CallArgument])
  case json(String)

  /// The steps of a command with `--then`.
  static func steps(_ arguments: ParsedArguments) throws -> [CallStep] {
    let groups = arguments.groups
    guard groups.count > 1, arguments.one(json) == nil else { return [.call(name: groups[0][0], try only(arguments))] }
    try CallArgument.check(Array(groups.joined()))
    return try groups.enumerated().map { index, words in
      if index > 0, words[0].hasPrefix("$") { return .assignment(try MemberAssignment(words)) }
      return .call(name: words[0], .operands(try CallArgument.read(Array(words.dropFirst()))))
    }
  }

  /// The arguments of a command with one call.
  static func only(_ arguments: ParsedArguments) throws -> CallArguments {
    let words = Array(arguments.groups.joined())
    guard let text = arguments.one(json) else {
      try CallArgument.check(words)
      return .operands(try CallArgument.read(Array(words.dropFirst())))
    }
    guard words.count == 1 else {
      throw Diagnosis(
        .usage, problem: "arguments both with --arguments and as operands or --then", remedy: "use one of the two")
    }
    return .json(try CallArgument.read([text])[0].json())
  }

  /// Returns a closure that reads the arguments for the function. The host calls it before it opens the plugin.
  ///
  /// - Parameters:
  ///   - earlier: The results of the steps before.
  ///   - constants: The constants that arguments can name.
  func reader(
    for function: RegistrationDescription, earlier: [EarlierCall], constants: ArgumentConstants
  ) throws(Diagnosis) -> PluginHost.ArgumentReader {
    switch self {
    case .json(let text):
      return { signature, functions in try signature.arguments(json: text, functions: functions) }
    case .operands(let operands):
      let parameters = function.function?.callerParameters ?? []
      var arguments: [Signature.UnreadArgument] = []
      for (index, operand) in operands.enumerated() {
        let parameter = parameters.indices.contains(index) ? parameters[index] : nil
        arguments.append(try Self.argument(operand, for: parameter, earlier, constants))
      }
      return { [arguments] signature, functions in try signature.arguments(reading: arguments, functions: functions) }
    }
  }

  /// Reads an argument for a parameter, nil for one beyond the declared ones.
  static func argument(
    _ operand: CallArgument, for parameter: Signature.Parameter?, _ earlier: [EarlierCall], _ constants: ArgumentConstants
  ) throws(Diagnosis) -> Signature.UnreadArgument {
    guard let word = operand.word else { return try operand.argument(for: parameter) }
    if !earlier.isEmpty, word.hasPrefix("$") { return try result(word, earlier, for: parameter) }
    let completed = constants.literal(word, parameter)
    if !earlier.isEmpty, let literal = try literal(completed ?? word, earlier) { return .value(literal) }
    if let completed { return .text(completed) }
    if word == "null", parameter?.isBuffer == false, parameter?.type == .string { return .value(.null) }
    if let value = constants.value(word, parameter) { return .value(value) }
    return try operand.argument(for: parameter)
  }

  /// Returns the value of a literal with results of earlier calls in it, such as `{"handler": "$1", "level": 3}`; nil for other words.
  private static func literal(_ word: String, _ earlier: [EarlierCall]) throws(Diagnosis) -> Value? {
    guard word.first == "{" || word.first == "[", word.contains("\"$"), let literal = try? Value.array(json: "[\(word)]").first
    else {
      return nil
    }
    return try filled(literal, earlier)
  }

  private static func filled(_ value: Value, _ earlier: [EarlierCall]) throws(Diagnosis) -> Value {
    switch value {
    case .string(let text?) where text.hasPrefix("$"):
      switch try result(text, earlier, for: nil) {
      case .text(let text): return .string(text)
      case .bytes(let bytes): return .bytes(bytes)
      case .value(let value): return value
      }
    case .array(let elements):
      var filled: [Value] = []
      for element in elements { filled.append(try Self.filled(element, earlier)) }
      return .array(filled)
    case .structure(let fields):
      var filled: [Value.Field] = []
      for field in fields { filled.append(Value.Field(field.name, try Self.filled(field.value, earlier))) }
      return .structure(filled)
    default: return value
    }
  }

  /// Returns the result of an earlier call for `$2`; its member, or the memory of a parameter, for `$2.name`; the memory of its first argument
  /// for `$2.1`; an element for `$2[0]`; and the text `$text` for `$$text`.
  private static func result(
    _ word: String, _ earlier: [EarlierCall], for parameter: Signature.Parameter?
  ) throws(Diagnosis) -> Signature.UnreadArgument {
    if word.hasPrefix("$$") { return .text(String(word.dropFirst())) }
    var (number, value, path) = try place(word, earlier)
    // The contents alone came back, and a pointer leads to the memory itself.
    if path.isEmpty, parameter?.takesMemory == true, let memory = earlier[number - 1].onlyMemory { value = .memory(memory) }
    do throws(CallError) {
      value = try value.member(at: path)
    } catch {
      throw Diagnosis(.usage, "\"\(word.shortened())\"", problem: error.problem, remedy: error.remedy)
    }
    // A struct that a function returned by value has an address once memory has it.
    if path.isEmpty, case .structure = value, parameter?.takesMemory == true, case .record? = earlier[number - 1].result,
      let type = earlier[number - 1].result, let memory = try? ForeignMemory(type), (try? memory.write(value)) != nil
    {
      return .value(.memory(memory))
    }
    // What a function wrote to memory for one number or pointer is an argument of that type again.
    if case .memory(let memory) = value, let parameter, parameter.passing == .value, memory.count == 1,
      !parameter.type.isPointer || memory.type.isSamePointer(as: parameter.type)
    {
      value = (try? memory.read()) ?? value
    }
    return .value(value)
  }

  /// Returns the step of `$2.name[3]`, its result or the memory of its parameter `name`, and the path behind that.
  static func place(
    _ word: String, _ earlier: [EarlierCall]
  ) throws(Diagnosis) -> (number: Int, value: Value, path: Substring) {
    let digits = word.dropFirst().prefix { $0.isASCII && $0.isNumber }
    guard let number = Int(digits), number >= 1, number <= earlier.count else {
      throw Diagnosis(
        .usage, problem: "\"\(word.shortened())\" is the result of no earlier call",
        remedy: "use $1\(earlier.count > 1 ? " to $\(earlier.count)" : ""), or $\(word) for the text")
    }
    var path = word.dropFirst(1 + digits.count)
    if path.first == "." { path = path.dropFirst() }
    let name = path.prefix { $0 != "." && $0 != "[" }
    guard let memory = earlier[number - 1].memory(String(name)) else {
      return (number, earlier[number - 1].outcome.value, path)
    }
    path = path.dropFirst(name.count)
    return (number, memory, path.first == "." ? path.dropFirst() : path)
  }
}

/// A step before another one in a chain. An assignment has no result.
struct EarlierCall {
  let outcome: CallOutcome
  let parameters: [Signature.Parameter]
  let result: CType?
  /// Those of the function's plugin.
  let constants: ArgumentConstants

  /// The memory of an argument, if its contents are all that the call gave back.
  fileprivate var onlyMemory: ForeignMemory? {
    result == .void && outcome.memory.count == 1 && !outcome.value.isVoid ? outcome.memory[0].memory : nil
  }

  /// What the call returned for a parameter, by its name or its position from 1: the memory that it allocated for the argument, or an output.
  fileprivate func memory(_ name: String) -> Value? {
    if let found = outcome.memory.first(where: { $0.name == name || "\($0.position + 1)" == name }) {
      return .memory(found.memory)
    }
    guard let position = Int(name), parameters.indices.contains(position - 1), let name = parameters[position - 1].name else {
      return nil
    }
    return outcome.value[name]
  }
}

extension Signature.Parameter {
  /// A pointer without a length, other than text.
  fileprivate var takesMemory: Bool {
    switch type {
    case .pointer, .reference: passing == .value
    default: false
    }
  }

  /// True for a pointer without a length to single bytes or to `void`.
  fileprivate var isPointerToBytes: Bool {
    guard case .pointer(let pointer) = type, passing == .value else { return false }
    return pointer.target?.isByte ?? (pointer.spelling == "void *" || pointer.spelling == "const void *")
  }
}

extension Value {
  fileprivate var isVoid: Bool { if case .void = self { true } else { false } }
}

/// An argument of `troupe call`: text, or a file or standard input with the text or the bytes.
struct CallArgument {
  /// The word on the command line, or the content of the file.
  private let bytes: [UInt8]
  /// The name of the file; nil for a word.
  private let file: String?

  /// Reads the arguments for words of the command line. Throws a `Diagnosis` if a file cannot be read.
  static func read(_ words: [String]) throws -> [CallArgument] {
    try words.map { try CallArgument($0) }
  }

  /// Throws a `Diagnosis` if several words are standard input.
  static func check(_ words: [String]) throws(Diagnosis) {
    if words.count(where: { $0 == "@-" }) > 1 {
      throw Diagnosis(
        .usage, problem: "@- is given twice, and standard input can be read once", remedy: "write one argument to a file")
    }
  }

  /// The argument's text if it is a word of the command line.
  var word: String? { file == nil ? String(decoding: bytes, as: UTF8.self) : nil }

  /// Reads an argument. `@FILE` and `@-` are the content of a file, `@@TEXT` is `@TEXT`.
  private init(_ word: String) throws {
    guard word.utf8.first == UInt8(ascii: "@"), word != "@" else {
      (bytes, file) = (Array(word.utf8), nil)
      return
    }
    let name = String(decoding: word.utf8.dropFirst(), as: UTF8.self)
    guard name.utf8.first != UInt8(ascii: "@") else {
      (bytes, file) = (Array(name.utf8), nil)
      return
    }
    bytes = try InputFile.named([name])[0].content()
    file = name == "-" ? "standard input" : name
  }

  /// The argument as JSON.
  func json() throws(Diagnosis) -> String {
    try text { Diagnosis(.invalidData, $0, problem: "is not UTF-8", remedy: "save the arguments as UTF-8") }
  }

  /// The argument for a parameter, nil for one beyond the declared ones. Throws a `Diagnosis` for a file that the parameter cannot
  /// take.
  func argument(for parameter: Signature.Parameter?) throws(Diagnosis) -> Signature.UnreadArgument {
    guard file != nil else { return .text(String(decoding: bytes, as: UTF8.self)) }
    if parameter?.takesBytes == true { return .bytes(bytes) }
    // The function may expect a text, which ends at a zero.
    if parameter?.isPointerToBytes == true { return .bytes(bytes + [0]) }
    let text = try text {
      let subject = parameter?.name.map { "the parameter \"\($0)\"" } ?? "the parameter"
      return Diagnosis(
        .invalidData, $0, problem: "is not UTF-8, and \(subject) is no buffer of bytes", remedy: "name a text file")
    }
    // An editor ends a number with a line break.
    if parameter?.type == .string { return .text(text) }
    let end = text.lastIndex { !$0.isNewline }.map { text.index(after: $0) }
    return .text(String(text[..<(end ?? text.startIndex)]))
  }

  private func text(_ failure: (_ file: String) -> Diagnosis) throws(Diagnosis) -> String {
    guard let text = String(validating: bytes, as: UTF8.self) else { throw failure(file ?? "") }
    return text
  }
}
