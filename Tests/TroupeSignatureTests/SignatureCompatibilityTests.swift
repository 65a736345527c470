import Testing

@testable import TroupeSignature

@Suite("Function types with the same calling convention")
struct SignatureCompatibilityTests {
  @Test(
    "Names, failures and ownership do not affect compatibility",
    arguments: [
      ("int (int a)", "int (int)"), ("int (int a)", "int (int b) errno"), ("string (void)", "owned(free) string (void)"),
      ("int (int (*f)(int a))", "int (int (*g)(int b))"), ("int (const double x[n], int n)", "int (const double y[m], int m)"),
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
      ("int (string a)", "int (const void *a)"), ("int (int (*f)(int a))", "int (int (*f)(long a))"),
      ("int (const double x[n], int n)", "int (const double *x, int n)"),
    ])
  func incompatible(_ one: String, _ other: String) throws {
    #expect(try !Signature(parsing: one).isCompatible(with: Signature(parsing: other)))
    #expect(try !Signature(parsing: other).isCompatible(with: Signature(parsing: one)))
  }
}
