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
  indirect case sequence(CType, LengthExpression)
  /// The flexible array member at the end of a struct, such as `char text[]`. It has no size of its own.
  indirect case flexible(CType, LengthExpression)
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
    package static let toChar = Pointer(spelling: "char *")
  }

  /// A pointer to an object that only its library knows; see ``ForeignHandle``.
  public struct Handle: Sendable, Hashable {
    /// The struct, such as `struct sqlite3`. Handles of different structs are not interchangeable.
    public let name: String
    /// Whether NULL may be passed: the pointer is marked `_Nullable`.
    public let isNullable: Bool
    /// Whether the struct is constant.
    let isConstant: Bool

    package init(name: String, isNullable: Bool = false, isConstant: Bool = false) {
      (self.name, self.isNullable, self.isConstant) = (name, isNullable, isConstant)
    }

    /// The canonical spelling, such as `struct sqlite3 *`.
    var spelling: String { (isConstant ? "const " : "") + name + " *" + (isNullable ? "_Nullable" : "") }
  }

  /// A C `enum`.
  public struct Enumeration: Sendable, Hashable {
    public struct Case: Sendable, Hashable {
      /// A C identifier.
      public let name: String
      public let value: Int128
    }

    /// The tag; nil for an anonymous enumeration.
    public internal(set) var name: String?
    /// The type that was written, else the one that compilers choose on Linux: `int` if a value is negative, else `unsigned int`.
    public let underlying: Integer
    /// The underlying type is spelled out, as C23 allows.
    let hasWrittenType: Bool
    /// In source order. Several may have the same value.
    public let cases: [Case]

    package func value(of name: String) -> Int128? { cases.first { $0.name == name }?.value }
  }
}

// MARK: Names

extension CType {
  /// The types whose name is a single word that combines with no other, by that word.
  package static let named: [String: CType] = {
    var types: [String: CType] = [
      "void": .void, "bool": .bool, "_Bool": .bool, "float": .float, "double": .double, "string": .string,
      "pointer": .pointer(.toVoid), "resolver": .resolver,
    ]
    for integer in Integer.typedefs { types[integer.name] = .integer(integer) }
    return types
  }()

  /// Reads a type in the grammar of ``Signature``, with declarations in front of it.
  public init(parsing text: String) throws(SignatureError) {
    var parser = try SignatureParser(text)
    self = try parser.dataType()
  }

  /// Swift has a type for the `long double` of x86-64 only.
  package static var hasLongDouble: Bool {
    #if arch(x86_64)
      true
    #else
      false
    #endif
  }
}

// MARK: Classes of types

extension CType {
  /// The integer type of the values of an integer or enumeration.
  @inlinable
  package var integer: Integer? {
    switch self {
    case .integer(let integer): integer
    case .enumeration(let enumeration): enumeration.underlying
    default: nil
    }
  }

  @inlinable package var isHandle: Bool { if case .handle = self { true } else { false } }

  /// An array of plain `char`, which C uses for text.
  package var isText: Bool {
    if case .array(.integer(let integer), _) = self { integer.name == "char" } else { false }
  }

  /// An array of single bytes.
  @inlinable package var isBytes: Bool { if case .array(let element, _) = self { element.isByte } else { false } }

  @inlinable package var isByte: Bool { if case .integer(let integer) = self { integer.width == 8 } else { false } }

  /// The type as which C passes an argument behind `...`: small integers as `int`, `float` as `double` (C11, section 6.5.2.2).
  package var promoted: CType {
    switch self {
    case .float: .double
    case .bool: .integer(.int)
    case .integer(let integer) where integer.width < 32: .integer(.int)
    case .enumeration(let enumeration): CType.integer(enumeration.underlying).promoted
    default: self
    }
  }
}
