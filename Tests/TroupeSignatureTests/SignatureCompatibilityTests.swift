import Testing

@testable import TroupeSignature

@Suite("Function types with the same calling convention")
struct SignatureCompatibilityTests {
  @Test(
    "Names, failures and ownership do not affect compatibility",
    arguments: [
      ("int (int a)", "int (int)"), ("int (int a)", "int (int b) errno"), ("string (void)", "owned(free) string (void)"),
      ("int (int (*f)(int a))", "int (int (*g)(int b))"), ("int (const double x[n], int n)", "int (const double y[m], int m)"),
      ("void *(size_t n)", "void *(unsigned long n)"),
      ("struct a; int (const struct a *a)", "int (const void *a)"),
      ("struct a; int (struct a *a)", "struct a { int x; }; int (struct a *a)"),
    ])
  func compatible(_ one: String, _ other: String) throws {
    #expect(try Signature(parsing: one).isCompatible(with: Signature(parsing: other)))
    #expect(try Signature(parsing: other).isCompatible(with: Signature(parsing: one)))
  }

  @Test(
    "Types and the direction of parameters affect compatibility",
    arguments: [
      ("int (int a)", "int (long a)"), ("int (int a)", "long (int a)"), ("int (int a)", "int (int a, int b)"),
      ("int (int a)", "int (inout int *a)"), ("int (out int *a)", "int (inout int *a)"), ("int (int a)", "int (int a, ...)"),
      ("int (int (*f)(int a))", "int (int (*f)(long a))"), ("struct a; int (struct a *a)", "struct b; int (struct b *a)"),
      ("int (string a)", "int (const void *a)"), ("int (int (*f)(int a))", "int (int *f)"),
      ("struct a { int x; }; int (struct a *a)", "struct a { double x; }; int (struct a *a)"),
      ("int (const double x[n], int n)", "int (const double *x, int n)"),
    ])
  func incompatible(_ one: String, _ other: String) throws {
    #expect(try !Signature(parsing: one).isCompatible(with: Signature(parsing: other)))
    #expect(try !Signature(parsing: other).isCompatible(with: Signature(parsing: one)))
  }
}

@Suite("Function types whose functions can be called directly")
struct SignaturePassingTests {
  private func isPassed(_ one: String, _ other: String) throws -> Bool {
    let (one, other) = (try Signature(parsing: one), try Signature(parsing: other))
    let isPassed = one.isPassed(as: other)
    #expect(isPassed == other.isPassed(as: one))
    return isPassed
  }

  @Test(
    "Names, markers, spellings of integers and const do not matter",
    arguments: [
      ("double (double a, double b)", "double (double, double)"), ("int (long x)", "int32_t (int64_t) errno"),
      ("enum color { red } (enum color c)", "unsigned (unsigned)"),
      ("double (const double x[n], size_t n)", "double (const double *x, uint64_t n)"),
      ("void (out int32_t *x)", "void (int *)"), ("owned(free) char *(string)", "const char *(const char *)"),
      ("void *(pointer)", "struct a; struct a *(const uint8_t *)"), ("int (int (*f)(int))", "int (void *)"),
      ("struct p { int x; } (struct p p)", "struct p { int x; } (struct p other)"),
      ("const char *const *(const char *const names[n], size_t n)", "const char **(const char **, size_t)"),
    ])
  func same(_ one: String, _ other: String) throws {
    #expect(try isPassed(one, other))
  }

  @Test(
    "Other numbers, registers and targets do",
    arguments: [
      ("double (double)", "double (float)"), ("double (double)", "float (double)"), ("int (int)", "int (long)"),
      ("int (int)", "int (unsigned)"), ("int (int)", "int (int, int)"), ("int (int, ...)", "int (int)"),
      ("double (const double x[n], size_t n)", "double (const float *, size_t)"), ("int (const char *)", "int (long)"),
      ("int (char *)", "int (char **)"), ("struct a; int (struct a *)", "struct b; int (struct b *)"),
      ("struct p { int x; } (struct p p)", "struct p { double x; } (struct p p)"), ("void (bool)", "void (unsigned char)"),
    ])
  func different(_ one: String, _ other: String) throws {
    #expect(try !isPassed(one, other))
  }
}
