import TestSupport
import Testing

@testable import TroupeTools

@Suite("Guessed owners") struct OwnerGuessTests {
  /// Returns the functions whose results each function releases.
  private func results(_ declarations: String) throws -> [String: [String]] {
    let header = try Self.header(declarations)
    return OwnerGuess(header.functions, header, Header.Handles(header.functions, in: header)).results
  }

  private static func header(_ declarations: String) throws -> Header {
    let directory = try TemporaryDirectory()
    let path = try directory.write("test.h", "typedef struct box box; typedef struct lid lid;\n\(declarations)\n".utf8)
    return try Header(json: Clang().syntaxTree(of: [path], options: []))
  }

  @Test(
    "A function that creates and one that releases make a pair",
    arguments: [
      ("box *box_new(int size); void box_free(box *b);", ["box_free": ["box_new"]]),
      ("box *box_open(const char *path); int box_close(box *b);", ["box_close": ["box_open"]]),
      ("int box_open(const char *path, box **b); int box_close(box *b);", ["box_close": ["box_open"]]),
      ("box *box_dup(box *b); box *box_copy(const box *b); void box_unref(box *b);", ["box_unref": ["box_copy", "box_dup"]]),
      ("box *xmlNewBox(const char *name); void xmlFreeBox(box *b);", ["xmlFreeBox": ["xmlNewBox"]]),
      (
        "box *box_new(void); box *crate_alloc(void); void box_free(box *b); void crate_free(box *b);",
        ["box_free": ["box_new"], "crate_free": ["crate_alloc"]]
      ),
      ("int box_open(box **b); int box_close(box *b); int box_close_v2(box *b);", ["box_close": ["box_open"]]),
      // A struct with members, of which others take a constant one.
      (
        "struct tree { int size; }; struct tree *treeCreate(void); void treeDelete(struct tree *t); int tree_size(const struct tree *t);",
        ["treeDelete": ["treeCreate"]]
      ),
    ])
  func pairs(declarations: String, expected: [String: [String]]) throws {
    #expect(try results(declarations) == expected)
  }

  @Test(
    "Without evidence on both sides there is no guess",
    arguments: [
      "box *box_get(int index); void box_free(box *b);", "box *box_new(void); void box_clear(box *b);",
      "box *box_new(void); void box_free(box *b, int now);", "const box *box_new(void); void box_free(box *b);",
      "box *box_new(void); box *box_free(box *b);", "box *box_new(void); void box_free(const box *b);",
      // The other object may own the result.
      "box *box_new(lid *lid); lid *lid_new(void); void box_free(box *b);",
      // Nothing says which of the two releases it.
      "box *box_new(void); void box_free(box *b); void box_unref(box *b);",
      "int box_open(box **b, box **other); int box_close(box *b);",
    ])
  func evidence(declarations: String) throws {
    #expect(try results(declarations) == [:])
  }

  @Test("A function that stores an object in another one of the same type takes ownership of it")
  func storing() throws {
    let header = try Self.header(
      """
      struct tree { int size; }; struct tree *tree_new(void); int tree_make(struct tree **made); void tree_free(struct tree *t);
      int tree_add(struct tree *parent, const char *name, struct tree *child); int tree_swap(struct tree *a, struct tree *b);
      int tree_add_lid(struct tree *parent, lid *l); int tree_add_copy(struct tree *parent, const struct tree *child);
      """)
    let handles = Header.Handles(header.functions, in: header)
    let signatures = try header.functions.map { function in
      var writer = SignatureWriter(header, handles, .definitions)
      writer.owners = OwnerGuess(header.functions, header, handles)
      return try writer.type(of: function)
    }
    #expect(
      signatures == [
        "owned(tree_free) struct tree *(void)", "int (out owned(tree_free) struct tree **made)",
        "void (consumed struct tree *t)",
        "int (struct tree *parent, const char *name, consumed struct tree *child)", "int (struct tree *a, struct tree *b)",
        "int (struct tree *parent, struct lid *l)", "int (struct tree *parent, const struct tree *child)",
      ])
  }

  @Test("Results and outputs are owned, and the argument of the other function is consumed")
  func signatures() throws {
    let header = try Self.header("box *box_new(int size); int box_open(int key, box **b); void box_free(box *b);")
    let handles = Header.Handles(header.functions, in: header)
    let signatures = try header.functions.map { function in
      var writer = SignatureWriter(header, handles, .definitions)
      writer.owners = OwnerGuess(header.functions, header, handles)
      return try writer.signature(function)
    }
    #expect(
      signatures == [
        "struct box; owned(box_free) struct box *(int size)",
        "struct box; int (int key, out owned(box_free) struct box **b)", "struct box; void (consumed struct box *b)",
      ])
  }
}
