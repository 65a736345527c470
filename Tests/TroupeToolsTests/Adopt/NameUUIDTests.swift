import FoundationEssentials
import Testing

@testable import TroupeTools

@Suite("UUIDs of names") struct NameUUIDTests {
  @Test(
    "A UUID of version 5 is that of RFC 9562 and of Python",
    arguments: [
      ("6ba7b810-9dad-11d1-80b4-00c04fd430c8", "www.example.com", "2ED6657D-E927-568B-95E1-2665A8AEA6A2"),
      ("6ba7b810-9dad-11d1-80b4-00c04fd430c8", "python.org", "886313E1-3B8A-5372-9B90-0C9AEE199E5D"),
      ("6ba7b811-9dad-11d1-80b4-00c04fd430c8", "urn:troupe:adoption", "275373A9-81D7-50FA-B8BB-CC72433E7DAB"),
    ])
  func name(namespace: String, name: String, uuid: String) throws {
    #expect(UUID(name, in: try #require(UUID(uuidString: namespace))).uuidString == uuid)
  }

  @Test("The namespace of adopted functions is the UUID of its URL")
  func namespace() {
    #expect(UUID.adoption.uuidString == "275373A9-81D7-50FA-B8BB-CC72433E7DAB")
  }
}
