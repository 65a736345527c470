import TestSupport
import Testing
import TroupeSignature

@Suite("Parsing signatures")
struct SignatureParserTests {
  @Test(
    "An invalid signature is refused at the right column",
    arguments: [
      // Empty or incomplete.
      ("", 1, "the text ends"), (" ", 2, "the text ends"), ("\n\t ", 4, "the text ends"), ("double", 7, "the text ends"),
      ("double (", 9, "the text ends"), ("double (double", 15, "the text ends"), ("double (double x", 17, "the text ends"),
      ("double (double x,", 18, "the text ends"), ("double (double x, ", 19, "the text ends"),
      ("void (void", 11, "the text ends"),
      ("const", 6, "the text ends"), ("const char *", 13, "the text ends"), ("int (const", 11, "the text ends"),
      // Parentheses.
      ("(", 1, "\"(\" is unexpected"), (")", 1, "\")\" is unexpected"), ("()", 1, "\"(\" is unexpected"),
      ("double )", 8, "\")\" is unexpected"), ("double ((double x)", 9, "\"(\" is unexpected"),
      ("double (double x))", 18, "\")\" is unexpected"), ("double (double (x))", 17, "\"x\" is unexpected"),
      ("double [0](void)", 9, "this is no number of elements"), ("double {}", 8, "\"{\" is unexpected"),
      ("double double x", 8, "\"double\" cannot follow \"double\""), ("double name (int)", 8, "\"name\" is a function's name"),
      // Text after the end.
      ("void ();", 8, "\";\" is unexpected"), ("void () x", 9, "\"x\" is unexpected"), ("void () const", 9, "\"const\""),
      ("void () ()", 9, "\"(\" is unexpected"), ("void (void) void", 13, "\"void\" is unexpected"),
      // Commas.
      ("int (,)", 6, "\",\" is unexpected"), ("int (int,)", 10, "\")\" is unexpected"), ("int (,int)", 6, "\",\""),
      ("int (int,,int)", 10, "\",\" is unexpected"), ("int (int a int b)", 12, "\"int\" is unexpected"),
      ("int (int a b)", 12, "\"b\" is unexpected"), ("int (int; int)", 9, "\";\" is unexpected"),
      // Void.
      ("int (void x)", 6, "a parameter cannot be void"), ("int (void, int)", 6, "a parameter cannot be void"),
      ("int (int, void)", 11, "a parameter cannot be void"), ("int (void, void)", 6, "a parameter cannot be void"),
      ("int (const void)", 6, "a parameter cannot be void"), ("int (void const)", 6, "a parameter cannot be void"),
      ("int (void void)", 11, "\"void\" cannot follow \"void\""),
      // Words that are not types.
      ("dubble (void)", 1, "\"dubble\" is not a type"), ("int (x)", 6, "\"x\" is not a type"),
      ("int (struct point p)", 6, "\"struct point\" has not been defined"), ("FILE *(void)", 1, "\"FILE\" is not a type"),
      ("int (register int x)", 6, "\"register\" is not a type"), ("int (Double x)", 6, "\"Double\" is not a type"),
      ("int (const text *)", 12, "\"text\" is not a type"), ("unsigned_int (void)", 1, "\"unsigned_int\" is not a type"),
      ("int64 (void)", 1, "\"int64\" is not a type"), ("static int (void)", 1, "\"static\" is not a type"),
      // Integer types that C does not have.
      ("unsigned float (void)", 10, "\"float\" cannot follow \"unsigned\""),
      ("long long long (void)", 11, "\"long\" cannot follow \"long\""),
      ("signed unsigned (void)", 8, "\"unsigned\" cannot follow \"signed\""),
      ("unsigned unsigned (void)", 10, "\"unsigned\" cannot follow"), ("short long (void)", 7, "\"long\" cannot follow"),
      ("long char (void)", 6, "\"char\" cannot follow \"long\""), ("int char (void)", 5, "\"char\" cannot follow \"int\""),
      ("int int (void)", 5, "\"int\" cannot follow \"int\""), ("char char (void)", 6, "\"char\" cannot follow"),
      ("short short (void)", 7, "\"short\" cannot follow"), ("char int (void)", 6, "\"int\" cannot follow \"char\""),
      ("long long double (void)", 11, "\"double\" cannot follow \"long\""), ("double int (void)", 8, "\"int\" cannot follow"),
      ("int (double unsigned x)", 13, "\"unsigned\" cannot follow \"double\""),
      ("int (unsigned const float x)", 21, "\"float\" cannot follow \"unsigned\""),
      ("unsigned size_t (void)", 10, "\"size_t\" cannot follow \"unsigned\""),
      ("bool bool (void)", 6, "\"bool\" cannot follow \"bool\""),
      // Names.
      ("int (int a, int a)", 17, "\"a\" names two parameters"), ("int (int return)", 10, "\"return\" is a keyword of C"),
      ("int (int struct)", 10, "\"struct\" is a keyword of C"), ("int (char *int)", 12, "\"int\" is a keyword of C"),
      ("int (int 1x)", 10, "\"1\" is unexpected"), ("int (int x-y)", 11, "\"-\" is unexpected"),
      ("int (int x const)", 12, "\"const\" is unexpected"), ("int (int x *)", 12, "\"*\" is unexpected"),
      ("int (int héllo)", 11, "\"é\" is unexpected"), ("int (int 数)", 10, "\"数\" is unexpected"),
      ("int (int $x)", 10, "\"$\" is unexpected"),
      // C syntax that this grammar excludes.
      ("int (...)", 6, "\"...\" stands first"), ("int (int, ..)", 11, "\".\" is unexpected"),
      ("int (int &x)", 10, "\"&\" is unexpected"), ("int (int x = 1)", 12, "\"=\" is unexpected"),
      ("*int (void)", 1, "\"*\" is unexpected"), ("int (*)", 6, "\"*\" is unexpected"),
      // The resolver.
      ("resolver (void)", 1, "a result cannot be a resolver"), ("const resolver (void)", 1, "a result cannot be a resolver"),
      // Bytes.
      ("int\0(void)", 4, "\"\\0\" is unexpected"), ("\0", 1, "\"\\0\" is unexpected"),
      ("int (void)\0", 11, "\"\\0\" is unexpected"),
      ("int (\u{1F600})", 6, "\"\u{1F600}\" is unexpected"), ("int\u{a0}(void)", 4, "\"\u{a0}\" is unexpected"),
      ("\u{feff}int (void)", 1, "\"\\u{feff}\" is unexpected"), ("\"int (void)\"", 1, "\"\\\"\" is unexpected"),
    ] as [(String, Int, String)])
  func invalid(text: String, column: Int, problem: String) throws {
    let error = try SignatureErrorTests.fault(text)
    #expect(error.position + 1 == column, "\(error)")
    #expect(error.problem.contains(problem), "\(error)")
    #expect(error.text == text)
    #expect(!error.expected.isEmpty)
  }

  @Test("A text that is too long is refused for every parser")
  func tooLong() throws {
    for filling in ["a", " ", "(", "*", "é"] {
      let error = try SignatureErrorTests.fault(String(repeating: filling, count: 65537))
      #expect(error.problem.contains("bytes long"))
      #expect(error.expected == "at most 65536 bytes")
      #expect(error.position == 65536)
    }
  }

  @Test("A text whose canonical form is too long is refused")
  func tooLongWhenCanonical() throws {
    let pointer = "int " + String(repeating: "*const", count: 10900)
    let error = try SignatureErrorTests.fault("\(pointer) (void)")
    #expect(error.problem.contains("in its canonical form"))
    #expect(error.position == error.text.utf8.count)
  }

  @Test("A parameter above the limit is refused at its position")
  func tooManyParameters() throws {
    let list = String(repeating: "int,", count: Signature.maximumParameterCount)
    let error = try SignatureErrorTests.fault("void (\(list)int)")
    #expect(error.position == 6 + list.utf8.count)
    #expect(error.expected == "at most 1024 parameters")
  }

  @Test("Mutated signatures never trap; valid ones print and parse to an equal signature")
  func mutations() throws {
    let seeds = [
      "double (double width, int32_t count)", "const char *(const char *text, unsigned long long int n)", "void (void)",
      "void *(void **out, resolver r, char *const *x)", "bool (_Bool a, float b, size_t c, uint8_t d, string e, pointer f)",
      "long unsigned int (signed char, short, unsigned)",
      "struct point { double x, y; } packed; enum color : char { RED = -1, GREEN }; struct point (struct point p, enum color c)",
      "int (union { int64_t i; struct { char text[8]; float m[2][2]; } s; } u, out struct file **f, inout size_t *n) errno",
      "owned(free) uint8_t[n] (const char data[n], inout size_t *n, out owned(free) char **message) errno(any)",
      "void (const struct p { int x; } ps[count], int count, int (*compare)(const void *, struct p), double _Complex z, ...)",
      "int (const char *const names[3], out char text[0x10], long double l, ..., int, double)",
    ]
    let pieces = [
      "const", "*", "(", ")", ",", " ", "void", "unsigned", "long", "int", "char", "double", "resolver", "string", "x", "_",
      "9",
      "\0", "\n", "é", "\u{202e}", "…", "int32_t", ";", "\"", "struct point", "struct {", "{", "}", "} packed", "[n]", "[3]",
      "[",
      "]", "out ", "inout ", "owned(free) ", "...", "(*f)(", "enum ", "union ", ": uint8_t", "= -1", "errno", "errno(any)",
      "_Complex", "float ", "packed", "n", "struct p { int x; }", "65536",
    ].map { Array($0.utf8) }
    var generator = SplitMix64(seed: 4)
    var parsed = 0
    for round in 0..<40_000 {
      var bytes = Array(seeds[round % seeds.count].utf8)
      for _ in 0..<Int.random(in: 1...2, using: &generator) {
        let place = Int.random(in: 0...bytes.count, using: &generator)
        let end = min(bytes.count, place + Int.random(in: 0...6, using: &generator))
        switch Int.random(in: 0..<6, using: &generator) {
        case 0: bytes.removeSubrange(place..<end)
        case 1: bytes.insert(contentsOf: pieces[Int.random(in: 0..<pieces.count, using: &generator)], at: place)
        case 2: bytes.insert(contentsOf: Array(bytes[place..<end]), at: place)
        case 3: bytes.insert(UInt8.random(in: 0...255, using: &generator), at: place)
        case 4: bytes.swapAt(place % bytes.count, end % bytes.count)
        default: bytes.replaceSubrange(place..<end, with: pieces[Int.random(in: 0..<pieces.count, using: &generator)])
        }
      }
      let text = String(decoding: bytes, as: UTF8.self)
      do {
        let signature = try Signature(parsing: text)
        parsed += 1
        guard try Signature(parsing: signature.description) == signature else {
          throw TestError("\(text.debugDescription) is not equal to \(signature)")
        }
      } catch let error as SignatureError {
        guard error.text == text, (0...text.utf8.count).contains(error.position), !error.description.contains("\n") else {
          throw TestError("\(text.debugDescription) has the fault \(error)")
        }
      }
    }
    // A useful test needs both valid and invalid mutations.
    #expect((2_000...20_000).contains(parsed))
  }
}
