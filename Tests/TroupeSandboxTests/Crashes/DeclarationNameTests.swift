import TestSupport
import Testing

@testable import TroupeSandbox

@Suite("Names of declarations")
struct DeclarationNameTests {
  @Test(
    "All symbols of a declaration have its name, with the labels of the parameters",
    arguments: [
      ("$s9Greetings7GreeterP5greetyS2SFTq", "Greetings.Greeter.greet(_:)"),
      ("$s9Greetings7GreeterP5greetyS2SFTj", "Greetings.Greeter.greet(_:)"),
      ("$s9Greetings7GreeterP4both1a_SbSi_SaySSGtYaKFTjTu", "Greetings.Greeter.both(a:_:)"),
      ("$s9Greetings7GreeterP4make_1yxSi_SitFZTq", "Greetings.Greeter.make(_:y:)"),
      ("$s9Greetings7GreeterP5titleSSvgTq", "Greetings.Greeter.title"),
      ("$s9Greetings7GreeterP1xxSi_tcfCTq", "Greetings.Greeter.init(x:)"),
      ("$s9Greetings7GreeterPAA5NamedTb", "the protocols that Greetings.Greeter inherits"),
      ("$s9Greetings7GreeterPSHTb", "the protocols that Greetings.Greeter inherits"),
      ("$s9Greetings7GreeterP4ToneAC_AA5NamedTn", "the constraints of Greetings.Greeter.Tone"),
      ("$s1T9Greetings7GreeterPTl", "Greetings.Greeter.T"), ("$s9Greetings7GreeterMp", "Greetings.Greeter"),
      ("$s9Greetings7GreeterTL", "Greetings.Greeter"), ("$s9Greetings5StyleVMa", "Greetings.Style"),
      ("$s9Greetings5StyleV4loudSbvpMV", "Greetings.Style.loud"),
      ("$s9Greetings5StyleV4loudACSb_tcfC", "Greetings.Style.init(loud:)"),
      ("$s9Greetings5StyleV3say2toSiSS_tF", "Greetings.Style.say(to:)"),
      ("$s9Greetings5StyleVAA7GreeterAAWP", "a conformance of Greetings.Style"),
      ("$s9Greetings4BaseCACycfCTq", "Greetings.Base.init()"), ("$s9Greetings4BaseCfD", "Greetings.Base.deinit"),
      ("$s9Greetings4KindO1byACSicACmFWC", "Greetings.Kind.b"), ("$s9Greetings4freeySiAA5StyleVF", "Greetings.free(_:)"),
      ("$s9Greetings5StyleV1poiyA2C_ACtFZ", "an operator of Greetings.Style"),
      ("$s9Greetings4stopyyF", "Greetings.stop()"), ("$s9Greetings4fill1a10Foundation4DataVSi_tF", "Greetings.fill(a:)"),
      ("$s9Greetings3addyS2i_SitF", "Greetings.add(…)"), ("$s9Greetings4pickyxxlF", "Greetings.pick(…)"),
      ("_ZN4demo6Parser5parseEPKc", "demo::Parser::parse"), ("absent", "absent"),
    ])
  func names(symbol: String, name: String) {
    #expect(DeclarationName(of: symbol).description == name)
  }

  @Test(
    "The module is that of the declaration, also in an extension of another module's type",
    arguments: [
      ("$s9Greetings4BaseCMa", "Greetings"), ("$sSS9GreetingsE5shoutSSyF", "Greetings"), ("$sSS5countSivg", "Swift.String"),
      ("absent", nil),
    ] as [(String, String?)])
  func module(symbol: String, module: String?) {
    #expect(DeclarationName(of: symbol).module == module)
  }

  @Test("A name of any form gives a short text, in linear time")
  func anyForm() {
    var generator = SplitMix64(seed: 5)
    let parts = [
      "$s", "9Greetings", "7Greeter", "P", "V", "5greet", "y", "S2S", "F", "Tq", "Tj", "fC", "c", "_", "E", "AA", "0a", "0B",
      "WP", "Tl", "l",
      "\u{1B}", "999",
    ]
    for _ in 0..<20_000 {
      let symbol = (0..<Int.random(in: 1...20, using: &generator)).map { _ in parts.randomElement(using: &generator) ?? "" }
        .joined()
      #expect(DeclarationName(of: symbol).description.count <= 121)
    }
    #expect(DeclarationName(of: String(repeating: "x", count: 5000)).description.count == 121)
  }
}
