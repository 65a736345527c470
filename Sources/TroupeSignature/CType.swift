/// A C type in a signature, as the caller of a function sees it.
///
/// The cases say what a call does with a value, so one C type can have several: `const char *` is a `string`, which a call copies, `char *`
/// is a `pointer` to memory that the caller may lend, and a pointer to a struct is a `reference`, a reference that keeps the object's identity.
/// How a parameter is passed, such as behind an `out` pointer, is not part of its type but of
/// ``Signature/Parameter/passing-swift.property``.
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
/// Two types are equal if their canonical spellings are: `unsigned` and `unsigned int` are the same type. `long` and `int64_t` are not,
/// even where they are equally wide.
public enum CType: Sendable, Hashable, CustomStringConvertible {
  /// No value; only as a result.
  case void
  /// `bool` or `_Bool`.
  case bool
  /// An integer type of C, also a `char` type.
  case integer(Integer)
  /// An `enum`: an integer some of whose values have names.
  case enumeration(Enumeration)
  /// A 32-bit floating-point number.
  case float
  /// A 64-bit floating-point number.
  case double
  /// `long double` in the 80-bit format of x86-64. No other machine has it here.
  case longDouble
  /// A C99 complex number.
  case complex(Real)
  /// `string` or `const char *`: a C string in UTF-8, or NULL. An argument is valid until the call returns. A result is copied at once and
  /// stays the library's.
  case string
  /// A string of `wchar_t`, `char16_t` or `char32_t`, such as `const wchar_t *`, or NULL. A call copies it as it copies a `string`.
  case wideString(Integer)
  /// A pointer to memory whose extent the signature does not say, such as `int *` or `void *`.
  indirect case pointer(Pointer)
  /// A pointer to a struct or union: a reference to one object, which keeps its identity through calls, members and arrays.
  case reference(Reference)
  /// A pointer to several elements, as a result, an output or a member: `const char *[count]`, `T (*items)[count]`.
  indirect case sequence(CType, LengthExpression)
  /// The flexible array member at the end of a struct, such as `char text[]`. Its size is 0.
  indirect case flexible(CType, LengthExpression)
  /// A `struct` or `union` by value.
  case record(Record)
  /// An array of a fixed number of elements, within a record or as an element of a buffer.
  indirect case array(CType, count: Int)
  /// A pointer to a function of this type, which C calls back.
  indirect case function(Signature)
  /// The access of a function to its host, as a parameter. The host passes it, and callers give no argument for it.
  case resolver

  /// The canonical spelling, which parses to an equal type: `unsigned int` for `unsigned`, `const char *` for `string`, `void *` for
  /// `pointer`. A record or enumeration is spelled with its members.
  public var description: String {
    var printer = SignaturePrinter()
    return printer.text(self)
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

  /// A pointer that is no string, reference or callback: `int *`, `void *`, `char **`.
  public struct Pointer: Sendable, Hashable {
    /// The canonical C spelling, such as `const void *` or `char **`. Qualifiers of the pointer itself are left out, as C
    /// leaves them out of a function's type.
    public let spelling: String
    /// The type of the elements that it leads to, such as `int`; nil for `void` and for a type that calls do not know.
    public let target: CType?
    /// The function does not write through the pointer.
    public let isConstant: Bool

    package init(spelling: String, target: CType? = nil, isConstant: Bool = false) {
      (self.spelling, self.target, self.isConstant) = (spelling, target, isConstant)
    }

    /// Compares spellings, which say all about a target but the members of its structs.
    public static func == (left: Pointer, right: Pointer) -> Bool { left.spelling == right.spelling }

    /// Hashes the spelling.
    public func hash(into hasher: inout Hasher) { hasher.combine(spelling) }

    /// `void *`, which is also `pointer`.
    public static let toVoid = Pointer(spelling: "void *")
    package static let toChar = Pointer(spelling: "char *", target: .integer(.char))
  }

  /// A pointer to a struct or union.
  ///
  ///     struct sqlite3 *db          opaque: only its library knows the members
  ///     const struct tm *time       defined: the members can be read through it
  ///
  /// Two references are of one type if the tags are the same. The definition belongs to the whole text, wherever it stands there, so that a
  /// struct that refers to itself, or to one that is defined behind it, has the same type everywhere.
  public struct Reference: Sendable, Hashable {
    /// The struct, such as `struct sqlite3`. References to different structs are not interchangeable.
    public let name: String
    /// The function does not change the object.
    public let isConstant: Bool
    /// The definitions of the text that this type was read from.
    package let definitions: Definitions?

    package init(name: String, isConstant: Bool = false, definitions: Definitions? = nil) {
      (self.name, self.isConstant, self.definitions) = (name, isConstant, definitions)
    }

    /// The struct with its members; nil if it is opaque. Cost: linear in the members of a struct that contains references.
    public var record: Record? { definitions?.records[name]?.referring(to: definitions) }

    /// Compares tags, qualifiers and, if both references have one, the definitions behind the tags. A definition's own references count as
    /// their tags, so that the comparison ends also for structs that refer to each other.
    public static func == (left: Reference, right: Reference) -> Bool {
      guard left.name == right.name, left.isConstant == right.isConstant else { return false }
      if left.definitions === right.definitions { return true }
      guard let own = left.record, let other = right.record else { return left.record == nil && right.record == nil }
      return own.definition == other.definition
    }

    /// Hashes the tag.
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
  }

  /// The structs and unions that a text defines, by their spelling, such as `struct tm`.
  ///
  /// References refer to their table of definitions, and the records in a table contain references. So these have no table, or none would
  /// ever be freed; ``Reference/record`` gives them one.
  package final class Definitions: @unchecked Sendable {
    // Sendable because the parser sets the records once, before any type that refers to them leaves it.
    fileprivate var records: [String: Record] = [:]

    /// Stores the definitions. Called once.
    func set(_ records: [String: Record]) { self.records = records.mapValues { $0.referring(to: nil) } }

    package init() {}
  }

  /// A C `enum`.
  public struct Enumeration: Sendable, Hashable {
    /// A named value.
    public struct Case: Sendable, Hashable {
      /// A C identifier.
      public let name: String
      /// The number that C passes.
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

  /// The definitions of the text that the type was read from, if it contains a reference.
  package var definitions: Definitions? {
    switch self {
    case .reference(let reference): reference.definitions
    case .pointer(let pointer): pointer.target?.definitions
    case .array(let element, _), .sequence(let element, _), .flexible(let element, _): element.definitions
    case .record(let record): record.members.lazy.compactMap(\.type.definitions).first
    case .function(let signature): signature.definitions
    default: nil
    }
  }

  /// The type contains a pointer to a struct.
  var hasReferences: Bool {
    switch self {
    case .reference: true
    case .pointer(let pointer): pointer.target?.hasReferences ?? false
    case .array(let element, _), .sequence(let element, _), .flexible(let element, _): element.hasReferences
    case .record(let record): record.hasReferences
    case .function(let signature): signature.result.hasReferences || signature.parameters.contains { $0.type.hasReferences }
    default: false
    }
  }

  /// The same type, whose references find their structs in a table.
  func referring(to definitions: Definitions?) -> CType {
    guard hasReferences else { return self }
    switch self {
    case .reference(let reference):
      return .reference(Reference(name: reference.name, isConstant: reference.isConstant, definitions: definitions))
    case .pointer(let pointer):
      return .pointer(
        Pointer(
          spelling: pointer.spelling, target: pointer.target?.referring(to: definitions), isConstant: pointer.isConstant))
    case .array(let element, let count): return .array(element.referring(to: definitions), count: count)
    case .sequence(let element, let length): return .sequence(element.referring(to: definitions), length)
    case .flexible(let element, let length): return .flexible(element.referring(to: definitions), length)
    case .record(let record): return .record(record.referring(to: definitions))
    case .function(let signature): return .function(signature.referring(to: definitions))
    default: return self
    }
  }

  /// C passes an address.
  package var isPointer: Bool {
    switch self {
    case .string, .wideString, .pointer, .reference, .sequence, .function, .resolver: true
    default: false
    }
  }

  /// Both are pointers to the same type, `const` aside.
  package func isSamePointer(as other: CType) -> Bool {
    func name(_ type: CType) -> String { type.shortDescription.replacing("const ", with: "") }
    return isPointer && other.isPointer && name(self) == name(other)
  }

  @inlinable package var isReference: Bool { if case .reference = self { true } else { false } }

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
