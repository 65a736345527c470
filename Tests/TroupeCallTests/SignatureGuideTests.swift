import Foundation
import TestSupport
import Testing
import TroupeCall

@Suite("The guide to signatures")
struct SignatureGuideTests {
  @Test("Every signature in it parses, and to the same again")
  func examples() throws {
    let text = try String(contentsOfFile: Tree.root + "/Sources/TroupeCall/TroupeCall.docc/Signatures.md", encoding: .utf8)
    let blocks = text.components(separatedBy: "```signature\n").dropFirst().compactMap {
      $0.components(separatedBy: "```").first
    }
    let examples = blocks.flatMap { $0.split(separator: "\n").map(String.init) }
    #expect(examples.count > 25)
    for example in examples {
      let signature = try Signature(parsing: example)
      #expect(try Signature(parsing: signature.description) == signature, "\(example)")
    }
  }
}
