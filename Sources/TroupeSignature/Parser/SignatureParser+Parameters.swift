internal import TroupeBase

/// Reads the parameters between the parentheses.
///
/// Each declarator decides the type and how the value is passed:
///
///     double x                    .value
///     out double *x               .pointer(.output)
///     const double x[n]           .buffer(.input, n)
///     int (*f)(int)               .value, a callback
///     double (*x)[n]              .value, a pointer to several elements
///
/// At the end of the list, `resolveReferences` resolves the names in lengths and markers.
extension SignatureParser {
  struct ParameterList {
    var parameters: [Signature.Parameter] = []
    var fixedCount: Int?
    /// The positions of the parameters that have names.
    var indices: [String: Int] = [:]
  }

  /// - Parameter isCallback: True for the list of a callback, to which C passes values, texts and buffers that it reads.
  mutating func parameters(isCallback: Bool) throws(SignatureError) -> ParameterList {
    let outerReferences = references
    references = []
    defer { references = outerReferences }
    var list = ParameterList()
    var names: Set<String> = []
    var starts: [Int] = []
    var (typeCount, size) = (0, 0)
    if text.next == UInt8(ascii: ")") || isVoidAlone() { return list }
    repeat {
      let start = text.position
      if !isCallback, list.fixedCount == nil, !starts.isEmpty, text.take("...") {
        list.fixedCount = starts.count
        continue
      }
      if text.isAt("...") { throw misplacedDots(list, isCallback: isCallback) }
      guard starts.count < Signature.maximumParameterCount else {
        throw text.error(
          "there are too many parameters", at: start, expected: "at most \(Signature.maximumParameterCount) parameters")
      }
      let parameter = try parameter(besides: &names)
      if isCallback, parameter.type == .resolver || parameter.ownership.isKept || parameter.givesBack && !parameter.isBuffer {
        throw text.error("a callback takes plain values", at: start, expected: Self.expectedType)
      }
      if list.fixedCount != nil, parameter.isPointerInC || parameter.type == .resolver {
        throw text.error("an argument behind \"...\" is a plain value", at: start, expected: Self.expectedType)
      }
      typeCount += parameter.type.typeCount
      guard typeCount <= Signature.maximumTypeCount else { throw tooManyTypes(at: start) }
      size += parameter.isPointerInC ? 8 : parameter.type.size.roundedUp(to: 8)
      guard size <= Signature.maximumArgumentSize else {
        throw text.error(
          "the parameters are too large together", at: start,
          expected: "at most \(Signature.maximumArgumentSize) bytes, or a pointer")
      }
      if let name = parameter.name { list.indices[name] = starts.count }
      starts.append(start)
      list.parameters.append(parameter)
    } while text.take(",")
    try resolveReferences(in: &list, starts: starts)
    return list
  }

  private func misplacedDots(_ list: ParameterList, isCallback: Bool) -> SignatureError {
    if isCallback {
      return text.error("a callback takes a fixed number of values", at: text.position, expected: Self.expectedType)
    }
    return list.fixedCount == nil
      ? text.error("\"...\" stands first", at: text.position, expected: "a parameter in front of it")
      : text.error("\"...\" stands twice", at: text.position, expected: "the type of an argument")
  }

  /// Reads "void" if nothing else stands between the parentheses, or up to the end of the text.
  private mutating func isVoidAlone() -> Bool {
    let start = text.position
    guard text.take(word: "void") else { return false }
    if text.next == nil || text.next == UInt8(ascii: ")") { return true }
    text.goBack(to: start)
    return false
  }

  private mutating func parameter(besides names: inout Set<String>) throws(SignatureError) -> Signature.Parameter {
    let start = text.position
    let (direction, ownership) = try markers(isResult: false)
    let base = try self.base()
    let stars = stars()
    var type: CType
    var name: String?
    var passing = Signature.Parameter.Passing.value
    var isNonnull = stars.isNonnull
    if text.next == UInt8(ascii: "(") {
      (type, name, isNonnull) = try pointerInParentheses(base, stars, direction, start: start, besides: &names)
      if let direction { passing = .pointer(direction) }
    } else {
      name = try self.name(besides: &names, of: "parameter")
      if text.next == UInt8(ascii: "[") {
        (type, passing) = try buffer(base, stars, direction, start: start)
      } else if let direction {
        guard stars.count > 0 else {
          throw text.error(
            "a parameter with out or inout is a pointer, and this is not", at: start, expected: "a \"*\" behind the type")
        }
        (type, passing) = (try self.type(base, stars.dropLast), .pointer(direction))
        // A pointer to an array, whose type is a typedef's, is a pointer to its first element.
        if case .array(let element, let count) = type {
          (type, passing) = (element, .buffer(direction, .number(count), used: nil))
        }
      } else {
        type = try self.type(base, stars)
      }
    }
    if type == .void {
      throw text.error("a parameter cannot be void", at: start, expected: Self.expectedType + ", or (void) for no parameters")
    }
    if case .array = type, passing == .value {
      throw text.error("C passes no array by value", at: start, expected: "a buffer with a length")
    }
    if type == .resolver, passing != .value {
      throw text.error("a resolver is passed as it is", at: start, expected: "resolver")
    }
    if passing == .value { try checkPassing(type, start: start) }
    let givesBack = Signature.Parameter(type: type, name: name, passing: passing).givesBack
    if givesBack, name == nil {
      throw text.error("an out or inout parameter needs a name", at: text.position, expected: "a name")
    }
    let isBuffer = if case .buffer = passing { true } else { false }
    if ownership.isKept, !isBuffer, !type.isPointer {
      throw text.error("this is no pointer", at: start, expected: "a pointer, whose target the library keeps")
    }
    if let deallocator = ownership.deallocator, !givesBack {
      throw text.error("this parameter has no result that \(deallocator) could free", at: start, expected: "an out parameter")
    }
    type = try owned(type, ownership, start: start)
    return Signature.Parameter(
      type: type, name: name, passing: passing, ownership: ownership, isNonnull: isNonnull && passing == .value)
  }

  /// Refuses a record by value that does not arrive as it is passed if another compiler has made the function.
  func checkPassing(_ type: CType, start: Int) throws(SignatureError) {
    guard type.isPassedDifferentlyByCompilers else { return }
    throw text.error(
      "GCC and Clang pass \(type.shortDescription) by value in different ways, since an array in it has packed elements",
      at: start,
      expected: "a pointer to it")
  }

  /// { "[" length "]" } behind the name of a buffer.
  private mutating func buffer(
    _ base: Base, _ stars: Stars, _ word: Signature.Parameter.Direction?, start: Int
  ) throws(SignatureError) -> (CType, Signature.Parameter.Passing) {
    let isConstant = stars.isConstant.last ?? base.isConstant
    let direction = word ?? (isConstant ? .input : .inputOutput)
    try text.expect("[")
    let position = text.position
    let length = try length()
    let used = text.take(",") ? try self.length() : nil
    try text.expect("]")
    if direction != .output, used != nil || length.usesResult {
      throw text.error("only an output depends on the result", at: position, expected: "out in front of the type")
    }
    let written = try type(base, stars)
    // Memory of no type is counted in bytes.
    let element = try array(of: written == .void ? .integer(.byte) : written, start: start)
    try refuseFunction(written, start: start)
    guard element.size * max(length.constant ?? 1, 1) <= CType.Record.maximumSize else {
      throw text.error("the buffer is too large", at: start, expected: "at most \(CType.Record.maximumSize) bytes")
    }
    if length.isTerminated {
      try checkTerminated(element, start: start)
      if direction == .output {
        throw text.error("the size of this buffer is unknown", at: position, expected: "a length")
      }
    }
    return (element, .buffer(direction, length, used: used))
  }

  /// "(" "*" { "*" } [ name ] ")" behind a type, and then the parameters of a function or the length of several elements.
  private mutating func pointerInParentheses(
    _ base: Base, _ stars: Stars, _ direction: Signature.Parameter.Direction?, start: Int, besides names: inout Set<String>
  ) throws(SignatureError) -> (CType, name: String?, isNonnull: Bool) {
    let type = try type(base, stars)
    try text.expect("(")
    guard text.take("*") else { throw text.unexpected(expected: "\"*\", as in int (*compare)(int, int)") }
    if direction != nil {
      guard text.take("*") else { throw text.unexpected(expected: "a second \"*\", as in out int (**values)[count]") }
    }
    let isNonnull = qualifiers().isNonnull
    let name = try name(besides: &names, of: "parameter")
    return (try pointee(of: type, start: start), name, isNonnull)
  }

  /// ")" and then "(" parameters ")" or "[" length "]", behind the name of a pointer.
  mutating func pointee(of type: CType, start: Int) throws(SignatureError) -> CType {
    var rest = text
    guard rest.take(")"), rest.take("[") else { return try callbackType(type, start: start) }
    text = rest
    return try sequence(of: type, start: start)
  }

  /// length "]" behind "[", of several elements behind a pointer.
  mutating func sequence(of type: CType, start: Int) throws(SignatureError) -> CType {
    let length = try length()
    try text.expect("]")
    try refuseFunction(type, start: start)
    // Memory of no type is counted in bytes.
    let element = type == .void ? CType.integer(.byte) : type
    if length.isTerminated { try checkTerminated(element, start: start) }
    return try checked(.sequence(element, length), at: start)
  }

  /// ")" "(" parameters ")" behind the name of a pointer to a function.
  mutating func callbackType(_ result: CType, start: Int) throws(SignatureError) -> CType {
    try text.expect(")")
    try text.expect("(")
    return try function(result, start: start)
  }

  /// parameters ")" of a function that is called through a pointer.
  mutating func function(_ result: CType, start: Int) throws(SignatureError) -> CType {
    if result == .resolver {
      throw text.error("a callback cannot give back a resolver", at: start, expected: Self.expectedType)
    }
    try refuseFunction(result, start: start)
    try checkPassing(result, start: start)
    let list = try deeper { parser throws(SignatureError) in try parser.parameters(isCallback: true) }
    try text.expect(")", or: ",")
    return try checked(.function(Signature(result: result, parameters: list.parameters)), at: start)
  }
}
