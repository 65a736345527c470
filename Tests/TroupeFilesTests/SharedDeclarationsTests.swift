import Testing
import TroupeBase
import TroupeSignature

@testable import TroupeFiles

@Suite("Declarations that the signatures of a file share") struct SharedDeclarationsTests {
  private static let declarations = SharedDeclarations([
    "struct point { double x, y; };", "enum color : unsigned char { RED, GREEN };", "struct object;",
    "struct line { struct point from, to; enum color color; struct object *owner; };",
    "typedef struct { int low; } range;", "typedef int (*compare)(const void *, const void *);",
    "typedef struct point points[2];", "typedef const struct line *line_ref;",
  ])

  @Test(
    "A signature gets the declarations that it mentions, and those that they mention, in order",
    arguments: [
      ("int (void)", ""), ("double (struct point point)", "struct point { double x, y; };"),
      ("void (struct object *line)", "struct object;"),
      ("int (enum color color)", "enum color : unsigned char { RED, GREEN };"),
      ("range (void)", "typedef struct { int low; } range;"), ("struct range (void)", "typedef struct { int low; } range;"),
      ("int (compare order)", "typedef int (*compare)(const void *, const void *);"),
      (
        "double (line_ref line)",
        "struct point { double x, y; }; enum color : unsigned char { RED, GREEN }; struct object; "
          + "struct line { struct point from, to; enum color color; struct object *owner; }; "
          + "typedef const struct line *line_ref;"
      ),
      // A tag is mentioned with its keyword only.
      ("int (int point, int object)", ""), ("union point (void)", ""),
    ])
  func complete(signature: String, front: String) {
    #expect(Self.declarations.complete(signature) == (front.isEmpty ? "" : front + " ") + signature)
  }

  @Test("A declaration of the signature's own takes the place of the file's")
  func own() {
    for own in ["struct point { int z; };", "struct point;"] {
      #expect(Self.declarations.complete("\(own) int (struct point *p)") == "\(own) int (struct point *p)")
    }
    #expect(Self.declarations.complete("typedef int range; range (void)") == "typedef int range; range (void)")
  }

  @Test("The first malformed declaration is found, unless a signature has been parsed with it")
  func errors() throws {
    var declarations = SharedDeclarations(["struct a { int x; };", "struct b { struct a a; itn y; };", "enum c { ONE TWO };"])
    #expect(declarations.firstError()?.index == 1)
    #expect(declarations.firstError()?.error.problem.contains("itn") == true)
    let error = #expect(throws: Diagnosis.self) { try declarations.type("int (struct b *b)", of: "f") }
    #expect(error?.code == .invalidSignature)
    declarations = SharedDeclarations(["struct a { int x; };"])
    #expect(try declarations.type("int (struct a a)", of: "f").text.contains("struct a { int x; }"))
    #expect(declarations.firstError() == nil)
  }
}
