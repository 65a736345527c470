import Foundation
import TestSupport
import Testing

@Suite("troupe catalog")
struct CatalogTests {
  private struct Report: Decodable {
    struct Fault: Decodable {
      let plugin, code, problem, remedy: String
      let registration: String?
    }

    let site: String?
    let plugins, functions, transforms, unknown, examples, skipped: Int
    let faults: [Fault]
  }

  /// The directory of the test, with the site and a cache of its own.
  private let work: TemporaryDirectory

  init() throws { work = try TemporaryDirectory() }

  private var site: String { work.file("site") }

  private func catalog(_ directory: String, _ options: String...) throws -> Run {
    try run(
      unset(except: ["XDG_CACHE_HOME", "XDG_STATE_HOME"]) + [Repo.troupe, "catalog", directory] + options,
      environment: ["XDG_CACHE_HOME": work.path, "XDG_STATE_HOME": work.path])
  }

  private func page(_ path: String) throws -> String { try String(contentsOfFile: "\(site)/\(path)", encoding: .utf8) }

  private func parsed(_ run: Run, _ status: Int32) throws -> Report {
    #expect(run.status == status && run.errors == "", "\(run.errors)")
    return try JSONDecoder().decode(Report.self, from: run.output)
  }

  /// Compiles a plugin whose function has documentation in C.
  private func add(_ texts: String, body: String = "return number;", to directory: TemporaryDirectory) throws {
    try directory.add(fixture: "commands/documented.c", as: "documented", ["TEXTS": texts, "BODY": body])
  }

  @Test("The catalog of the examples has no fault, and a page for each plugin with its functions and transforms")
  func examples() throws {
    let report = try parsed(
      catalog(Examples.directory(), "-o", site, "--probe", "--check", "--json"), 0)
    #expect(report.site == site && report.plugins == 11 && report.transforms == 9 && report.unknown == 0)
    #expect(report.examples >= 19 && report.skipped == 0 && report.faults.isEmpty)
    #expect(try page("index.html").contains("href=\"plugins/org.example.geometry.html\">Geometry</a>"))
    let geometry = try page("plugins/org.example.geometry.html")
    for text in [
      "double area(double width, double height)", "The width, in any unit.", "troupe call area 3 4.5 --plugins plugins",
    ] {
      #expect(geometry.contains(text))
    }
    #expect(try page("plugins/org.example.grep.html").contains("--set org.example.grep:pattern="))
  }

  @Test("A plugin that was never probed has a page without its registrations, and no plugin code runs")
  func withoutCode() throws {
    let (directory, mark) = (try TemporaryDirectory(), work.file("mark"))
    try Repo.compile(
      [Repo.fixture("faulty/constructor.c")], to: directory.file("constructor.so"), options: ["-DMARK=\"\(mark)\""])
    try Repo.compile([Repo.fixture("faulty/crash-in-entry.c")], to: directory.file("crash.so"))
    let report = try parsed(catalog(directory.path, "-o", site, "--json"), 0)
    #expect(report.plugins == 2 && report.unknown == 2)
    #expect(try page("plugins/org.example.constructor.html").contains("The registrations are unknown"))
    #expect(!FileManager.default.fileExists(atPath: mark))
    let probed = try parsed(catalog(directory.path, "-o", site, "--probe", "--check", "--json"), 69)
    #expect(probed.faults.map(\.plugin) == ["org.example.crash-in-entry"] && probed.unknown == 0)
    #expect(FileManager.default.fileExists(atPath: mark))
    #expect(try page("plugins/org.example.crash-in-entry.html").contains("This plugin cannot be used"))
  }

  @Test("--check without a probe fails for plugins whose registrations are unknown")
  func unknown() throws {
    let directory = try Examples.copies("geometry")
    let run = try catalog(directory.path, "--check")
    #expect(run.status == 69 && run.text.contains("org.example.geometry has never been probed; add --probe"), "\(run.text)")
  }

  @Test(
    "--check fails for each fault, with the plugin and the function",
    arguments: [
      ("missingDescription", #"TROUPE_PARAMETER("number", "A number.")"#),
      ("unknownParameter", #"TROUPE_DESCRIPTION("D."), TROUPE_PARAMETER("size", "A size.")"#),
      ("malformedExample", #"TROUPE_DESCRIPTION("D."), TROUPE_EXAMPLE("1,", "1")"#),
      ("malformedExample", #"TROUPE_DESCRIPTION("D."), TROUPE_EXAMPLE("1, 2", "1")"#),
      ("malformedExample", #"TROUPE_DESCRIPTION("D."), TROUPE_EXAMPLE("1", "one")"#),
      ("differentResult", #"TROUPE_DESCRIPTION("D."), TROUPE_EXAMPLE("1", "2")"#),
      ("differentResult", #"TROUPE_DESCRIPTION("D."), TROUPE_EXAMPLE("\"one\"", "1")"#),
    ])
  func diagnosis(code: String, texts: String) throws {
    let directory = try TemporaryDirectory()
    try add(texts, to: directory)
    let report = try parsed(catalog(directory.path, "--probe", "--check", "--json"), 69)
    #expect(report.site == nil && report.faults.map(\.code) == [code])
    #expect(report.faults[0].plugin == "org.example.documented" && report.faults[0].registration == "twice")
    #expect(!report.faults[0].remedy.isEmpty)
    let text = try catalog(directory.path, "-o", site, "--check")
    #expect(text.status == 69 && text.text.hasPrefix("org.example.documented: twice has "), "\(text.text)")
    // A fault does not prevent the site.
    #expect(try page("index.html").contains("Documented"))
  }

  @Test("An example that crashes is a fault, and the other examples run")
  func crash() throws {
    let directory = try Examples.copies("geometry", "base64")
    let texts = (1...3).map { #"TROUPE_EXAMPLE("\#($0)", "\#($0)")"# }.joined(separator: ", ")
    try add(#"TROUPE_DESCRIPTION("D."), "# + texts, body: "if (number == 2) abort(); return number;", to: directory)
    let report = try parsed(catalog(directory.path, "--probe", "--check", "--json"), 69)
    #expect(report.faults.map(\.plugin) == ["org.example.documented"])
    #expect(report.faults.first?.problem.contains("SIGABRT") == true)
    #expect(report.examples >= 9)
  }

  @Test("Many crashes, and a plugin that ends its worker when it is loaded, change no result of other plugins")
  func neighbors() throws {
    let directory = try Examples.copies("geometry", "base64", "dataurl")
    let texts = (1...12).map { #"TROUPE_EXAMPLE("\#($0)", "\#($0)")"# }.joined(separator: ", ")
    try add(#"TROUPE_DESCRIPTION("D."), "# + texts, body: "if (number < 12) abort(); return number;", to: directory)
    try directory.add(fixture: "catalog/socket.c", as: "socket")
    let report = try parsed(catalog(directory.path, "--probe", "--check", "--json"), 69)
    #expect(report.faults.filter { $0.plugin == "org.example.documented" }.count == 11)
    #expect(report.faults.filter { $0.plugin != "org.example.documented" }.map(\.code) == ["notLoaded"])
    #expect(report.faults.last { $0.code == "notLoaded" }?.plugin == "org.example.socket")
    // The examples of geometry, base64 and dataurl, and the last one of the crashing plugin.
    #expect(report.examples > 12 && report.faults.allSatisfy { !$0.problem.contains("keeps ending") })
  }

  @Test("A link or a pipe in the directory of the site leads to no other file")
  func links() throws {
    let directory = try Examples.copies("geometry")
    let other = try TemporaryDirectory()
    try other.write("org.example.geometry.html", "mine".utf8)
    try FileManager.default.createDirectory(atPath: site, withIntermediateDirectories: true)
    try writeFile(site + "/catalog-files.txt", "plugins/org.example.geometry.html\n".utf8)
    try #require(symlink(other.path, site + "/plugins") == 0)
    expectFailure(try catalog(directory.path, "-o", site), 64, "plugins: is a link")
    #expect(try String(contentsOfFile: other.file("org.example.geometry.html"), encoding: .utf8) == "mine")
    unlink(site + "/plugins")
    unlink(site + "/catalog-files.txt")
    try #require(mkfifo(site + "/catalog-files.txt", 0o600) == 0)
    expectFailure(try catalog(directory.path, "-o", site), 64, "catalog-files.txt: is no regular file")
  }

  @Test("A plugin cannot change files in its examples")
  func isolation() throws {
    let (directory, mark) = (try TemporaryDirectory(), work.file("mark"))
    try add(
      #"TROUPE_DESCRIPTION("D."), TROUPE_EXAMPLE("1", "1")"#,
      body: "return fopen(\"\(mark)\", \"w\") ? 2 : number;", to: directory)
    #expect(try parsed(catalog(directory.path, "--probe", "--check", "--json"), 0).examples == 1)
    #expect(!FileManager.default.fileExists(atPath: mark))
  }

  @Test("A plugin that does not load in a worker is a fault")
  func workerFault() throws {
    let (directory, mark) = (try TemporaryDirectory(), work.file("mark"))
    try directory.add(fixture: "commands/writer.c", as: "writer", ["MARK": "\"\(mark)\""])
    let report = try parsed(catalog(directory.path, "--probe", "--check", "--json"), 69)
    #expect(report.faults.map(\.code) == ["notLoaded"] && report.faults.first?.plugin == "org.example.writer")
    #expect(report.examples == 0 && report.skipped == 1)
  }

  @Test("The page of a removed plugin is removed, and other files stay")
  func stale() throws {
    let directory = try Examples.copies("geometry", "base64")
    _ = try output(of: catalog(directory.path, "-o", site))
    try writeFile(site + "/robots.txt", "own".utf8)
    try FileManager.default.removeItem(atPath: directory.file("base64.so"))
    _ = try output(of: catalog(directory.path, "-o", site))
    #expect(try FileManager.default.contentsOfDirectory(atPath: site + "/plugins") == ["org.example.geometry.html"])
    #expect(try page("robots.txt") == "own")
  }

  @Test("A directory with other files, a file and a missing directory of plugins are refused")
  func refusals() throws {
    let plugins = try Examples.copies("geometry")
    expectFailure(
      try catalog(plugins.path, "-o", plugins.path), 64, plugins.path, "geometry.so", "no catalog", "new or an empty")
    expectFailure(try catalog(plugins.path, "-o", plugins.file("geometry.so")), 74, "geometry.so", "-o")
    expectFailure(try catalog(work.file("missing"), "-o", site), 66, work.file("missing"), "name another directory")
    expectFailure(try catalog(plugins.path), 64, "missing -o SITE or --check")
    expectFailure(try catalog(plugins.path, "-o", ""), 64, "-o is empty")
    #expect(!FileManager.default.fileExists(atPath: site))
  }

  @Test("Names and texts with markup, quotes and marks of the direction are text")
  func hostile() throws {
    let directory = try TemporaryDirectory()
    try Repo.compile([Repo.fixture("catalog/hostile.c")], to: directory.file("hostile.so"))
    #expect(try catalog(directory.path, "-o", site, "--probe").status == 0)
    let pages = ["index.html", "functions.html", "tags.html", "graph.html", "plugins/org.example.hostile.html"]
    for text in try pages.map(page) {
      #expect(!text.contains("<script>") && !text.contains("<img") && !text.contains("\" onmouseover"))
      #expect(!text.unicodeScalars.contains { $0 == "\u{202E}" || $0 == "\u{200F}" || $0 == "\u{1B}" })
    }
    #expect(try page(pages[4]).contains("&lt;script&gt;hacked()&lt;/script&gt;"))
  }

  @Test("The calls for the command and for C print the results of the examples")
  func calls() throws {
    _ = try output(of: catalog(Examples.directory(), "-o", site, "--probe"))
    try FileManager.default.createSymbolicLink(atPath: work.file("plugins"), withDestinationPath: Examples.directory())
    let expected = [
      ("geometry", "area", "13.5\n"), ("geometry", "compass", "south-west\n"), ("geometry", "crc32_text", "3421780262\n"),
      ("libc", "abs", "3\n"), ("base64", "base64-encode", "SGVsbG8=\n"), ("grep", "grep-for", "two\n"),
      ("wordcount", "word-count", "3\ta\n2\tb\n"),
    ]
    for (plugin, name, result) in expected {
      let html = try page("plugins/org.example.\(plugin).html")
      let command = try code("Command: \(name)", in: html)
      #expect(try shell(command).text == result, "\(command)")
      let program = try code("C: \(name)", in: html)
      try work.write("main.c", program.utf8)
      let build = try #require(program.split(separator: "\n").first).dropFirst(3)
      #expect(try shell("\(build) && ./main").text == result, "\(program)")
    }
  }

  @Test("The commands of the guide print the shown lines")
  func guide() throws {
    try FileManager.default.createSymbolicLink(atPath: work.file("plugins"), withDestinationPath: Examples.directory())
    let document = try Document("Documentation/TroupeCommand.docc/CatalogOfPlugins.md")
    for heading in ["## Write the site", "## Check the documentation"] {
      let shown = try document.section(heading).components(separatedBy: "\nprints\n\n```\n")[1].components(separatedBy: "```")[
        0]
      #expect(try shell(document.block("sh", in: heading)).text == shown)
    }
  }

  /// Runs a shell line in the parent directory of `plugins`, with the built command on the path.
  private func shell(_ line: String) throws -> Run {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    let result = try run(
      unset(except: ["XDG_CACHE_HOME"]) + ["sh", "-c", line],
      environment: ["PATH": "\(Repo.products):\(path)", "XDG_CACHE_HOME": work.path],
      directory: work.path)
    #expect(result.status == 0 && result.errors == "", "\(line)\n\(result.errors)")
    return result
  }

  /// Returns the text of the code with a label.
  private func code(_ label: String, in html: String) throws -> String {
    let start = try #require(html.range(of: "aria-label=\"\(label)\"><code>"))
    let end = try #require(html.range(of: "</code>", range: start.upperBound..<html.endIndex))
    let entities = ["&lt;": "<", "&gt;": ">", "&quot;": "\"", "&#39;": "'"]
    let text = entities.reduce(String(html[start.upperBound..<end.lowerBound])) { $0.replacing($1.key, with: $1.value) }
    return text.replacing("&amp;", with: "&")
  }
}
