/// A C type that a signature may name.
///
///     let signature = try Signature(parsing: "double (const char *name, unsigned count)")
///     for parameter in signature.parameters {
///       switch parameter.type {
///       case .integer(let integer): print(integer.name, integer.range)  // unsigned int 0...4294967295
///       case .string: print("a C string")
///       default: print(parameter.type)
///       }
///     }
///
/// Two types are equal if their canonical spellings are: `unsigned` and `unsigned int` are the same type, `long` and
/// `int64_t` are not, even where they are equally wide.
public enum CType: Sendable, Hashable, CustomStringConvertible {
  /// No value; only as a result.
  case void
  /// `bool`, which is also `_Bool`.
  case bool
  /// Any of C's integer types, the `char` types among them.
  case integer(Integer)
  /// An `enum`: an integer some of whose values have names.
  case enumeration(Enumeration)
  /// A 32-bit floating-point number.
  case float
  /// A 64-bit floating-point number.
  case double
  /// `long double`; the 80-bit format of x86-64, and on no other machine.
  case longDouble
  /// A C99 complex number.
  case complex(Real)
  /// A C string in UTF-8, which may be NULL: `string`, which is also `const char *`. As an argument it is borrowed for the
  /// call; as a result it is copied at once and stays the property of the function that returned it.
  case string
  /// Any other pointer, which nobody looks behind.
  case pointer(Pointer)
  /// A `struct` or `union` by value.
  case record(Record)
  /// An array of a fixed number of elements, within a record or as an element of a buffer.
  indirect case array(CType, count: Int)
  /// A pointer to a function of this type, which C calls back.
  indirect case function(Signature)
  /// A handle with which the function reaches the host; only as a parameter. The host passes it, the caller gives nothing.
  case resolver

  /// The canonical spelling, in C except for `resolver`; for example `unsigned int` for `unsigned`, `const char *` for
  /// `string` and `void *` for `pointer`. A record or enumeration is spelled with its members. A signature that uses it
  /// parses to an equal type.
  public var description: String {
    var printer = SignaturePrinter()
    return printer.declaration(self, name: nil)
  }

  /// The type as a message names it: as `description`, but without the members of what has a tag.
  var shortDescription: String {
    var printer = SignaturePrinter()
    printer.omitsDefinitions = true
    return printer.declaration(self, name: nil)
  }
}

extension CType {
  /// The format of each part of a complex number.
  public enum Real: String, Sendable, Hashable {
    /// 32 bits.
    case float
    /// 64 bits.
    case double
    /// The 80-bit format of x86-64.
    case longDouble = "long double"

    /// The type of a part.
    public var type: CType {
      switch self {
      case .float: .float
      case .double: .double
      case .longDouble: .longDouble
      }
    }
  }

  /// A pointer that is passed on as it is.
  public struct Pointer: Sendable, Hashable {
    /// The canonical C spelling, such as `const void *` or `char **`. Qualifiers of the pointer itself are left out, as C
    /// leaves them out of a function's type.
    public let spelling: String

    package init(spelling: String) {
      self.spelling = spelling
    }

    /// `void *`, which is also `pointer`.
    public static let toVoid = Pointer(spelling: "void *")
  }
}

extension CType {
  /// The types that are named by a single word and are not spelled from several, by that word.
  static let named: [String: CType] = {
    var types: [String: CType] = [
      "void": .void, "bool": .bool, "_Bool": .bool, "float": .float, "double": .double, "string": .string,
      "pointer": .pointer(.toVoid), "resolver": .resolver,
    ]
    for integer in Integer.typedefs { types[integer.name] = .integer(integer) }
    return types
  }()

  /// What to give for this type, to follow "give" in a sentence.
  var remedy: String {
    switch self {
    case .void: "nothing"
    case .bool: "true or false"
    case .integer(let integer): "an integer from \(integer.range.lowerBound) to \(integer.range.upperBound)"
    case .enumeration(let enumeration): "one of \(enumeration.cases.map(\.name).joined(separator: ", ")), or its number"
    case .float, .double, .longDouble: "a number, inf, -inf or nan"
    case .complex: "a number, or an array of the real and the imaginary part"
    case .string: "text without a NUL"
    case .pointer: "a pointer or null"
    case .record(let record) where record.kind == .union: "an object with one of the members \(record.memberList)"
    case .record(let record): "an object with the members \(record.memberList)"
    case .array(_, let count) where isText: "text of at most \(count) bytes, or an array of \(count) numbers"
    case .array(_, let count): "an array of \(count) element\(count == 1 ? "" : "s")"
    case .function: "a callback, a pointer to a function or null"
    case .resolver: "nothing, the host passes it"
    }
  }
}
