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
  /// Text of `wchar_t`, `char16_t` or `char32_t`, such as `const wchar_t *`, which may be NULL; otherwise as `string`.
  case wideString(Integer)
  /// A pointer. A call copies the value behind a constant pointer to a struct that the signature defines, and passes any other
  /// pointer as it is.
  indirect case pointer(Pointer)
  /// A pointer to an object of a library that only the library knows: to a struct that the signature declares without members.
  case handle(Handle)
  /// A pointer to several elements, as a result, an output or a member: `const char *[count]`, `T (*items)[count]`.
  indirect case sequence(CType, Length)
  /// The flexible array member at the end of a struct, such as `char text[]`. It has no size of its own.
  indirect case flexible(CType, Length)
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
    return printer.declaration(self)
  }

  /// The type in a message: `description` without the members of types that have a tag.
  package var shortDescription: String {
    var printer = SignaturePrinter()
    printer.omitsDefinitions = true
    return printer.declaration(self)
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
    /// The struct or union behind a constant pointer to it, if the signature defines it; a call copies it.
    public let pointee: CType?

    package init(spelling: String, pointee: CType? = nil) { (self.spelling, self.pointee) = (spelling, pointee) }

    /// `void *`, which is also `pointer`.
    public static let toVoid = Pointer(spelling: "void *")
    static let toChar = Pointer(spelling: "char *")
  }

  /// A pointer to an object that only its library knows; see ``ForeignHandle``.
  public struct Handle: Sendable, Hashable {
    /// The struct, such as `struct sqlite3`. Handles of different structs are not interchangeable.
    public let name: String
    /// Whether NULL may be passed: the pointer is marked `_Nullable`.
    public let isNullable: Bool
    /// Whether the struct is constant.
    let isConstant: Bool

    /// The canonical spelling, such as `struct sqlite3 *`.
    var spelling: String { (isConstant ? "const " : "") + name + " *" + (isNullable ? "_Nullable" : "") }
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
    case .string, .wideString: "text without a NUL"
    case .pointer(let pointer) where pointer.pointee != nil: "a pointer, null, or the struct as an object"
    case .pointer: "a pointer or null"
    case .handle(let handle): "a handle of \(handle.name)" + (handle.isNullable ? " or null" : "")
    case .sequence, .flexible: "an array"
    case .record(let record) where record.kind == .union: "an object with one of the members \(record.memberList)"
    case .record(let record): "an object with the members \(record.memberList)"
    case .array(_, let count) where isText: "text of at most \(count) bytes, or an array of \(count) numbers"
    case .array(_, let count): "an array of \(count) element\(count == 1 ? "" : "s")"
    case .function: "a callback, a pointer to a function or null"
    case .resolver: "nothing, the host passes it"
    }
  }
}
