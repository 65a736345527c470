import Testing

@testable import TroupeFiles

@Suite("User namespaces") struct UserNamespaceTests {
  private static let all = "         0          0 4294967295\n"

  @Test(
    "The overflow id is that of unknown users only if the map lacks users",
    arguments: [
      (all, nil), ("      1000       1000          1\n", 65534), ("0 1000 1\n1 100000 65536\n", 65534),
      ("0 0 1000\n1000 1000 4294966295\n", nil), ("", 65534),
    ] as [(String, UInt32?)])
  func unknownOwner(map: String, owner: UInt32?) {
    #expect(UserNamespace(overflow: "65534\n", map: map).unknownOwner == owner)
    #expect(UserNamespace(overflow: "", map: map).unknownOwner == nil)
  }

  @Test("A user with the overflow id is known only if the map has it")
  func isMapped() {
    #expect(UserNamespace(overflow: "65534\n", map: Self.all).isMapped(65534))
    #expect(UserNamespace(overflow: "65534\n", map: "1 100000 65536\n").isMapped(65534))
    #expect(!UserNamespace(overflow: "65534\n", map: "1000 1000 1\n").isMapped(65534))
    #expect(!UserNamespace(overflow: "65534\n", map: "").isMapped(65534))
    #expect(UserNamespace(overflow: "65534\n", map: "").isMapped(1000))
  }
}
