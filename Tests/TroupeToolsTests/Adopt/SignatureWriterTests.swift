import TestSupport
import Testing

@testable import TroupeTools

@Suite("Signatures from headers") struct SignatureWriterTests {
  /// Returns the signatures of the functions of a header by their names.
  private func signatures(_ text: String) throws -> [String: String] {
    let directory = try TemporaryDirectory()
    let path = try directory.write("test.h", text.utf8)
    var header = try Header(json: Clang().syntaxTree(of: [path], options: []))
    header.add(ParameterLists(preprocessed: text))
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

  @Test("Structs behind pointers and members are defined as far as the headers define them and a signature can describe them")
  func references() throws {
    let signatures = try signatures(
      """
      struct hidden; struct bits { unsigned bit : 1; };
      struct leaf { int value; };
      struct tree { struct leaf *leaf; struct branch *branch; struct hidden *hidden; struct bits *bits; };
      struct branch { struct tree tree; };
      struct tree *tree_new(void);
      void tree_free(struct tree *tree);
      """)
    let tree =
      "struct leaf; struct branch; struct hidden; struct bits; "
      + "struct tree { struct leaf *leaf; struct branch *branch; struct hidden *hidden; struct bits *bits; }; "
      + "struct branch { struct tree tree; }; struct leaf { int value; };"
    #expect(signatures["tree_new"] == "\(tree) struct tree *(void)")
    #expect(signatures["tree_free"] == "\(tree) void (struct tree *tree)")
  }

  @Test("A pointer is declared as never null where the header does so, and nowhere else")
  func nonnull() throws {
    let signatures = try signatures(
      """
      typedef struct box *box;
      struct entry { const char *_Nonnull name; void (*_Nonnull f)(int *_Nonnull); int *_Nullable other; };
      int one(box _Nonnull b, int *_Nullable x, int (*_Nonnull f)(int *_Nonnull), const char *_Nonnull *names);
      const char *_Nonnull two(const char *text, int number, const struct entry *entry) __attribute__((nonnull));
      void three(double *a, void *b, struct entry *(*f)(void)) __attribute__((nonnull(2, 3)));
      """)
    #expect(
      signatures["one"]
        == "struct box; int (struct box *_Nonnull b, int *x, int (*_Nonnull f)(int *), const char **names)")
    let entry = "struct entry { const char *_Nonnull name; void (*_Nonnull f)(int *); int *other; };"
    #expect(
      signatures["two"]
        == "\(entry) const char *(const char *_Nonnull text, int number, const struct entry *_Nonnull entry)")
    #expect(
      signatures["three"] == "\(entry) void (double *a, void *_Nonnull b, struct entry *(*_Nonnull f)(void))")
  }

  @Test("A typedef of unsigned char that is named as a character makes pointers text, and values stay as they are")
  func characters() throws {
    let signatures = try signatures(
      """
      #include <stdint.h>
      typedef unsigned char xmlChar; typedef xmlChar yaml_char_t; typedef uint8_t FcChar8; typedef unsigned char guchar;
      typedef unsigned char u_char; typedef unsigned char byte;
      struct node { const xmlChar *name; xmlChar letters[4]; };
      xmlChar *text(const xmlChar *name, const yaml_char_t *value, FcChar8 *memory, xmlChar letter, const xmlChar **list);
      guchar *bytes(const guchar *some, const u_char *others, const byte *rest, const struct node *node);
      """)
    #expect(
      signatures["text"]
        == "const char *(const char *name, const char *value, char *memory, unsigned char letter, const char **list)")
    #expect(
      signatures["bytes"]
        == "struct node { const char *name; unsigned char letters[4]; }; unsigned char *(const unsigned char *some, "
        + "const unsigned char *others, const unsigned char *rest, const struct node *node)")
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
