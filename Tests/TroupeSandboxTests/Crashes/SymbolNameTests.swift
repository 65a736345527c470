import TestSupport
import Testing

@testable import TroupeSandbox

@Suite("Names of symbols")
struct SymbolNameTests {
  @Test(
    "A function has the names of its containers",
    arguments: [
      ("$s4Demo5parseyyF", "Demo.parse"), ("$s4Demo6ParserV5parse4textSiSS_tF", "Demo.Parser.parse"),
      ("$s5namesAAV5InnerV3runyyF", "names.names.Inner.run"),
      ("$s4Demo9DataTableV0bC4ViewC4drawyyF", "Demo.DataTable.DataTableView.draw"),
      ("$s4Demo6ParserV5countSivg", "Demo.Parser.count"), ("$s4Demo6ParserV4textACSS_tcfC", "Demo.Parser.init"),
      ("$s4Demo6ParserCfD", "Demo.Parser.deinit"), ("$s4Demo5parseyyFyycfU_", "a closure in Demo.parse"),
      ("$s4Demo6Hidden33_FF89B9C109466D35B9287C05B1BFF56ELLV3runyyF", "Demo.Hidden.run"),
      ("$sSS4DemoE5shoutSSyF", "Swift.String.shout"),
      ("$s4Demo8ReverserV6Troupe9TransformAaDP6finish2toyAD0D6Output_p_tKFTW", "a protocol witness of Demo.Reverser"),
      ("$s4Demo1CC1ayS2iYaFTQ0_", "Demo.C.a"), ("$s4Demo1CC1ayS2iYaFTY12_", "Demo.C.a"),
      ("$s6bounds1PV8register2iny15TroupeContainer9Registrar_p_tFTf4dd_n", "bounds.P.register"),
      ("$s4Demo1GV2goyS2iFSi_Tt0g5", "Demo.G.go"), ("$s4Demo5parseyyFyycfU_Tf4d_n", "a closure in Demo.parse"),
      (
        "$s2sp1CC2ex33_BF2E940BDF3874ECBFDDEB40EA3AB133LLyySiz_yyXEtF24$s2sp1CC1byS2iYaFyyXEfU_ACTf1ncn_nTf4ndg_n", "sp.C.ex"
      ),
      ("$ss22_ContiguousArrayBufferV20_consumeAndCreateNewAByxGyFSi_Tg5", "Swift._ContiguousArrayBuffer._consumeAndCreateNew"),
      ("_Z5parsePKc", "parse"), ("_ZN4demo6Parser5parseEPKc", "demo::Parser::parse"),
      ("_ZN4demo6ParserC1Ev", "demo::Parser::Parser"),
      ("_ZN4demo6ParserD0Ev", "demo::Parser::~Parser"), ("_ZNKSt6vectorIiSaIiEE4sizeEv", "std::vector<…>::size"),
      ("_ZNSt6vectorIS_IjSaIjEESaIS1_EE9push_backERKS1_", "std::vector<…>::push_back"),
      ("_ZN12_GLOBAL__N_14workEv", "(anonymous namespace)::work"),
      ("_ZNSt5arrayIiLm3EE4fillERKi", "std::array<…>::fill"),
      ("_ZSt4moveIRiEONSt16remove_referenceIT_E4typeEOS2_", "std::move<…>"),
    ])
  func readable(symbol: String, name: String) {
    #expect(SymbolName.readable(symbol) == name)
  }

  @Test(
    "A symbol of another form stays as it is",
    arguments: [
      "", "parse", "_Z", "$s", "$s4Demo", "_ZTV4Demo", "$s4Demo6ParserVMn", "$s4Demo1eoiySbSi_SitF", "_ZN9demoE",
      "$s00", "$s0Z",
      "$s11TrTg5G4VTG5Tf3nnp", "_Z\u{1B}[31m", String(repeating: "$s4Demo", count: 1000),
    ])
  func others(symbol: String) {
    #expect(SymbolName.readable(symbol) == symbol)
  }

  @Test("Names of any form take linear time and memory, whatever they repeat")
  func linear() {
    // A demangler writes the last of these with 2^200 and more characters.
    let words = "0" + String(repeating: "a", count: 400) + "A"
    let names = [
      "$s40AbcdefghijklmnopqrstuvwxyzabcdefghijklmnV\(words)F", "$s" + String(repeating: "4DemoV", count: 160) + "F",
      "_ZN" + String(repeating: "1aI", count: 300) + "E", "_Z1f1xIiiE" + (0..<80).map { "1xIS\($0)_S\($0)_E" }.joined(),
      "$s1aAA" + String(repeating: "Aa9A", count: 200) + "F",
    ]
    for name in names { #expect(SymbolName.readable(name).utf8.count <= 20_000) }
    var generator = SplitMix64(seed: 3)
    let parts = [
      "$s", "_Z", "N", "I", "E", "S_", "S0_", "St", "4Demo", "0a", "0B", "AA", "V", "C1", "D0", "F", "fC", "33_a", "LL", "L",
      "A9_", "TW", "9",
    ]
    for _ in 0..<50_000 {
      let name = (0..<Int.random(in: 1...20, using: &generator)).map { _ in parts.randomElement(using: &generator) ?? "" }
        .joined()
      #expect(SymbolName.readable(name).utf8.count <= 20_000)
    }
  }
}
