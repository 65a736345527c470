import Testing
import TroupeSignature

@Suite("Spelling integer types")
struct IntegerSpellingTests {
  @Test(
    "Keywords are accepted in every order that C permits",
    arguments: [
      ("char", ["char"]),
      ("signed char", ["signed char", "char signed"]),
      ("unsigned char", ["unsigned char", "char unsigned", "char const unsigned"]),
      ("short", ["short", "short int", "int short", "signed short", "short signed int", "int signed short"]),
      ("unsigned short", ["unsigned short", "short unsigned", "short int unsigned", "unsigned int short"]),
      ("int", ["int", "signed", "signed int", "int signed", "const int", "int const"]),
      ("unsigned int", ["unsigned", "unsigned int", "int unsigned", "unsigned const"]),
      ("long", ["long", "long int", "int long", "signed long", "long signed int"]),
      ("unsigned long", ["unsigned long", "long unsigned int", "long unsigned", "int unsigned long"]),
      ("long long", ["long long", "long int long", "long long int", "long signed long", "long long const signed int"]),
      ("unsigned long long", ["unsigned long long", "long unsigned long", "long unsigned int long", "long long unsigned"]),
    ] as [(String, [String])])
  func orders(canonical: String, spellings: [String]) throws {
    for spelling in spellings {
      #expect(try Signature(parsing: "\(spelling) (\(spelling) x)").description == "\(canonical) (\(canonical) x)")
    }
  }

  @Test("A sequence of keywords is accepted exactly if it spells a C type")
  func exhaustive() {
    let words = ["signed", "unsigned", "char", "short", "int", "long"]
    var sequences: [[String]] = [[]]
    for _ in 0..<5 {
      sequences = sequences.flatMap { sequence in [sequence] + words.map { sequence + [$0] } }
    }
    // The multisets of C17, section 6.7.2.
    let permitted: Set<[String]> = Set(
      [
        "char", "signed char", "unsigned char", "short", "signed short", "short int", "signed short int", "unsigned short",
        "unsigned short int", "int", "signed", "signed int", "unsigned", "unsigned int", "long", "signed long", "long int",
        "signed long int", "unsigned long", "unsigned long int", "long long", "signed long long", "long long int",
        "signed long long int", "unsigned long long", "unsigned long long int",
      ].map { $0.split(separator: " ").map(String.init).sorted() })
    for sequence in Set(sequences) where !sequence.isEmpty {
      let parsed = try? Signature(parsing: sequence.joined(separator: " ") + " (void)")
      #expect((parsed != nil) == permitted.contains(sequence.sorted()), "\(sequence)")
    }
  }
}
