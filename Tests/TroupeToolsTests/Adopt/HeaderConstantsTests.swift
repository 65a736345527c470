import TestSupport
import Testing
import TroupeHost

@testable import TroupeTools

@Suite("Constants of headers") struct HeaderConstantsTests {
  /// Returns the constants of headers in a directory.
  private func constants(_ files: [String: String], of header: String) throws -> [String: Manifest.Constant] {
    let directory = try TemporaryDirectory()
    for (name, text) in files { try directory.write(name, text.utf8) }
    let (headers, options) = ([directory.file(header)], ["-I", directory.path])
    let clang = try Clang()
    let macros = HeaderConstants(preprocessed: try clang.preprocessed(headers, options: options), of: headers)
    let tree = try #require(try clang.syntaxTree(of: headers, with: macros.declarations, options: options))
    return macros.constants(in: try SyntaxNode(json: tree))
  }

  @Test("Macros that are integers or texts and the values of enumerations are constants, and other macros are not")
  func kinds() throws {
    let constants = try constants(
      [
        "box.h": """
        #ifndef BOX_H
        #define BOX_H
        #include <stddef.h>
        #include <stdint.h>
        #define BOX_COUNT 4
        #define BOX_MASK (UINT64_C(1) << 63 | BOX_COUNT)
        #define BOX_UNSET ((size_t)-1)
        #define BOX_FLAG (1u << 3)
        #define BOX_VERSION "1." "2"
        #define BOX_LETTER 'A'
        #define BOX_CALL(x) (x)
        #define BOX_WORD int x;
        #define BOX_HALF 0.5
        #define BOX_FUNCTION box_open
        #define BOX_LAST BOX_RED
        #define box_alias box_open
        enum { BOX_NONE = -1, BOX_FIRST };
        typedef enum { BOX_RED = 5, BOX_GREEN } box_color;
        int box_open(box_color color);
        #endif
        """
      ], of: "box.h")
    #expect(
      constants == [
        "BOX_COUNT": .integer(4), "BOX_MASK": .integer(1 << 63 | 4), "BOX_UNSET": .integer(Int128(UInt64.max)),
        "BOX_VERSION": .text("1.2"), "BOX_FLAG": .integer(8), "BOX_LETTER": .integer(65), "BOX_LAST": .integer(5),
        "BOX_NONE": .integer(-1),
        "BOX_FIRST": .integer(0), "BOX_RED": .integer(5), "BOX_GREEN": .integer(6),
      ])
  }

  @Test("The constants of a header of another library are left out, and those of a part of the same library are not")
  func owners() throws {
    let constants = try constants(
      [
        "box.h": "#include <limits.h>\n#include \"boxconf.h\"\n#include \"other.h\"\n#define BOX 1\n",
        "boxconf.h": "#define BOX_CONF 2\n", "other.h": "#define OTHER 3\nenum { OTHER_TOO };\n",
      ], of: "box.h")
    #expect(constants == ["BOX": .integer(1), "BOX_CONF": .integer(2)])
  }
}
