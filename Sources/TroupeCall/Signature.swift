/// The type of a C function: what it takes and what it gives back.
///
///     let signature = try Signature(parsing: "double(double width, int32_t count)")
///     print(signature)                     // double (double width, int32_t count)
///     print(signature.parameters[1].type)  // int32_t
///
/// It is written as a C function type, result first, with or without names for the parameters:
///
///     signature  = type "(" [ "void" | parameter { "," parameter } ] ")"
///     parameter  = type [ name ]
///     type       = base { "*" [ "const" ] }, with "const" anywhere in the base
///     base       = "void" | "bool" | "float" | "double" | "string" | "pointer" | "resolver" | an integer type of C
///     name       = a C identifier that no other parameter has and that is not a keyword
///
/// An integer type is spelled with C's keywords in any order that C permits, or is one of `int8_t` … `uint64_t`, `size_t`,
/// `ssize_t`, `ptrdiff_t`, `intptr_t`, `uintptr_t`, `intmax_t`, `uintmax_t`. `string` and `const char *` are the same type;
/// `pointer` is `void *`. Spaces, tabs and line ends are alike.
public struct Signature: Sendable, Hashable, CustomStringConvertible {
  /// One parameter of a function.
  public struct Parameter: Sendable, Hashable, CustomStringConvertible {
    /// The type, never `void`.
    public let type: CType
    /// The name, if the author gave one; a C identifier.
    public let name: String?

    init(type: CType, name: String?) {
      self.type = type
      self.name = name
    }

    /// The canonical text, such as `int32_t count` or `const char *name`.
    public var description: String {
      guard let name else { return type.description }
      let type = type.description
      return type.hasSuffix("*") ? type + name : "\(type) \(name)"
    }
  }

  /// The type of what the function gives back, never `resolver`.
  public let result: CType
  /// The parameters in their order; at most ``maximumParameterCount``.
  public let parameters: [Parameter]

  /// The number of parameters that a signature may have at most.
  public static let maximumParameterCount = 1024
  /// The length in UTF-8 bytes that a signature may have at most, as it is written and as it is printed.
  public static let maximumLength = 65536

  /// Reads a signature. The cost grows with the length of the text and nothing else; any text at all may be given.
  ///
  /// - Parameter text: What the author wrote, in the grammar above.
  /// - Throws: A `SignatureError` that says where the first fault is and what was expected there.
  public init(parsing text: String) throws(SignatureError) {
    var parser = try SignatureParser(text)
    self = try parser.signature()
  }

  init(result: CType, parameters: [Parameter]) {
    self.result = result
    self.parameters = parameters
  }

  /// The parameters that a caller gives an argument for: all but those of type `resolver`.
  public var callerParameters: [Parameter] {
    parameters.filter { $0.type != .resolver }
  }

  /// The canonical text, such as `double (double width, int32_t count)` or `const char *(void)`. It parses to an equal
  /// signature.
  public var description: String {
    let list = parameters.isEmpty ? "void" : parameters.map(\.description).joined(separator: ", ")
    let result = result.description
    return result.hasSuffix("*") ? "\(result)(\(list))" : "\(result) (\(list))"
  }
}
