import Testing
import TroupeSignature

@Suite("C types")
struct CTypeTests {
  @Test(
    "A type prints in its canonical spelling",
    arguments: [
      ("void", "void"), ("_Bool", "bool"), ("bool", "bool"), ("float", "float"), ("double", "double"),
      ("string", "const char *"), ("const char *", "const char *"), ("char const*", "const char *"),
      ("const char * const", "const char *"), ("char *", "char *"), ("pointer", "void *"), ("const pointer", "void *"),
      ("const void*", "const void *"), ("void const *", "const void *"), ("void**", "void **"),
      ("char * const * x", "char *const *"), ("const char **", "const char **"), ("string *", "const char **"),
      ("const string *", "const char *const *"), ("pointer*", "void **"), ("signed char const *", "const signed char *"),
      ("const unsigned char*", "const unsigned char *"), ("resolver", "resolver"), ("const int", "int"),
      ("const const int *const const *", "const int *const *"), ("bool *", "bool *"), ("unsigned *", "unsigned int *"),
    ] as [(String, String)])
  func spelling(written: String, canonical: String) throws {
    if written == "void" || written.hasSuffix("x") == false && written != "resolver" {
      #expect(try Signature(parsing: written + " ()").result.description == canonical)
    }
    if written != "void" {
      #expect(try Signature(parsing: "void (\(written))").parameters[0].type.description == canonical)
    }
  }

  @Test(
    "Definitions of structs that refer to each other are freed with the last type that refers to them",
    arguments: [
      "struct node *next", "struct node **chain", "const struct node *const *chain", "struct node *children[4]",
      "int (*visit)(struct node **chain)", "struct { struct node **chain; } list",
    ])
  func definitionsAreFreed(member: String) throws {
    var type: CType? = try CType(parsing: "struct node { \(member); int value; }; struct node *")
    weak var definitions = type?.definitions
    #expect(definitions != nil)
    type = nil
    #expect(definitions == nil)
  }

  @Test("A reference behind two pointers finds its struct")
  func definitionBehindPointers() throws {
    guard case .record(let node) = try CType(parsing: "struct node { struct node **chain; int value; }"),
      case .pointer(let chain) = node.members[0].type, case .reference(let reference)? = chain.target
    else {
      Issue.record("the member is a pointer to a pointer")
      return
    }
    #expect(reference.record?.memberNames == ["chain", "value"])
  }

  @Test("A string, a void pointer and any other pointer are different types")
  func pointers() throws {
    let types = try Signature(parsing: "void (string, const char *, char *, pointer, void *)").parameters.map(\.type)
    #expect(types[0] == .string)
    #expect(types[1] == .string)
    #expect(types[2] != .string)
    #expect(types[3] == .pointer(.toVoid))
    #expect(types[4] == .pointer(.toVoid))
    guard case .pointer(let pointer) = types[2] else { throw TestError("char * is no pointer") }
    #expect(pointer.spelling == "char *")
  }
}

@Suite("C integer types")
struct CTypeIntegerTests {
  @Test(
    "An integer type has the width and the range of the platform's C type",
    arguments: [
      ("signed char", 8, true), ("unsigned char", 8, false), ("short", 16, true), ("unsigned short", 16, false),
      ("int", 32, true), ("unsigned int", 32, false), ("long", Int.bitWidth, true), ("unsigned long", Int.bitWidth, false),
      ("long long", 64, true), ("unsigned long long", 64, false), ("int8_t", 8, true), ("int16_t", 16, true),
      ("int32_t", 32, true), ("int64_t", 64, true), ("uint8_t", 8, false), ("uint16_t", 16, false), ("uint32_t", 32, false),
      ("uint64_t", 64, false), ("size_t", Int.bitWidth, false), ("ssize_t", Int.bitWidth, true),
      ("ptrdiff_t", Int.bitWidth, true), ("intptr_t", Int.bitWidth, true), ("uintptr_t", Int.bitWidth, false),
      ("intmax_t", 64, true), ("uintmax_t", 64, false),
    ] as [(String, Int, Bool)])
  func width(name: String, width: Int, isSigned: Bool) throws {
    guard case .integer(let type) = try Signature(parsing: "\(name) (void)").result else {
      throw TestError("\(name) is no integer type")
    }
    #expect(type.name == name)
    #expect(type.width == width)
    #expect(type.isSigned == isSigned)
    #expect(type.range.upperBound - type.range.lowerBound == (Int128(1) << width) - 1)
    #expect((type.range.lowerBound < 0) == isSigned)
  }

  @Test("The range of a 64-bit type includes its last value")
  func widestRanges() throws {
    let ranges = CType.Integer.all.filter { $0.width == 64 }.map(\.range)
    #expect(ranges.allSatisfy { $0 == Int128(Int64.min)...Int128(Int64.max) || $0 == 0...Int128(UInt64.max) })
  }

  @Test("Every integer type parses to itself", arguments: CType.Integer.all)
  func parses(type: CType.Integer) throws {
    #expect(try Signature(parsing: "\(type.name) (\(type.name) x)").result == .integer(type))
  }
}

@Suite("Spelling integer types")
struct IntegerSpellingTests {
  @Test(
    "Keywords are accepted in every order that C permits",
    arguments: [
      ("char", ["char"]),
      ("signed char", ["signed char", "char signed"]),
      ("unsigned char", ["unsigned char", "char unsigned", "char const unsigned"]),
      ("short", ["short", "short int", "int short", "signed short", "short signed int", "int signed short"]),
      ("unsigned short", ["unsigned short", "short unsigned", "short int unsigned", "unsigned int short"]),
      ("int", ["int", "signed", "signed int", "int signed", "const int", "int const"]),
      ("unsigned int", ["unsigned", "unsigned int", "int unsigned", "unsigned const"]),
      ("long", ["long", "long int", "int long", "signed long", "long signed int"]),
      ("unsigned long", ["unsigned long", "long unsigned int", "long unsigned", "int unsigned long"]),
      ("long long", ["long long", "long int long", "long long int", "long signed long", "long long const signed int"]),
      ("unsigned long long", ["unsigned long long", "long unsigned long", "long unsigned int long", "long long unsigned"]),
    ] as [(String, [String])])
  func orders(canonical: String, spellings: [String]) throws {
    for spelling in spellings {
      #expect(try Signature(parsing: "\(spelling) (\(spelling) x)").description == "\(canonical) (\(canonical) x)")
    }
  }

  @Test("A sequence of keywords is accepted exactly if it spells a C type")
  func exhaustive() {
    let words = ["signed", "unsigned", "char", "short", "int", "long"]
    var sequences: [[String]] = [[]]
    for _ in 0..<5 {
      sequences = sequences.flatMap { sequence in [sequence] + words.map { sequence + [$0] } }
    }
    // The multisets of C17, section 6.7.2.
    let permitted: Set<[String]> = Set(
      [
        "char", "signed char", "unsigned char", "short", "signed short", "short int", "signed short int", "unsigned short",
        "unsigned short int", "int", "signed", "signed int", "unsigned", "unsigned int", "long", "signed long", "long int",
        "signed long int", "unsigned long", "unsigned long int", "long long", "signed long long", "long long int",
        "signed long long int", "unsigned long long", "unsigned long long int",
      ].map { $0.split(separator: " ").map(String.init).sorted() })
    for sequence in Set(sequences) where !sequence.isEmpty {
      let parsed = try? Signature(parsing: sequence.joined(separator: " ") + " (void)")
      #expect((parsed != nil) == permitted.contains(sequence.sorted()), "\(sequence)")
    }
  }
}
