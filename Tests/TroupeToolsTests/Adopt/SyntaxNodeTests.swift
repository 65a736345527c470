import Testing
import TroupeFiles

@testable import TroupeTools

@Suite("Syntax trees of clang")
struct SyntaxNodeTests {
  /// A tree of nested expressions.
  private func tree(levels: Int) -> [UInt8] {
    let start = #"{"kind": "ParenExpr", "inner": ["#
    return Array((String(repeating: start, count: levels) + "{}" + String(repeating: "]}", count: levels)).utf8)
  }

  @Test("A tree can have thousands of levels")
  func deep() throws {
    #expect(try SyntaxNode(json: tree(levels: SyntaxNode.maximumDepth - 1)).kind == "ParenExpr")
  }

  @Test(
    "A tree with more levels, or without its end, is refused by name",
    arguments: [(0, Diagnosis.Code.tooLarge), (9, .invalidData)])
  func faulty(missing: Int, code: Diagnosis.Code) throws {
    let tree = tree(levels: missing == 0 ? SyntaxNode.maximumDepth : 10).dropLast(missing)
    let error = #expect(throws: Diagnosis.self) { try Header(json: Array(tree)) }
    #expect(error?.code == code)
  }
}
