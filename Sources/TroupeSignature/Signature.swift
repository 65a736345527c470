internal import TroupeBase

/// The type of a C function, with what a caller must know besides.
///
/// C's declarations do not say which pointers are for results, how long a buffer is, who frees what, and which results are failures. A
/// signature is a C function type with markers that do:
///
///     struct db; int (const char *path, out owned(close_db) struct db **db)  a reference that close_db frees comes back through db
///     double (const double values[count], int count)                         the length of values is count
///     ssize_t (int fd, out void bytes[size, result], size_t size) errno      result bytes of size are written; -1 is a failure
///
/// So a call takes and gives plain values and needs no wrapper in C.
///
///     let signature = try Signature(parsing: "double(double width, int32_t count)")
///     print(signature)                     // double (double width, int32_t count)
///     print(signature.parameters[1].type)  // int32_t
///
/// The result comes first, and the parameters may have names:
///
///     signature   = { declaration } result "(" [ "void" | parameters ] ")" [ failure ]
///                 | { declaration } type "(" "*" "(" [ "void" | parameters ] ")" ")" callee [ failure ]
///     declaration = ( record | enum | "typedef" type name | "typedef" function type ) ";"
///     result      = { marker } type [ "[" [ length ] "]" ]
///     parameters  = parameter { "," parameter } [ "," "..." { "," parameter } ]
///     parameter   = { marker } type [ name ] [ "[" [ length ] [ "," length ] "]" { "[" number "]" } ]
///                 | { marker } type "(" "*" { "*" } [ name ] ")" ( callee | "[" [ length ] "]" )
///     callee      = "(" [ "void" | parameters ] ")"
///     marker      = "out" | "inout" | "owned" "(" function ")" | "borrows" "(" name { "," name } ")" | "consumed" | "kept"
///     length      = product { "+" product } [ "bytes" ]
///     product     = factor { "*" factor }
///     factor      = number | the name of an integer parameter or member | "result"
///     failure     = "errno" [ "(" ( "any" | "result" ) ")" ]
///                 | "error" "(" condition [ "except" number { "," number } ] [ ":" function [ "(" [ name ] ")" ] ] ")"
///     condition   = "null" | "zero" | "nonzero" | "negative"
///     type        = base { "*" { "const" | "volatile" | "restrict" | "_Nullable" | "_Nonnull" } }
///     base        = "void" | "bool" | "float" | "double" | "long double" | "string" | "pointer" | "resolver" | an integer type of C
///                 | "float _Complex" | "double _Complex" | "long double _Complex" | record | enum | the name of a typedef
///     record      = ( "struct" | "union" ) [ tag ] "{" { member ";" } "}" [ "packed" ] | ( "struct" | "union" ) tag
///     member      = base declarator { "," declarator } | a record without a tag
///     declarator  = { "*" } name { "[" number "]" } | { "*" } name "[" [ length ] "]"
///                 | { "*" } "(" "*" name ")" ( callee | "[" [ length ] "]" )
///     enum        = "enum" [ tag ] [ ":" integer type ] "{" name [ "=" number ] { "," name [ "=" number ] } "}" | "enum" tag
///     name        = a C identifier that no other parameter or member has and that is neither a keyword nor "packed"
///
/// An integer type is spelled with C's keywords in any order that C permits, or is one of `int8_t` to `uint64_t`, `size_t`, `ssize_t`,
/// `ptrdiff_t`, `intptr_t`, `uintptr_t`, `intmax_t`, `uintmax_t`, `wchar_t`, `wint_t`, `char16_t`, `char32_t`. `const` and `volatile` may
/// stand anywhere in a base. `string` is `const char *`, and `pointer` is `void *`. Spaces, tabs and line ends are alike.
///
/// A record or enumeration is defined once, before the result or at any use; elsewhere its tag is enough, also in front of the definition
/// if there is a star behind it. A pointer to a struct is a reference to one object, whether the struct is defined, declared without
/// members, or only mentioned. Pointers need a tag, except with `out` and `inout`. NULL is a value of every pointer unless `_Nonnull` stands
/// behind the star.
///
/// A buffer of `void` is one of `unsigned char`. Empty brackets mean that a zero element ends the buffer. Only a text, also a `char *`, a
/// reference or a buffer is `owned`. Only a reference is `consumed` or `borrows`. Only a pointer is `kept`. `result` is a factor of the
/// length of an output. A result has no `out`, `inout`, `consumed` or `kept`.
///
/// See ``Parameter/Passing-swift.enum`` for `out`, `inout` and buffers, ``Ownership`` for `owned`, `borrows`, `consumed` and `kept`,
/// ``LengthExpression`` for lengths, and ``FailureRule`` for failures.
public struct Signature: Sendable, Hashable, CustomStringConvertible {
  /// Who frees the object that a pointer leads to.
  public struct Ownership: Sendable, Hashable {
    /// The function that frees the object for the caller, from `owned(function)`: text or a buffer once it has been copied, a reference when
    /// nothing refers to it any more. Nil if the library keeps the object.
    public var deallocator: String?
    /// The indices of the parameters whose references the object needs for as long as it exists, from `borrows(name)`.
    public var borrowedFrom: [Int] = []
    /// The function takes ownership of the argument, from `consumed`.
    public var isConsumed = false
    /// The library uses the argument's memory or callback after the call, from `kept`: for as long as the reference exists that the call
    /// returns, or, if it returns none, its first reference argument.
    public var isKept = false

    package init() {}
  }

  /// Never `resolver`.
  public let result: CType
  /// Who frees the object that the result points to.
  public let resultOwnership: Ownership
  /// At most ``maximumParameterCount``.
  public let parameters: [Parameter]
  /// The number of parameters before the `...`; nil without `...`. The parameters behind it are the arguments of one use of the function.
  public let fixedCount: Int?
  /// The results that are failures; nil if the signature names none.
  public let failureRule: FailureRule?

  /// The limit for the parameters of a function and for the members of a record.
  public static let maximumParameterCount = 1024
  /// The limit for the text, as it is written and as it is printed, in UTF-8 bytes.
  public static let maximumLength = 65536
  /// The limit for records, arrays and callbacks within each other.
  public static let maximumDepth = 16
  /// The limit for the types in the parameters together and in the result, members of members included. Few definitions that use each other
  /// can make very many.
  static let maximumTypeCount = 65536
  /// The limit for all parameters together in bytes. Some of them are on the thread's stack.
  public static let maximumArgumentSize = 262_144

  /// The words that can name no parameter, member or value of an enumeration.
  package static let reservedWords = SignatureParser.keywords.union(["packed"])

  /// Reads a signature in the grammar above.
  ///
  /// Any text may be given. Cost: linear in its length.
  public init(parsing text: String) throws(SignatureError) {
    var parser = try SignatureParser(text)
    self = try parser.signature()
  }

  package init(
    result: CType, resultOwnership: Ownership = Ownership(), parameters: [Parameter], fixedCount: Int? = nil,
    failureRule: FailureRule? = nil
  ) {
    self.result = result
    self.resultOwnership = resultOwnership
    self.parameters = parameters
    self.fixedCount = fixedCount
    self.failureRule = failureRule
  }

  /// The same signature, whose references find their structs in a table.
  func referring(to definitions: CType.Definitions?) -> Signature {
    Signature(
      result: result.referring(to: definitions), resultOwnership: resultOwnership,
      parameters: parameters.map { parameter in
        Parameter(
          type: parameter.type.referring(to: definitions), name: parameter.name, passing: parameter.passing,
          ownership: parameter.ownership, isNonnull: parameter.isNonnull)
      }, fixedCount: fixedCount, failureRule: failureRule)
  }

  /// The structs that the text of the signature defines; nil if it has no reference.
  package var definitions: CType.Definitions? {
    ([result] + parameters.map(\.type)).lazy.compactMap(\.definitions).first
  }

  /// Empty for a parameter without a name.
  package func name(_ index: Int) -> String { parameters[index].name ?? "" }

  /// The parameters that a caller gives arguments for: not those of type `resolver`, those that are only outputs, and the lengths of
  /// buffers that the caller gives.
  public var callerParameters: [Parameter] {
    zip(parameters, takesArgument).compactMap { $1 ? $0 : nil }
  }

  /// The parameters through which a call gives values back, in their order. Each has a name.
  public var outputs: [Parameter] { parameters.filter(\.givesBack) }

  /// Arguments of other types may follow those of the parameters.
  public var isOpenEnded: Bool { fixedCount == parameters.count }

  /// True for each parameter that the caller gives an argument for. Cost: linear in their number.
  package var takesArgument: [Bool] {
    var takes = parameters.map { parameter in
      switch parameter.passing {
      case .pointer(.output), .buffer(.output, _, _): false
      case .value, .pointer, .buffer: parameter.type != .resolver
      }
    }
    // The length of a buffer that the caller gives is known.
    for parameter in parameters {
      if case .buffer(let direction, let length, _) = parameter.passing, direction != .output, let index = length.parameter {
        takes[index] = false
      }
    }
    return takes
  }

  /// The canonical text, such as `double (double width, int32_t count)`. It parses to an equal signature.
  public var description: String {
    var printer = SignaturePrinter()
    return printer.signature(self)
  }

  /// The text of a parameter, with the names of the others in its length.
  package func text(of parameter: Parameter) -> String {
    var printer = SignaturePrinter()
    return printer.parameter(parameter, lengthName: name)
  }
}

/// The first error in the text of a signature, with its position and the text that the grammar expects there.
///
///     do {
///       _ = try Signature(parsing: "double (dubble x)")
///     } catch {
///       print(error)
///       // signature "double (dubble x)": column 9: "dubble" is not a type; expected a type such as double, …
///       print(error.position)  // 8
///     }
public struct SignatureError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The whole text that does not parse.
  public let text: String
  /// In UTF-8 bytes from the start of `text`, at most its length.
  public let position: Int
  /// The problem there, such as `"dubble" is not a type`.
  public let problem: String
  /// A noun phrase, such as `a type such as double, int32_t or string`.
  public let expected: String

  /// One line for a person. Columns are bytes from 1. Of a long text it shows the part around the position.
  public var description: String {
    "signature \(text.quoted(around: position)): column \(position + 1): \(problem); expected \(expected)"
  }
}
