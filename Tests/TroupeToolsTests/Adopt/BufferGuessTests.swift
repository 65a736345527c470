import Foundation
import TestSupport
import Testing
import TroupeCall

@testable import TroupeTools

@Suite("Guessed buffers") struct BufferGuessTests {
  /// Returns the signature of a function with guesses.
  private func signature(_ declaration: String) throws -> String {
    let directory = try TemporaryDirectory()
    let path = try directory.write("test.h", "#include <stddef.h>\n\(declaration);\n".utf8)
    let header = try Header(json: Clang().syntaxTree(of: [path], options: []))
    var writer = SignatureWriter(header, Header.Handles(header.functions, in: header), .guesses)
    return try writer.signature(try #require(header.functions.last))
  }

  @Test(
    "A guess has evidence, and of two rules that contradict each other none applies",
    arguments: [
      (
        "int f(const char *src, char *dst, int srcSize, int maxDstSize)",
        "int (const char src[srcSize], out char dst[maxDstSize], int srcSize, int maxDstSize)"
      ),
      (
        "int f(const char *name, size_t size, const void *value)", "int (const char *name, size_t size, const void value[size])"
      ),
      ("int f(const void *, size_t)", "int (const void buffer[size], size_t size)"),
      ("int f(unsigned nfds, const int *fds)", "int (unsigned int nfds, const int fds[nfds])"),
      ("int f(const void *src, size_t compressedSize)", "int (const void src[compressedSize], size_t compressedSize)"),
      (
        "int f(size_t nlength, const unsigned char *nonce, size_t alength, const unsigned char *adata, unsigned char *dst)",
        "int (size_t nlength, const unsigned char nonce[nlength], size_t alength, const unsigned char *adata, unsigned char *dst)"
      ),
      ("struct t; int t_create(struct t **t)", "struct t; int (out struct t **t)"),
      // No guesses.
      ("struct t; int t_decode(struct t **t)", "struct t; int (struct t **t)"),
      (
        "void f(void *cipher, size_t nlength, const void *nonce, size_t alength, const void *adata, size_t clength, void *dst)",
        "void (void *cipher, size_t nlength, const void *nonce, size_t alength, const void *adata, size_t clength, void *dst)"
      ),
      ("int f(const void *a, const void *b, size_t n)", "int (const void *a, const void *b, size_t n)"),
      ("int f(char *dst, const char *src, size_t maxlen)", "int (char *dst, const char *src, size_t maxlen)"),
      (
        "int f(unsigned char *out, size_t *out_pos, size_t out_size)",
        "int (out unsigned char out[out_size], size_t *out_pos, size_t out_size)"
      ),
      ("int f(const char *key, int n)", "int (const char *key, int n)"),
      ("int f(int n, int *result)", "int (int n, int *result)"),
      (
        "int f(char *buf, int minlen, int maxlen, const char *prompt)",
        "int (char *buf, int minlen, int maxlen, const char *prompt)"
      ),
      ("int f(const char *string, int length, int *outlength)", "int (const char string[length], int length, int *outlength)"),
      ("void f(unsigned char *dictionary, unsigned *dictLength)", "void (unsigned char *dictionary, unsigned int *dictLength)"),
      ("void f(int len, const int ind[], const double val[])", "void (int len, const int *ind, const double *val)"),
      ("void f(const int ind[], const double val[], int len)", "void (const int *ind, const double *val, int len)"),
      // An array of objects is no output.
      (
        "struct t; struct t *t_createCollection(int type, struct t **ts, unsigned nts)",
        "struct t; struct t *(int type, struct t **ts, unsigned int nts)"
      ),
      ("struct t; int t_make(size_t num, struct t *points[])", "struct t; int (size_t num, struct t **points)"),
      // A typedef of void * is an object, if a function returns it or takes it without a length.
      ("typedef void *profile; profile profile_open(void); int f(profile p, unsigned n)", "int (void *p, unsigned int n)"),
      ("typedef void *profile; int profile_end(profile p); int f(profile p, size_t size)", "int (void *p, size_t size)"),
      ("typedef void *voidp; int f(voidp buf, size_t len)", "int (void buf[len], size_t len)"),
      ("void *my_realloc(void *memory, size_t size)", "void *(void *memory, size_t size)"),
    ])
  func rules(declaration: String, expected: String) throws {
    #expect(try signature(declaration) == expected)
  }

  /// The pointers of a library as its documentation describes them, from a file in `Fixtures/adopt/buffers`.
  private struct Library {
    let header, library: String
    let options: [String]
    /// The buffers and outputs of each function, such as `dest[*destLen]`.
    var functions: [String: [String]] = [:]

    init(_ name: String) throws {
      let text = try String(contentsOfFile: Repo.fixture("adopt/buffers/\(name).txt"), encoding: .utf8)
      let lines = text.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
      (header, library, options) = (lines[0][0], lines[0][1], Array(lines[0][2...]))
      for line in lines.dropFirst() { functions[line[0]] = Array(line[1...]) }
    }

    /// Returns what `troupe adopt --guess-buffers` infers, in the same form.
    func guesses() throws -> [String: (parameters: [String?], guesses: [String])] {
      var request = LibraryAdoption.Request([header], of: library)
      (request.guessesBuffers, request.options) = (true, options)
      var guesses: [String: ([String?], [String])] = [:]
      // Macros are further names of functions, and their guesses are the same.
      for function in try LibraryAdoption(request, where: { _ in true }).functions where function.name == function.symbol {
        let signature = try Signature(parsing: function.signature)
        guesses[function.name] = (
          signature.parameters.map(\.name), signature.parameters.indices.compactMap { Self.guess($0, signature) }
        )
      }
      return guesses
    }

    private static func guess(_ index: Int, _ signature: Signature) -> String? {
      let parameter = signature.parameters[index]
      switch parameter.passing {
      case .buffer(_, let length, _):
        let extent = length.text { index in
          let isStored = if case .pointer = signature.parameters[index].passing { true } else { false }
          return (isStored ? "*" : "") + "\(index + 1)"
        }
        return "\(index + 1)[\(extent.replacing(" ", with: ""))]"
      case .pointer(.output): return "*\(index + 1)"
      case .value, .pointer: return nil
      }
    }
  }

  /// Replaces the names of parameters by their positions.
  private func positions(_ text: String, _ names: [String?]) -> String {
    text.replacing(/[A-Za-z_]\w*/) { match in
      names.firstIndex { $0 == String(match.output) }.map { "\($0 + 1)" } ?? "?\(match.output)"
    }
  }

  private static let libraries = ["bzip2", "lzma", "pcre2", "sqlite3", "zlib", "zstd"]

  @Test("At most 1 guess in 50 is wrong, and at least 7 of 10 buffers are found, in six libraries")
  func measurement() throws {
    var (right, wrong, missing): (Int, [String], [String]) = (0, [], [])
    for name in Self.libraries {
      let library = try Library(name)
      let guesses = try library.guesses()
      var (found, total, guessed) = (0, 0, 0)
      for (function, truth) in library.functions { #expect(guesses[function] != nil, "\(function) \(truth) is not adopted") }
      for (function, (names, guesses)) in guesses.sorted(by: { $0.key < $1.key }) {
        let truth = Set((library.functions[function] ?? []).map { positions($0, names) })
        #expect(!truth.contains { $0.contains("?") }, "\(function) has no such parameter: \(truth)")
        wrong += guesses.filter { !truth.contains($0) }.map { "\(function) \($0)" }
        missing += truth.subtracting(guesses).sorted().map { "\(function) \($0)" }
        found += truth.intersection(guesses).count
        (total, guessed) = (total + truth.count, guessed + guesses.count)
      }
      right += found
      print("\(name): \(found) of \(guessed) guesses are right, and \(found) of \(total) buffers are found")
    }
    print("wrong: \(wrong)\nmissing: \(missing)")
    #expect(Double(right) >= 0.98 * Double(right + wrong.count), "wrong: \(wrong)")
    #expect(Double(right) >= 0.7 * Double(right + missing.count), "missing: \(missing)")
  }
}
