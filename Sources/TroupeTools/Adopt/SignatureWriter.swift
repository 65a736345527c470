/// Writes the signature of a function from its declaration in a header.
///
///     int uncompress(Bytef *dest, uLongf *destLen, const Bytef *source, uLong sourceLen);
///     int (out unsigned char dest[destLen], inout unsigned long *destLen, const unsigned char source[sourceLen], unsigned long sourceLen)
///
/// Typedefs are replaced by their types, and structs and enumerations are defined in front of the result. `+Types` writes types,
/// `+Definitions` definitions, and `+Buffers` infers from names which pointers are buffers and outputs. An instance writes one signature.
struct SignatureWriter {
  /// The amount of detail. A function whose signature cannot be read with more has less.
  enum Detail: CaseIterable {
    /// Buffers and outputs from the names of parameters.
    case guesses
    /// Definitions of structs, enumerations and callbacks.
    case definitions
    /// Numbers, text and pointers, and the structs that are passed by value.
    case words
  }

  let header: Header
  let handles: Header.Handles
  let detail: Detail
  /// The functions that release the results of others; nil without guesses.
  var owners: OwnerGuess?
  /// The declarations in front of the result, in order.
  var declarations: [String] = []
  /// The error of each struct or enumeration that was to be defined; nil for a defined one.
  var errors: [String: InexpressibleError?] = [:]
  /// True while a definition is being written.
  var isDefining = false
  /// The structs to which members of the definitions refer, to be defined once the outermost definition is complete.
  var referenced: [String] = []
  /// The last definition without a name in the struct that is being written.
  var unnamed: SyntaxNode?

  init(_ header: Header, _ handles: Header.Handles, _ detail: Detail) {
    (self.header, self.handles, self.detail) = (header, handles, detail)
  }

  /// Returns the signature. Throws `InexpressibleError` with the reason why there is none.
  mutating func signature(_ function: Header.Function) throws(InexpressibleError) -> String {
    let type = try type(of: function)
    return (declarations + [type]).joined(separator: " ")
  }

  /// Returns the type of a variable, behind `declarations`. Throws `InexpressibleError` for one that cannot be read as a result.
  mutating func type(of variable: Header.Variable) throws(InexpressibleError) -> String {
    let type = try header.resolve(try HeaderTypeParser.type(variable.type), handles)
    if case .pointer(.function, _, _) = type { throw InexpressibleError("a pointer to a function") }
    guard case .array(var element, var count) = type else { return try declaration(type, "", .result) }
    while case .array(let inner, let innerCount) = element { (element, count) = (inner, count.map { $0 * (innerCount ?? 0) }) }
    // Only a text ends at a zero for sure, and several texts are no text.
    if element.words == "char" {
      guard case .array(.base, _) = type else { throw InexpressibleError("an array of texts") }
    } else if count == nil {
      throw InexpressibleError("an array without a length")
    }
    return Self.join(try declaration(element, "", .result), "[\(count.map(String.init) ?? "")]")
  }

  /// Returns the signature without the `declarations` that it needs.
  mutating func type(of function: Header.Function) throws(InexpressibleError) -> String {
    guard case .function(let result, let list) = try header.resolve(try HeaderTypeParser.type(function.type), handles) else {
      throw InexpressibleError("the type \(function.type)")
    }
    if function.leaves || list.doesNotReturn { throw InexpressibleError("a function that does not return as others do") }
    if list.isUnknown { throw InexpressibleError("a declaration without parameters; those of C write (void) for none") }
    let names = Self.names(function.parameterNames)
    var parameters: [Parameter] = []
    for (index, type) in list.types.enumerated() {
      if Self.isArgumentList(type) { throw InexpressibleError("a va_list") }
      let name = names.indices.contains(index) ? names[index] : nil
      let length = function.arrayLengths.indices.contains(index) ? function.arrayLengths[index] : nil
      let isNonnull = function.nonnullParameters.contains(index)
      let isOpaque =
        function.parameterTypes.indices.contains(index) && handles.pointers.contains(function.parameterTypes[index])
      parameters.append(
        Parameter(type: isNonnull ? type.nonnull : type, name: name, arrayLength: length, isOpaque: isOpaque))
    }
    var texts = try self.texts(parameters, of: function.name)
    if owners?.releases(function.name) == true { texts = texts.map { "consumed " + $0 } }
    if list.isVariadic { texts.append("...") }
    let text = try declaration(result, "(\(texts.isEmpty ? "void" : texts.joined(separator: ", ")))", .result)
    return (owners?.deallocator(ofResultOf: function.name).map { "owned(\($0)) " } ?? "") + text
  }

  struct Parameter {
    let type: HeaderType
    let name: String?
    /// The number of elements of an array of a fixed length.
    var arrayLength: Int?
    /// True for a typedef of `void *` that names an object of the library.
    var isOpaque = false
  }

  private mutating func texts(_ parameters: [Parameter], of function: String) throws(InexpressibleError) -> [String] {
    let guesses = detail == .guesses ? guesses(parameters, of: function) : [:]
    var texts: [String] = []
    for (index, parameter) in parameters.enumerated() {
      if let deallocator = owners?.deallocator(of: index, of: function), let object = parameter.type.pointee?.pointee?.words {
        reference(object)
        texts.append("out owned(\(deallocator)) \(object) **\(parameter.name ?? "object")")
      } else if let guess = guesses[index] {
        texts.append(guess)
      } else if let length = parameter.arrayLength, detail != .words,
        let element = parameter.type.pointee.flatMap({ element($0) })
      {
        texts.append(Self.join(element, "\(parameter.name ?? "array\(index + 1)")[\(length)]"))
      } else {
        texts.append(try declaration(parameter.type, parameter.name ?? "", .parameter))
      }
    }
    return texts
  }

  /// True for `va_list`, which has other names on other machines.
  private static func isArgumentList(_ type: HeaderType) -> Bool {
    let words = type.words ?? type.pointee?.words
    return words.map { $0.contains("va_list") } ?? false
  }

  /// Returns the names as a signature can have them: without the underscores in front of which the C library writes its names.
  private static func names(_ names: [String?]) -> [String?] {
    var known: Set<String> = []
    return names.map { name in
      guard let name, let word = [String(name.drop { $0 == "_" }), name, name + "_"].first(where: isName),
        known.insert(word).inserted
      else { return nil }
      return word
    }
  }
}
