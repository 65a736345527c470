import Testing
import TroupeCall
import TroupeHost
import TroupeManifest

@Suite("Symbols of the host's types") struct HostTypeSymbolsTests {
  @Test("The symbols that identify a copy of Troupe are those of one type of each module")
  func types() {
    let types: [Any.Type] = [
      Container.self, PluginContext.self, PluginHost.self, SemanticVersion.self, Signature.self, Value.self,
    ]
    #expect(HostTypeSymbols.symbols.map(\.description) == types.map { "$s\(_mangledTypeName($0) ?? "")Mn" })
  }
}
