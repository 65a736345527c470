import TestSupport
import Testing

@testable import TroupeTools

@Suite("Signatures from headers") struct SignatureWriterTests {
  /// Returns the signatures of the functions of a header by their names.
  private func signatures(_ text: String) throws -> [String: String] {
    let directory = try TemporaryDirectory()
    let path = try directory.write("test.h", text.utf8)
    let header = try Header(json: Clang().syntaxTree(of: [path], options: []))
    let handles = Header.Handles(header.functions, in: header)
    var signatures: [String: String] = [:]
    for function in header.functions {
      var writer = SignatureWriter(header, handles, .definitions)
      signatures[function.name] = try writer.signature(function)
    }
    return signatures
  }

  @Test("A typedef of an undefined struct or union stays opaque behind unrelated definitions without a name")
  func opaque() throws {
    let signatures = try signatures(
      """
      #include <stdint.h>
      typedef struct widget widget;
      typedef struct { int a, b; } pair;
      typedef struct box box;
      typedef union { long number; char bytes[8]; } any;
      typedef union cell cell;
      typedef enum { RED, GREEN } color;
      widget *widget_new(int32_t number);
      int box_first(const box *box, pair pair);
      cell *cell_new(any any, color color);
      """)
    #expect(signatures["widget_new"] == "struct widget; struct widget *(int32_t number)")
    #expect(
      signatures["box_first"]
        == "struct box; struct pair { int a; int b; }; int (const struct box *box, struct pair pair)")
    #expect(
      signatures["cell_new"]
        == "union any { long number; char bytes[8]; }; enum color { RED, GREEN }; union cell; union cell *(union any any, enum color color)"
    )
  }

  @Test("The typedef that names a definition may stand behind others of the same kind")
  func namedByTypedef() throws {
    let signatures = try signatures(
      """
      typedef struct { int x; } *first;
      typedef struct { double y; } second, *third;
      double second_sum(second one, const second *other);
      """)
    #expect(
      signatures["second_sum"]
        == "struct second { double y; }; double (struct second one, const struct second *other)")
  }
}
