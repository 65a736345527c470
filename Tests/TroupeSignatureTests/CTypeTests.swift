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

  @Test("A string, a void pointer and any other pointer are different types")
  func pointers() throws {
    let types = try Signature(parsing: "void (string, const char *, char *, pointer, void *)").parameters.map(\.type)
    #expect(types[0] == .string)
    #expect(types[1] == .string)
    #expect(types[2] != .string)
    #expect(types[3] == .pointer(.toVoid))
    #expect(types[4] == .pointer(.toVoid))
    guard case .pointer(let pointer) = types[2] else { throw TestFailure("char * is no pointer") }
    #expect(pointer.spelling == "char *")
  }
}
