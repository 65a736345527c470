import Testing

@testable import TroupeTools

@Suite("Types as clang spells them") struct HeaderTypeParserTests {
  private func base(_ words: String, isConstant: Bool = false) -> HeaderType { .base(words, isConstant: isConstant) }
  private func pointer(_ pointee: HeaderType, isConstant: Bool = false, isNonnull: Bool = false) -> HeaderType {
    .pointer(pointee, isConstant: isConstant, isNonnull: isNonnull)
  }
  private func function(_ result: HeaderType, _ types: [HeaderType], isVariadic: Bool = false) -> HeaderType {
    .function(result, HeaderType.FunctionParameters(types: types, isVariadic: isVariadic))
  }

  @Test("Words, qualifiers and stars")
  func pointers() throws {
    #expect(try HeaderTypeParser.type("unsigned long") == base("unsigned long"))
    #expect(try HeaderTypeParser.type("const struct point *restrict") == pointer(base("struct point", isConstant: true)))
    #expect(
      try HeaderTypeParser.type("const char *const *")
        == pointer(pointer(base("char", isConstant: true), isConstant: true)))
    #expect(try HeaderTypeParser.type("void * _Nonnull") == pointer(base("void"), isNonnull: true))
    #expect(try HeaderTypeParser.type("void * _Nullable") == pointer(base("void")))
    #expect(try HeaderTypeParser.type("name _Nullable") == base("name"))
    #expect(try HeaderTypeParser.type("struct (unnamed struct at a b.h:3:43)") == base("struct (anonymous)"))
  }

  @Test("Arrays and functions bind more strongly than stars")
  func declarators() throws {
    #expect(try HeaderTypeParser.type("short[2][3]") == .array(.array(base("short"), count: 3), count: 2))
    #expect(try HeaderTypeParser.type("int (*)[4]") == pointer(.array(base("int"), count: 4)))
    #expect(try HeaderTypeParser.type("char[]") == .array(base("char"), count: nil))
    #expect(try HeaderTypeParser.type("int (void)") == function(base("int"), []))
    let handler = pointer(function(base("void"), [base("int")]))
    #expect(try HeaderTypeParser.type("void (*)(int)") == handler)
    #expect(try HeaderTypeParser.type("void (*(int, void (*)(int)))(int)") == function(handler, [base("int"), handler]))
    let nested = pointer(function(pointer(function(base("int"), [base("double")])), [base("int")]))
    #expect(try HeaderTypeParser.type("int (*(*)(int))(double)") == nested)
  }

  @Test("Empty parentheses, dots and noreturn are parts of a function type")
  func functions() throws {
    #expect(
      try HeaderTypeParser.type("int (const char *, ...)")
        == function(base("int"), [pointer(base("char", isConstant: true))], isVariadic: true))
    #expect(
      try HeaderTypeParser.type("int ()") == .function(base("int"), HeaderType.FunctionParameters(isUnknown: true)))
    #expect(
      try HeaderTypeParser.type("void (void) __attribute__((noreturn))")
        == .function(base("void"), HeaderType.FunctionParameters(doesNotReturn: true)))
  }

  @Test(
    "A type that signatures lack is refused with its text",
    arguments: [
      "__attribute__((__vector_size__(4 * sizeof(int)))) int", "void (int) __attribute__((ms_abi))", "_Atomic(int)", "int (",
      "",
      "int (*", "int [", "void (^)(int)", "int )",
    ])
  func refused(text: String) {
    #expect(throws: InexpressibleError("the type \(text)")) { try HeaderTypeParser.type(text) }
  }
}
