import Testing

@testable import TroupeTools

@Suite("Names of pages and anchors") struct UniqueNamesTests {
  @Test("A name has characters that an address contains as they are")
  func characters() {
    var names = UniqueNames()
    #expect(names.name(for: "org.example.a-b_c") == "org.example.a-b_c")
    #expect(names.name(for: "../a b\"<é>") == ".._a_b_____")
  }

  @Test("Different texts have different names")
  func unique() {
    var names = UniqueNames()
    #expect(["a b", "a?b", "a_b", "a_b~2"].map { names.name(for: $0) } == ["a_b", "a_b~2", "a_b~3", "a_b~2~2"])
  }
}
