import Testing
import TroupeManifest

@Suite("Names of contracts")
struct ContractNameTests {
  @Test(
    "A name consists of words, a slash and a number",
    arguments: ["troupe.transform/1", "clock/0", "org.example.my-clock_2/12", "A.b/999", "7/7"])
  func names(_ name: String) {
    #expect(ContractName.isName(name))
  }

  @Test(
    "Other texts are refused",
    arguments: [
      "", "/", "clock", "clock/", "/1", "clock/1/2", "clock//1", "clock/one", "clock/1.0", "clock/-1", "clock/ 1", "my clock/1",
      "clöck/1", "clock/١", "clock/1\n", "clock\u{301}/1", "clock:/1",
    ])
  func badNames(_ name: String) {
    #expect(!ContractName.isName(name))
  }
}
