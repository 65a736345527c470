import Testing
import TroupeSignature

@Suite("Errors of signatures")
struct SignatureErrorTests {
  /// The error of a text that does not parse.
  static func fault(_ text: String) throws -> SignatureError {
    do {
      _ = try Signature(parsing: text)
    } catch {
      return error
    }
    throw TestError("\(text.debugDescription) parses")
  }

  @Test("An error is one line with the text, the column, the problem and the expected token")
  func description() throws {
    let error = try Self.fault("double (dubble x)")
    #expect(
      error.description
        == "signature \"double (dubble x)\": column 9: \"dubble\" is not a type; "
        + "expected a type such as double, int32_t or string, or a typedef in front of the result")
    #expect(error.text == "double (dubble x)")
    #expect(error.position == 8)
    #expect(error.problem == "\"dubble\" is not a type")
    #expect(error.expected == "a type such as double, int32_t or string, or a typedef in front of the result")
  }

  @Test(
    "An error is one line for any text",
    arguments: ["double\n(\n\"x\n)", "a\0b", "double (double \u{2028}x)", "\r\n", "double (\u{202e}x)", "int (int x\u{7f})"])
  func oneLine(text: String) throws {
    let description = try Self.fault(text).description
    #expect(description.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control })
    #expect(!description.contains("\u{2028}") && !description.contains("\u{202e}"))
  }

  @Test("For a long text the error shows the part around the fault")
  func longText() throws {
    let names = (0..<500).map { "int parameter\($0)" }.joined(separator: ", ")
    let error = try Self.fault("int (\(names), dubble x, \(names))")
    #expect(error.description.contains("int parameter499, dubble x, int parameter0"))
    #expect(error.description.utf8.count < 400)
    #expect(error.text.utf8.count > 10000)
  }

  @Test("Equal errors compare equal")
  func equality() throws {
    #expect(try Self.fault("int (") == Self.fault("int ("))
    #expect(try Self.fault("int (") != Self.fault("int ( "))
  }
}

/// The end of a test that cannot go on.
struct TestError: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
