import Foundation
import TestSupport
import Testing

@testable import TroupeCommands
@testable import TroupeSignature

@Suite("Topics of the help")
struct HelpTopicTests {
  private static let signatures = HelpTopic.signatures.sections.flatMap(\.examples).filter { !$0.hasPrefix("troupe ") }
  private static let text = HelpTopic.signatures.text(width: 80)

  @Test("A topic has its summary, and its sections with their examples")
  func text() {
    let topic = HelpTopic(
      name: "time", subject: "the units of time", summary: "A time is a number and a unit.",
      sections: [
        HelpTopic.Section("Units", "A unit is one of few words.", "Others are refused.", examples: ["3 hours", "1 day"]),
        HelpTopic.Section("Numbers", "A number is decimal.", examples: ["2.5 days"]),
      ])
    #expect(
      topic.text(width: 20) == """
        A time is a number
        and a unit.

        Units:
        A unit is one of few
        words.

        Others are refused.

          3 hours
          1 day

        Numbers:
        A number is decimal.

          2.5 days

        """)
  }

  @Test("The parser reads every signature of the topic, and the guide has it, whose tests call it")
  func examples() throws {
    let guide = try String(
      contentsOfFile: Repo.root + "/Sources/TroupeSignature/TroupeSignature.docc/Signatures.md", encoding: .utf8)
    let lines = Set(guide.split(separator: "\n").map(String.init))
    #expect(Self.signatures.count > 30)
    for example in Self.signatures {
      #expect(try Signature(parsing: Signature(parsing: example).description) == Signature(parsing: example), "\(example)")
      #expect(lines.contains(example), "\(example)")
    }
  }

  @Test("The topic of signatures names every word of the language")
  func words() {
    let words = Set(Self.text.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map(String.init))
    let known = SignatureParser.markers.union(CType.Integer.typedefs.map(\.name)).union(
      Signature.FailureRule.Condition.allCases.map(\.rawValue))
    let others = [
      "signed", "unsigned", "char", "short", "int", "long", "float", "double", "_Complex", "bool", "void", "string", "pointer",
      "resolver", "struct", "union", "enum", "typedef", "packed", "bytes", "result", "_Nonnull", "errno", "error", "except",
      "any",
    ]
    #expect(known.union(others).subtracting(words) == [])
  }

  @Test("No paragraph of a topic has more than 40 words")
  func length() {
    for paragraph in helpTopics.flatMap(\.sections).flatMap(\.paragraphs) + helpTopics.map(\.summary) {
      #expect(paragraph.split(separator: " ").count <= 40, "\(paragraph)")
    }
  }
}
