import TestSupport
import Testing

@testable import TroupeTools

@Suite("Guessed owners") struct OwnerGuessTests {
  private func guess(_ declarations: String) throws -> OwnerGuess {
    let header = try Self.header(declarations)
    return OwnerGuess(header.functions, header, Header.Handles(header.functions, in: header))
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
      (
        "box *box_dup(const box *b); box *box_copy(const box *b); void box_unref(box *b);",
        ["box_unref": ["box_copy", "box_dup"]]
      ),
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
    let guess = try guess(declarations)
    #expect(guess.results == expected)
    #expect(guess.unowned == [:])
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
      // The result is the argument, as that of BN_copy.
      "box *box_copy(box *to, const box *from); void box_free(box *b);", "box *box_dup(box *b); void box_free(box *b);",
    ])
  func evidence(declarations: String) throws {
    let guess = try guess(declarations)
    #expect(guess.results == [:])
    #expect(guess.unowned == [:])
  }

  @Test(
    "A type has no owner if another object may take over one of its objects",
    arguments: [
      // GEOSGeom_createLineString, event_new
      "lid *lid_create(box *b);", "int lid_open(box *b, lid **made);", "box *box_create_in(box *outer);",
      // GEOSGeom_createCollection, GEOSGeom_createPolygon
      "lid *lid_collect(box **boxes, unsigned count);", "box *box_collect(box **boxes, unsigned count);",
      // evbuffer_add_buffer, BN_swap, FcStrSetEqual
      "int box_add(box *to, box *from);", "void box_swap(box *a, box *b);", "int box_equal(box *a, const char *name, box *b);",
      // EVP_PKEY_set1_RSA, in either order
      "int lid_set1_box(lid *lid, box *b);", "int box_add_to(box *b, lid *lid);",
      // evhttp_make_request
      "int lid_make_request(lid *lid, box *b);",
      // GEOSGeom_destroy_r
      "void box_destroy(lid *lid, box *b);", "box *box_delete(box *b);",
    ])
  func transfers(declaration: String) throws {
    let guess = try guess("box *box_new(void); void box_free(box *b); \(declaration)")
    #expect(guess.results == [:])
    #expect(guess.unowned == ["struct box": ["box_new"]])
    #expect(!guess.releases("box_free"))
  }

  @Test(
    "A function that changes, copies or reads an object leaves it to its owner",
    arguments: [
      "int box_set(box *b, int number);", "int box_add(box *sum, const box *a, const box *b);",
      "box *box_copy(box *to, const box *from);", "lid *lid_create(const box *b);", "lid *box_get_lid(box *b);",
      "int box_move(box *b, lid *lid);", "int lid_set_boxes(lid *lid, const box *b);",
    ])
  func changes(declaration: String) throws {
    let guess = try guess("box *box_new(void); void box_free(box *b); \(declaration)")
    #expect(guess.results == ["box_free": ["box_new"]])
    #expect(guess.unowned == [:])
  }

  @Test("Each function that releases an object with an owner consumes it")
  func releasing() throws {
    let guess = try guess("box *box_new(void); void box_free(box *b); void box_free_all(box *b); void lid_free(lid *l);")
    #expect(guess.results == ["box_free": ["box_new"]])
    #expect(guess.releases("box_free") && guess.releases("box_free_all"))
    #expect(!guess.releases("lid_free") && !guess.releases("box_new"))
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
