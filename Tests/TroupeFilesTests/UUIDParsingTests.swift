import Foundation
import Testing

@testable import TroupeFiles

@Suite("Reading UUIDs")
struct UUIDParsingTests {
  @Test("A UUID is read in upper and lower case")
  func valid() {
    for _ in 0..<100 {
      let uuid = UUID()
      #expect(UUID(parsing: uuid.uuidString) == uuid)
      #expect(UUID(parsing: uuid.uuidString.lowercased()) == uuid)
    }
  }

  @Test(
    "Other text is not read as a UUID",
    arguments: [
      "", "geometry", "57a6e000-0000-4000-8000-00000000000", "57a6e000-0000-4000-8000-0000000000011",
      "57a6e0000-000-4000-8000-000000000001", "57a6e000_0000-4000-8000-000000000001", "57a6e000-0000-4000-8000-00000000000g",
      "57a6e000-0000-4000-8000-0000000000 1", "+7a6e000-0000-4000-8000-000000000001", "57a6e000-0000-4000-8000-0000000000é",
      "57a6e000000040008000000000000001", "{57a6e000-0000-4000-8000-0000000000}",
    ])
  func invalid(text: String) {
    #expect(UUID(parsing: text) == nil)
  }
}
