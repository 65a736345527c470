import Testing
import TroupeCommands

@Suite("The names of a new plugin")
struct ProjectNamesTests {
  @Test(
    "The title has the words of the last part, or else the id",
    arguments: [
      ("org.example.word-count", "Word count"), ("org.example.a_b", "A b"), ("org.example._", "org.example._"),
      ("org.example.__", "org.example.__"),
    ])
  func title(id: String, title: String) throws {
    #expect(try ProjectNames(id: id).title == title)
  }

  @Test(
    "The module is no other module of the package or the system",
    arguments: [
      ("org.example.word-count", "OrgExampleWordCountPlugin"), ("plugin.tests", "PluginTestsPlugin"),
      ("c.types", "CTypesPlugin"), ("foundation.essentials", "FoundationEssentialsPlugin"),
    ])
  func module(id: String, module: String) throws {
    #expect(try ProjectNames(id: id).module == module)
  }
}
