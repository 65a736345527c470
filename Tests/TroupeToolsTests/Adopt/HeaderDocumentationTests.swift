import TestSupport
import Testing
import TroupeHost

@testable import TroupeTools

@Suite("Comments of headers") struct HeaderDocumentationTests {
  /// Returns the documentation of the functions of a header by their names.
  private func documentation(_ text: String) throws -> [String: Documentation] {
    let directory = try TemporaryDirectory()
    let path = try directory.write("test.h", text.utf8)
    let header = try Header(json: Clang().syntaxTree(of: [path], options: []))
    return Dictionary(uniqueKeysWithValues: header.functions.map { ($0.name, $0.documentation) })
  }

  @Test("A comment with commands becomes a description and texts of parameters")
  func commands() throws {
    let documentation = try documentation(
      """
      /** Computes a checksum, see \\ref other, of
       *  bytes.
       *
       *  @brief It has @p size bytes.
       *  @param bytes  the bytes, which
       *                may be null
       *  @param size the number
       *  @return 0 for no bytes
       *  @author Ada
       */
      unsigned checksum(const void *bytes, unsigned long size);
      """)["checksum"]
    #expect(
      documentation?.description
        == "Computes a checksum, see other, of bytes.\nIt has size bytes.\nReturns: 0 for no bytes")
    #expect(documentation?.parameters == ["bytes": "the bytes, which may be null", "size": "the number"])
    #expect(documentation?.summary == "Computes a checksum, see other, of bytes.")
  }

  @Test("Lines with three slashes and comments of another declaration of a function count, and other comments do not")
  func forms() throws {
    let documentation = try documentation(
      """
      /// Opens a box.
      /// It is empty.
      int box_open(void);
      int box_close(void);
      /*! Closes it. */
      int box_close(void);
      /* The comment behind the function in front. */
      int box_count(void);
      """)
    #expect(documentation["box_open"]?.description == "Opens a box. It is empty.")
    #expect(documentation["box_close"]?.description == "Closes it.")
    #expect(documentation["box_count"]?.description == "")
  }

  @Test("The words of pkg-config are separated by spaces, and a backslash quotes a byte")
  func words() {
    #expect(PkgConfigPackage.words(Array("-I/a\\ b  -DX=\\\"y\\\" \n".utf8)) == ["-I/a b", "-DX=\"y\""])
  }
}
