import Foundation
import TestSupport
import Testing
import TroupeFiles
import TroupeHost

@testable import TroupeTools

@Suite("Catalog") struct CatalogTests {
  /// A directory with files that adopt the library for mathematics, so that no plugin has to be compiled.
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  /// Adds a plugin with functions, each the members of a JSON object besides the UUID and the symbol.
  private func add(_ id: String, name: String = "Name", _ functions: String...) throws {
    let list = functions.map { #"{"uuid": "\#(UUID().uuidString)", "symbol": "hypot", \#($0)}"# }.joined(separator: ", ")
    let text =
      #"{"id": "\#(id)", "name": "\#(name)", "version": "1.0.0", "library": "libm.so.6", "functions": [\#(list)]}"#
    try setMode(0o644, of: directory.write("\(id).troupe.json", text.utf8))
  }

  private func catalog() -> Catalog {
    var options = PluginHost.Options(directories: [directory.path], log: Log(from: .error) { _ in })
    options.cacheDirectory = nil
    let host = PluginHost(options)
    let registrations = host.knownRegistrations()
    return Catalog(host.plugins, registrations)
  }

  private func page(_ path: String, _ catalog: Catalog) throws -> String {
    String(decoding: try #require(catalog.pages().first { $0.path == path }).bytes, as: UTF8.self)
  }

  private let hypot =
    #""name": "hypot", "signature": "double (double x, double y)", "description": "Returns the root. Slowly.""#

  @Test("The site has a page for each plugin, the lists, the graph, the search and the style")
  func pages() throws {
    try add("org.example.b", hypot)
    try add("org.example.a", hypot)
    #expect(
      Set(catalog().pages().map(\.path)) == [
        "index.html", "functions.html", "tags.html", "graph.html", "catalog.css", "catalog.js", "catalog-search.js",
        "plugins/org.example.a.html", "plugins/org.example.b.html",
      ])
  }

  @Test("The footer names the command and its version only, since --probe and --check run code of plugins")
  func footer() throws {
    let text = try page("index.html", catalog())
    #expect(text.contains("<p>Written by <code>troupe catalog</code> \(Release.version).</p></footer>"))
  }

  @Test("Plugins are sorted by name, without regard to case")
  func order() throws {
    try add("org.example.1", name: "beta")
    try add("org.example.2", name: "Gamma")
    try add("org.example.3", name: "Alpha")
    #expect(catalog().plugins.map(\.name) == ["Alpha", "beta", "Gamma"])
  }

  @Test("A unique name selects a function; otherwise the UUID does")
  func selectors() throws {
    try add("org.example.a", hypot, #""name": "alone", "signature": "double (double x, double y)""#)
    try add("org.example.b", hypot)
    let items = catalog().plugins.flatMap(\.items)
    #expect(items.filter { $0.name == "alone" }.map(\.selector) == ["alone"])
    for item in items where item.name == "hypot" { #expect(item.selector == item.registration.uuid?.uuidString.lowercased()) }
  }

  @Test("The search data is one call with an array of strings")
  func searchData() throws {
    try add("org.example.a", name: "</script> \\\" 'x'", hypot + #", "tags": ["one", "two"]"#)
    let text = try page("catalog-search.js", catalog())
    #expect(text.hasPrefix("troupeCatalog([\n") && text.hasSuffix("\n]);\n"))
    let rows = try JSONDecoder().decode([[String]].self, from: Data(text.dropFirst(14).dropLast(3).utf8))
    #expect(rows.map { $0[1] } == ["plugin", "function", "tag", "tag"] && rows.allSatisfy { $0.count == 6 })
    #expect(
      rows[1] == [
        "hypot", "function", "</script> \" 'x'", "plugins/org.example.a.html#function-hypot", "Returns the root.", "one two",
      ])
  }

  @Test("The calls have the arguments of the first example")
  func calls() throws {
    try add("org.example.a", hypot + #", "examples": [{"arguments": [3, 4], "result": 5}]"#)
    let calls = Snippet.calls(of: try #require(catalog().plugins.first?.items.first))
    #expect(calls.map(\.language) == ["Command", "C", "Swift", "Python"])
    #expect(calls[0].code == "troupe call hypot 3 4 --plugins plugins")
    #expect(calls[1].code.contains("{TROUPE_DOUBLE(3.0), TROUPE_DOUBLE(4.0)}"))
    #expect(calls[2].code.contains("(3.0, 4.0)"))
    #expect(calls[3].code.contains("print(function(3, 4))"))
  }

  @Test("Arguments that the shell, the command and C read otherwise are quoted")
  func quoting() throws {
    try add(
      "org.example.a",
      #""name": "it's", "signature": "int (const char *a, const char *b)", "examples": [{"arguments": ["$(x) '\"", "-a"], "result": 1}]"#,
      #""name": "at", "signature": "int (const char *a)", "examples": [{"arguments": ["@file"], "result": 1}]"#,
      #""name": "null", "signature": "int (const char *a)", "examples": [{"arguments": [null], "result": 1}]"#,
      #""name": "question", "signature": "int (const char *a)", "examples": [{"arguments": ["??/\u0001é"], "result": 1}]"#)
    let items = Dictionary(uniqueKeysWithValues: catalog().plugins[0].items.map { ($0.name, Snippet.calls(of: $0)) })
    #expect(items["it's"]?[0].code == #"troupe call 'it'\''s' --plugins plugins -- '$(x) '\''"' -a"#)
    #expect(items["at"]?[0].code == "troupe call at @@file --plugins plugins")
    #expect(items["null"]?[0].code == "troupe call null --arguments '[null]' --plugins plugins")
    #expect(items["question"]?[1].code.contains(#"TROUPE_STRING("\?\?/\001\303\251")"#) == true)
    #expect(items["question"]?[2].code.contains(#"("??/\u{1}é")"#) == true)
    #expect(items["question"]?[3].code.contains(#"(function("??/\u0001é"))"#) == true)
  }

  @Test("Calls have escapes for invisible characters, so that a page shows them unchanged")
  func invisible() throws {
    let text = #"a\rb\u200fc\udb40\udc41"#
    try add(
      "org.example.a",
      #""name": "f", "signature": "int (const char *a)", "examples": [{"arguments": ["\#(text)"], "result": 1}]"#,
      #""name": "g", "signature": "int (const char *a, uint8_t b)", "examples": [{"arguments": ["\#(text)", null], "result": 1}]"#
    )
    let items = Dictionary(uniqueKeysWithValues: catalog().plugins[0].items.map { ($0.name, Snippet.calls(of: $0)) })
    #expect(items["f"]?[0].code == #"troupe call f --arguments '["a\u000db\u200fc\udb40\udc41"]' --plugins plugins"#)
    #expect(items["f"]?[1].code.contains(#"TROUPE_STRING("a\015b\342\200\217c\363\240\201\201")"#) == true)
    #expect(items["f"]?[2].code.contains(#"("a\u{d}b\u{200f}c\u{e0041}")"#) == true)
    #expect(items["f"]?[3].code.contains(#"(function("a\u000db\u200fc\U000e0041"))"#) == true)
    #expect(items["g"]?[2].code.contains(##".json(#"["a\u000db\u200fc\udb40\udc41", null]"#)"##) == true)
    for snippet in items.values.joined() {
      #expect(snippet.code.unicodeScalars.allSatisfy { !$0.isInvisible || $0 == "\n" }, "\(snippet.code)")
    }
  }

  @Test(
    "A word of the shell has the text without invisible characters",
    arguments: ["a\rb\u{200F}c", "-\u{1B}%s\\ '\n\n", "\u{1}", "it's", "\u{7}'\u{301}\t\n"])
  func words(text: String) throws {
    let word = ShellCode.word(text)
    #expect(word.unicodeScalars.allSatisfy { !$0.isInvisible || $0 == "\n" || $0 == "\t" })
    #expect(try succeed(["sh", "-c", "printf %s \(word)"]).text == text)
  }

  @Test("A number for a floating-point parameter is one in C, also without a fraction")
  func largeNumber() throws {
    try add("org.example.a", hypot + #", "examples": [{"arguments": [100000000000000000000, -1e3], "result": 1}]"#)
    let code = Snippet.calls(of: try #require(catalog().plugins.first?.items.first))[1].code
    #expect(code.contains("{TROUPE_DOUBLE(100000000000000000000.0), TROUPE_DOUBLE(-1e3)}"))
  }

  /// Adds a plugin in C with requirements.
  private func add(_ id: String, requiring requirements: String...) throws {
    let list = requirements.map { "\"\($0)\"" }.joined(separator: ", ")
    try Repo.compile(
      [Repo.fixture("healthy/empty.c")], to: directory.file("\(id).so"),
      options: ["-DID=\"\(id)\"", "-DMEMBERS=TROUPE_REQUIRES(\(list))"])
  }

  @Test("A graph has links to the pages of plugins, and a missing plugin has none")
  func graph() throws {
    try add("org.example.a", requiring: "org.example.b ^1.0.0", "org.example.missing")
    try add("org.example.b", hypot)
    let text = try page("graph.html", catalog())
    #expect(text.contains("<svg ") && text.contains("href=\"plugins/org.example.b.html\""))
    #expect(text.contains("class=\"node missing\"") && text.contains(", provided by <a href=\"plugins/org.example.b.html\">"))
    #expect(!text.contains("href=\"plugins/org.example.missing.html\""))
  }

  @Test("A plugin in another version does not meet a requirement, and its edge is marked")
  func otherVersion() throws {
    try add("org.example.a", requiring: "org.example.b ^2.0.0")
    try add("org.example.b", name: "B", hypot)
    let catalog = catalog()
    for path in ["graph.html", "plugins/org.example.a.html"] {
      let text = try page(path, catalog)
      #expect(text.contains(">B</a><span class=\"rejected\"> 1.0.0 does not meet it</span>"))
      #expect(text.contains("class=\"edge unmet\"") && !text.contains("provided by"))
    }
  }

  @Test("A requirement finds a plugin whose id is too long for the name of its page")
  func longID() throws {
    let id = "org." + Array(repeating: String(repeating: "x", count: 50), count: 4).joined(separator: ".")
    try add("org.example.a", requiring: id)
    try add(id, name: "Long", hypot)
    let catalog = catalog()
    let plugin = try #require(catalog.plugins.first { $0.name == "Long" })
    #expect(id.utf8.count > 200 && plugin.page.utf8.count < 100)
    #expect(try page("graph.html", catalog).contains(", provided by <a href=\"\(plugin.path)\">Long</a>"))
  }

  @Test("The name of a page fits a directory, also for a file with a long name of few characters")
  func longFileName() throws {
    try setMode(0o755, of: directory.write(String(repeating: "👨‍👩‍👧‍👦", count: 10) + ".so", []))
    let plugin = try #require(catalog().plugins.first)
    #expect(plugin.fileName.utf8.count > 250 && plugin.page == "~" + String(repeating: "_", count: 50))
  }

  @Test("The documentation has a fault for a missing description, an unknown parameter and each malformed example")
  func faults() throws {
    try add(
      "org.example.a", #""name": "silent", "signature": "double (double x, double y)""#,
      hypot + #", "parameters": {"x": "One.", "z": "Other."}"#)
    try add(
      "org.example.b",
      hypot + #", "metadata": {"example(1)": "1", "example(])": "1", "example(1, 2], [3)": "1", "example(3, 4)": "five"}"#)
    let faults = catalog().documentationDiagnoses()
    #expect(
      faults.map(\.code) == [
        .unknownParameter, .missingDescription, .malformedExample, .malformedExample, .malformedExample, .malformedExample,
      ])
    #expect(faults.map(\.registration) == ["hypot", "silent", "hypot", "hypot", "hypot", "hypot"])
    #expect(faults[0].problem.contains("\"z\"") && faults[0].remedy.contains("x, y"))
  }

  @Test("A plugin that cannot be used has a page with the reason")
  func unusable() throws {
    try setMode(0o755, of: directory.write("a<b>.so", []))
    let catalog = catalog()
    #expect(catalog.documentationDiagnoses().map(\.code) == [.unknownRegistrations])
    let text = try page("plugins/~a_b_.so.html", catalog)
    #expect(text.contains("This plugin cannot be used") && text.contains("<h1>a&lt;b&gt;.so</h1>"))
  }
}
