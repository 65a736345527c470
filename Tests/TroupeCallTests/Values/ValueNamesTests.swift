import Testing
import TroupeCall

@Suite("Names for the values of enumerations")
struct ValueNamesTests {
  @Test(
    "Numbers of an enumeration are replaced by names at every position",
    arguments: [
      ("enum { A, B = 4, C = 4 } (void)", Value.integer(4), Value.string("B")), ("enum { A } (void)", .integer(1), .integer(1)),
      ("int (void)", .integer(0), .integer(0)), ("void (void)", .void, .void),
      (
        "struct { enum { A } a; int b; } (void)", .structure([.init("a", .integer(0)), .init("b", .integer(0))]),
        .structure([.init("a", .string("A")), .init("b", .integer(0))])
      ),
      (
        "struct { enum { A, B } a[2][1]; } (void)",
        .structure([.init("a", .array([.array([.integer(1)]), .array([.integer(2)])]))]),
        .structure([.init("a", .array([.array([.string("B")]), .array([.integer(2)])]))])
      ),
      (
        "enum e { A }; enum e (out enum e *x, out enum e y[n], int n)",
        .structure([.init("return", .integer(0)), .init("x", .integer(0)), .init("y", .array([.integer(0)]))]),
        .structure([.init("return", .string("A")), .init("x", .string("A")), .init("y", .array([.string("A")]))])
      ),
      (
        "enum { A }[n] (out int *n)",
        .structure([.init("return", .array([.integer(0)])), .init("n", .integer(1))]),
        .structure([.init("return", .array([.string("A")])), .init("n", .integer(1))])
      ),
    ])
  func named(_ signature: String, _ outcome: Value, _ named: Value) throws {
    let signature = try Signature(parsing: signature)
    #expect(signature.named(outcome) == named)
  }
}
