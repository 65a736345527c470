import Testing
import TroupeSignature

@Suite("Signatures")
struct SignatureTests {
  @Test(
    "A signature prints in canonical form, which parses to an equal one",
    arguments: [
      ("double (double width, int32_t count)", "double (double width, int32_t count)"),
      ("double(double,double)", "double (double, double)"),
      ("  double\t( double\nwidth )\r\n", "double (double width)"),
      ("void()", "void (void)"), ("void ( void )", "void (void)"), ("int(void)", "int (void)"),
      ("const char*(const char*text)", "const char *(const char *text)"), ("string(string s)", "const char *(const char *s)"),
      ("pointer (pointer, void **out)", "void *(void *, void **out)"),
      ("long unsigned int(_Bool flag)", "unsigned long (bool flag)"),
      ("void (resolver r, int x)", "void (resolver r, int x)"),
      ("size_t (string string, size_t size_t)", "size_t (const char *string, size_t size_t)"),
      (
        "void (string string, pointer pointer, resolver resolver)",
        "void (const char *string, void *pointer, resolver resolver)"
      ),
      ("int (unsigned string)", "int (unsigned int string)"), ("int (int8_t int16_t)", "int (int8_t int16_t)"),
      ("const double (const double x)", "double (double x)"), ("int (int _x1)", "int (int _x1)"),
      ("int (int voids, int constant, int Int)", "int (int voids, int constant, int Int)"),
      ("char *const*(int)", "char *const *(int)"),
    ] as [(String, String)])
  func canonical(text: String, canonical: String) throws {
    let signature = try Signature(parsing: text)
    #expect(signature.description == canonical)
    #expect(try Signature(parsing: canonical) == signature)
  }

  @Test("Result, parameters and names are those of the text")
  func parts() throws {
    let signature = try Signature(parsing: "double (const char *name, unsigned count, resolver, float)")
    #expect(signature.result == .double)
    #expect(signature.parameters.map(\.name) == ["name", "count", nil, nil])
    #expect(signature.parameters.map(\.type.description) == ["const char *", "unsigned int", "resolver", "float"])
    #expect(signature.callerParameters.map(\.name) == ["name", "count", nil])
    #expect(signature.parameters.map(\.description) == ["const char *name", "unsigned int count", "resolver", "float"])
  }

  @Test("Equivalent signatures are equal and hash alike")
  func equality() throws {
    let one = try Signature(parsing: "unsigned(const char*text)")
    let other = try Signature(parsing: "unsigned int (string text)")
    #expect(one == other)
    #expect(Set([one, other]).count == 1)
    #expect(try one != Signature(parsing: "unsigned int (string)"))
    #expect(try Signature(parsing: "long (void)") != Signature(parsing: "int64_t (void)"))
  }

  @Test("The maximum number of parameters is accepted")
  func manyParameters() throws {
    let list = (0..<Signature.maximumParameterCount).map { "int x\($0)" }.joined(separator: ", ")
    #expect(try Signature(parsing: "void (\(list))").parameters.count == Signature.maximumParameterCount)
  }

  @Test("The lengths of the caller's buffers are not arguments, at any position")
  func lengths() throws {
    let count = Signature.maximumParameterCount / 4
    let groups = (0..<count).map { "int n\($0), const int a\($0)[n\($0)], out int b\($0)[m\($0)], int m\($0)" }
    let signature = try Signature(parsing: "void (\(groups.joined(separator: ", ")))")
    #expect(signature.callerParameters.map(\.name) == (0..<count).flatMap { ["a\($0)", "m\($0)"] })
  }

  @Test("A text of the maximum length is accepted")
  func longText() throws {
    let padding = String(repeating: " ", count: Signature.maximumLength - "void ()".utf8.count)
    #expect(try Signature(parsing: "void (\(padding))").parameters.isEmpty)
    let stars = String(repeating: "*", count: Signature.maximumLength - "void (void)".utf8.count)
    let deep = try Signature(parsing: "void \(stars)(void)")
    #expect(deep.result.description.utf8.count == stars.utf8.count + 5)
    #expect(try Signature(parsing: deep.description) == deep)
  }
}
