import Testing
import TroupeManifest

@Suite("Documentation of registrations")
struct DocumentationTests {
  private static let area = Documentation(
    description: "Returns the area. For rectangles.", parameters: ["width": "The width.", "": ""],
    examples: [
      Documentation.Example(arguments: "", result: "null"), Documentation.Example(arguments: "\"a)\", 3", result: "\"(b)\""),
    ])

  @Test("Metadata with documentation reads as the same documentation, also beside other entries")
  func roundTrip() {
    #expect(Documentation(metadata: Self.area.metadata) == Self.area)
    let mixed = Self.area.metadata.merging(["unit": "m", "example": "none", "parameters": "none", "example(": ""]) { $1 }
    #expect(Documentation(metadata: mixed) == Self.area)
    #expect(Documentation(metadata: [:]) == Documentation(description: ""))
    #expect(Documentation(description: "").metadata.isEmpty)
  }

  @Test("The keys of documentation are told from others")
  func keys() {
    for key in Self.area.metadata.keys { #expect(Documentation.isDocumentation(key: key)) }
    for key in ["unit", "example", "example(", "parameters", "Description", ""] {
      #expect(!Documentation.isDocumentation(key: key))
    }
  }

  @Test(
    "The summary is the first sentence of the description",
    arguments: [
      ("", ""), ("One", "One"), ("One. Two.", "One."), ("Version 1.0. Two", "Version 1.0."), ("One\nTwo. Three", "One"),
      ("One.\nTwo", "One."),
    ])
  func summary(description: String, summary: String) {
    #expect(Documentation(description: description).summary == summary)
  }
}
