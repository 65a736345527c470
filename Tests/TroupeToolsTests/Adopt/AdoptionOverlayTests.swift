import FoundationEssentials
import TestSupport
import Testing
import TroupeFiles
import TroupeHost

@testable import TroupeTools

@Suite("Overlays of adoption files") struct AdoptionOverlayTests {
  /// Adopts functions of libm and libc with an overlay.
  private func adoption(
    _ overlay: String, of functions: Set<String>, in header: String = "math.h", library: String = "libm.so.6"
  ) throws -> LibraryAdoption {
    let directory = try TemporaryDirectory()
    var request = LibraryAdoption.Request([header], of: library)
    request.overlay = try directory.write("overlay.json", overlay.utf8)
    return try LibraryAdoption(request) { functions.contains($0) }
  }

  private struct File: Decodable {
    struct Function: Decodable {
      let name, signature: String
      let description: String?
      let tags: [String]?
    }

    let id, version: String
    let threads: String?
    let functions: [Function]
  }

  @Test("Members replace and complete those from the headers, and null removes a function")
  func edits() throws {
    let overlay = """
      { "threads": "any", "version": "2.0.0",
        "functions": {
          "frexp": { "signature": "double (double x, out int *exponent)", "tags": ["math"], "description": "Splits x." },
          "gamma": null } }
      """
    let adoption = try adoption(overlay, of: ["frexp", "gamma", "cos"])
    let file = try JSONDecoder().decode(File.self, from: Data(adoption.content.utf8))
    #expect((file.id, file.version, file.threads) == ("adopted.m", "2.0.0", "any"))
    #expect(file.functions.map(\.name) == ["cos", "frexp"])
    #expect(file.functions[1].signature == "double (double x, out int *exponent)")
    #expect(file.functions[1].tags == ["math"] && file.functions[1].description == "Splits x.")
    #expect(adoption.count == 2)
  }

  @Test("A signature of the overlay adopts a function that no signature describes")
  func inexpressible() throws {
    let overlay = #"{ "functions": { "vprintf": { "signature": "int (string format, void *arguments)" } } }"#
    let names: Set = ["vprintf", "vfprintf"]
    let adoption = try adoption(overlay, of: names, in: "stdio.h", library: "libc.so.6")
    #expect(adoption.functions.map(\.name) == ["vprintf"])
    #expect(adoption.unadopted.map(\.name) == ["vfprintf"])
  }

  /// Adopts a library of its own, with all guesses.
  private func adoption(_ overlay: String, declarations: String) throws -> LibraryAdoption {
    let directory = try TemporaryDirectory()
    let header = try directory.write("shapes.h", declarations.utf8)
    let functions = declarations.matches(of: /(\w+)\(/).map { "void \($0.1)(void) {}\n" }.joined()
    let source = try directory.write("shapes.c", functions.utf8)
    try succeed(["cc", "-w", "-fPIC", "-shared", "-o", directory.file("libshapes.so"), source])
    var request = LibraryAdoption.Request([header], of: directory.file("libshapes.so"))
    request.overlay = try directory.write("overlay.json", overlay.utf8)
    request.guessesOwners = true
    return try LibraryAdoption(request) { _ in true }
  }

  @Test("A signature may mention the enumerations and structs of the headers, and declare its own")
  func tags() throws {
    let overlay = """
      { "functions": {
          "paint": { "signature": "int (enum color color)" },
          "move": { "signature": "enum color { BLACK }; struct point (const struct point *from, enum color color)" } } }
      """
    let adoption = try adoption(
      overlay,
      declarations: """
        enum color { RED, GREEN = 5 }; struct point { double x, y; };
        int paint(unsigned color); void move(void *from, int color);
        """)
    let file = try AdoptionFile(Array(adoption.content.utf8))
    #expect(file.errors.isEmpty && file.refusals.isEmpty)
    #expect(adoption.functions.map(\.name) == ["paint", "move"])
    #expect(adoption.functions[0].signature == "enum color { RED, GREEN = 5 }; int (enum color color)")
    let signatures = try JSONDecoder().decode(File.self, from: Data(adoption.content.utf8)).functions.map(\.signature)
    #expect(signatures[0] == "int (enum color color)")
    #expect(signatures[1].hasSuffix("enum color { BLACK }; struct point (const struct point *from, enum color color)"))
  }

  @Test("A new name with a symbol adopts the function once more, with the same or another signature")
  func names() throws {
    let overlay = """
      { "functions": {
          "area_twice": { "symbol": "area", "tags": ["twice"] },
          "area_of_integers": { "symbol": "area", "signature": "int (int a, int b)" } } }
      """
    let adoption = try adoption(overlay, declarations: "double area(double a, double b); int side(void);")
    #expect(adoption.functions.map(\.name) == ["area", "side", "area_of_integers", "area_twice"])
    #expect(adoption.functions.map(\.symbol) == ["area", "side", "area", "area"])
    #expect(Set(adoption.functions.map(\.uuid)).count == 4)
    #expect(
      adoption.functions.map(\.signature)
        == ["double (double a, double b)", "int (void)", "int (int a, int b)", "double (double a, double b)"])
    #expect(try AdoptionFile(Array(adoption.content.utf8)).refusals.isEmpty)
  }

  @Test("The report has what the overlay says, and no guess about a signature of the overlay")
  func report() throws {
    let declarations = """
      struct box *box_new(int size); struct box *box_open(const char *path); void box_free(struct box *b);
      struct lid *lid_new(void); void lid_free(struct lid *l); void lids_add(struct lid *l, struct lid *other);
      """
    let plain = try adoption("{}", declarations: declarations)
    #expect(plain.owners == ["box_free": ["box_new", "box_open"]])
    #expect(plain.unowned == ["struct lid"])
    let overlay = """
      { "functions": {
          "box_new": { "signature": "struct box *(int size)", "name": "make_box" },
          "lid_new": { "signature": "owned(lid_free) struct lid *(void)" } } }
      """
    let edited = try adoption(overlay, declarations: declarations)
    #expect(edited.owners == ["box_free": ["box_open"]])
    #expect(edited.unowned == [])
    #expect(edited.functions[0].name == "make_box" && edited.functions[0].symbol == "box_new")
    let released = try adoption(
      #"{ "functions": { "box_free": { "signature": "void (struct box *b)" } } }"#, declarations: declarations)
    #expect(released.owners == [:])
  }

  @Test(
    "An error names the overlay, the line or the function, and a remedy",
    arguments: [
      (#"{ "functions": }"#, "line 1, column 16"),
      ("{ \"functions\": {\n \"cos\": { \"signature\": \"dubble (double)\" } } }", "line 2, column 24"),
      (#"{ "functions": { "coss": { "tags": ["a"] } } }"#, #"edits the function "coss""#),
      (#"{ "functions": { "coss": null, "sine": null } }"#, #"edits the functions "coss", "sine", which"#),
      (#"{ "functions": { "double_cos": { "symbol": "coss" } } }"#, #"functions.double_cos.symbol is "coss", which"#),
      (#"{ "functions": { "cos": { "tag": "a" } } }"#, "functions.cos.tag is not known"),
      (#"{ "functions": { "cos": { "tags": "a" } } }"#, "functions.cos.tags is a string"),
      (#"{ "functions": { "cos": 1 } }"#, "functions.cos is a number"), (#"{ "constants": { "A": 1.5 } }"#, "constants.A is"),
      (#"{ "thread": "any" }"#, "thread is not known"),
      (#"{ "id": "org.example.m" }"#, "id is in the overlay"),
    ])
  func failures(overlay: String, problem: String) throws {
    let error = #expect(throws: Diagnosis.self) { try adoption(overlay, of: ["cos"]) }
    #expect(error?.code == .invalidData && error?.subject.hasSuffix("overlay.json") == true)
    #expect(error?.problem.contains(problem) == true, "\(error?.problem ?? "")")
    #expect(error?.remedy.isEmpty == false)
  }
}
