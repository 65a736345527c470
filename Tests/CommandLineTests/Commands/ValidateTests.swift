import Foundation
import FoundationXML
import TestSupport
import Testing

@Suite("troupe validate")
struct ValidateTests {
  private struct Report: Decodable {
    struct Check: Decodable {
      let name, result, message, remedy: String
      let level: Int
      let seconds: Double

      var isGood: Bool { result == "passed" || result == "skipped" }
      var isFailure: Bool { result == "failed" || result == "crashed" }
    }

    struct File: Decodable {
      let file: String
      let plugin: String?
      let checks: [Check]
      let counts: [String: Int]

      /// The checks that have something to say.
      var findings: [Check] { checks.filter { !$0.isGood } }
    }

    let files: [File]
    let seed: UInt64
  }

  private struct ListedCheck: Decodable {
    let name, group, severity, summary: String
    let level: Int
  }

  /// A plugin of `Tests/Fixtures/validate`. Its first comments name options for the compiler, and commands before and after it.
  private struct Fixture {
    let directory: TemporaryDirectory
    let path: String

    init(_ name: String) throws {
      directory = try TemporaryDirectory()
      let sources = ["c", "swift"].map { Repo.fixture("validate/\(name).\($0)") }
      guard let source = sources.first(where: { FileManager.default.fileExists(atPath: $0) }) else {
        path = directory.file(name + ".troupe.json")
        try copyFile(Repo.fixture("validate/\(name).troupe.json"), to: path)
        return
      }
      path = directory.file(name + ".so")
      let text = try String(contentsOfFile: source, encoding: .utf8)
      try runCommands("before", in: text)
      let options = Self.comments("cc", in: text).flatMap { $0.split(separator: " ").map(String.init) }
        .map { $0.replacing("$directory", with: directory.path).replacing("$products", with: Repo.products) }
      try Repo.compile([source], to: path, options: options)
      try runCommands("after", in: text)
    }

    private func runCommands(_ kind: String, in text: String) throws {
      for command in Self.comments(kind, in: text) {
        try succeed(["sh", "-c", command], environment: ["file": path, "directory": directory.path])
      }
    }

    private static func comments(_ kind: String, in text: String) -> [String] {
      text.split(separator: "\n").compactMap { line in
        guard line.hasPrefix("/* \(kind): "), line.hasSuffix(" */") else { return nil }
        return String(line.dropFirst(kind.count + 5).dropLast(3))
      }
    }
  }

  private func report(_ words: String...) throws -> (report: Report, status: Int32) {
    let result = try run(unset() + [Repo.troupe, "validate", "--json"] + words)
    return (try JSONDecoder().decode(Report.self, from: result.output), result.status)
  }

  private static let checks: [ListedCheck] = {
    let list = try? run([Repo.troupe, "validate", "--list", "--level", "5", "--json"])
    return list.flatMap { try? JSONDecoder().decode([ListedCheck].self, from: $0.output) } ?? []
  }()

  @Test("A faulty plugin fails the check of its fault and no other", arguments: checks.map(\.name))
  func faults(name: String) throws {
    let check = try #require(Self.checks.first { $0.name == name })
    let (faulty, companion) = (try Fixture(name), try Fixture("companion"))
    let (report, status) = try report("--level", "5", "--deadline", "5", faulty.path, companion.path)
    let faults = report.files[0].findings
    #expect(faults.map(\.name) == [name], "\(faults)")
    #expect(faults.allSatisfy { ($0.result == "warning") == (check.severity == "warning") })
    #expect(faults.allSatisfy { !$0.message.isEmpty && !$0.remedy.isEmpty })
    #expect(status == (check.severity == "warning" ? 0 : 69))
  }

  @Test("A correct plugin passes all checks")
  func correct() throws {
    let (good, companion) = (try Fixture("good"), try Fixture("companion"))
    let (report, status) = try report("--level", "5", good.path, companion.path)
    #expect(status == 0)
    #expect(report.files.map(\.plugin) == ["org.example.validated", "org.example.companion"])
    for file in report.files {
      #expect(file.findings.isEmpty, "\(file.findings)")
      #expect(file.checks.map(\.name) == Self.checks.map(\.name))
      #expect(file.counts.values.reduce(0, +) == file.checks.count)
    }
  }

  @Test("The list has at least 50 checks, and a level has those below it")
  func list() throws {
    #expect(Self.checks.count >= 50)
    #expect(Set(Self.checks.map(\.name)).count == Self.checks.count)
    #expect(Self.checks.allSatisfy { $0.name.hasPrefix($0.group + "-") && 1...5 ~= $0.level })
    var former: Set<Substring> = []
    for level in 1...5 {
      let text = try succeed([Repo.troupe, "validate", "--list", "--level", "\(level)"]).text
      let names = Set(text.split(separator: "\n").dropFirst().compactMap { $0.split(separator: " ").first })
      #expect(names == Set(Self.checks.filter { $0.level <= level }.map { Substring($0.name) }))
      #expect(names.isStrictSuperset(of: former))
      former = names
    }
  }

  @Test("--only and --except select checks by their names")
  func selection() throws {
    let good = try Fixture("good")
    let (only, _) = try report("--only", "^load-(open|time)$", good.path)
    #expect(only.files[0].checks.map(\.name) == ["load-open", "load-time"])
    let (rest, _) = try report("--only", "^file-", "--except", "path$", good.path)
    let expected = Self.checks.map(\.name).filter { $0.hasPrefix("file-") && !$0.hasSuffix("path") }
    #expect(rest.files[0].checks.map(\.name) == expected)
  }

  @Test("Each check of a hanging, exiting or crashing plugin ends, and the others that need it are skipped")
  func hanging() throws {
    for (fixture, result, word) in [
      ("faulty/hang-in-entry.c", "failed", "1 s"), ("faulty/exit.c", "crashed", "ended the process"),
      ("faulty/crash-in-entry.c", "crashed", "crashed with SIG"),
    ] {
      let directory = try TemporaryDirectory()
      let plugin = try Repo.compile([Repo.fixture(fixture)], to: directory.file("plugin.so"))
      let (report, status) = try report("--deadline", "1", plugin)
      let checks = report.files[0].checks.filter { $0.level > 1 }
      #expect(checks[0].name == "load-open" && checks[0].result == result && checks[0].message.contains(word), "\(checks[0])")
      #expect(checks.dropFirst().allSatisfy { $0.result == "skipped" && $0.message.contains("load-open") })
      let debugging = "run lldb -- troupe validate --in-process --only '^load-open$' \(plugin)"
      #expect((checks[0].remedy == debugging) == (fixture != "faulty/exit.c"), "\(checks[0])")
      #expect(status == 69)
    }
  }

  @Test("A failed activation is named with its error, and skips the checks that use the plugin", arguments: [false, true])
  func activation(inProcess: Bool) throws {
    let faulty = try Fixture("load-activation")
    let words = inProcess ? ["--in-process", "--except", "^load-exit"] : []
    let result = try run(unset() + [Repo.troupe, "validate", "--json", faulty.path] + words)
    let checks = try JSONDecoder().decode(Report.self, from: result.output).files[0].checks
    let fault = try #require(checks.first { $0.name == "load-activation" })
    #expect(fault.result == "failed")
    #expect(fault.message == "failed when it was activated: the device is not plugged in")
    #expect(fault.remedy == "fix it, or remove it")
    let users = checks.filter { $0.level > 2 }
    #expect(!users.isEmpty && users.allSatisfy { $0.result == "skipped" && $0.message.contains("load-activation") }, "\(users)")
    #expect(result.status == 69)
  }

  @Test("An activation that never ends fails at the deadline")
  func endlessActivation() throws {
    let directory = try TemporaryDirectory()
    let source = try String(contentsOfFile: Repo.fixture("validate/load-activation.swift"), encoding: .utf8)
    let endless = source.replacing(
      "await MainActor.run {}", with: "await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }")
    let path = try Repo.compile([directory.write("endless.swift", endless.utf8)], to: directory.file("endless.so"))
    let (report, _) = try report("--deadline", "2", "--only", "^load-activation$", path)
    let message = try #require(report.files[0].findings.first?.message)
    #expect(message.hasPrefix("waited for more than 2 s when it was activated, at "), "\(message)")
  }

  @Test("A correct function that is too slow for all repetitions passes within the deadline")
  func slow() throws {
    let slow = try Fixture("slow")
    let (report, status) = try report("--level", "5", "--deadline", "4", "--only", "^function-", slow.path)
    #expect(report.files[0].findings.isEmpty, "\(report.files[0].findings)")
    #expect(status == 0)
  }

  @Test("Five thousand functions are called within the deadline")
  func many() throws {
    let directory = try TemporaryDirectory()
    let plugin = try Repo.compile([Repo.fixture("validate/many.c")], to: directory.file("many.so"))
    let (report, status) = try report("--level", "5", "--only", "^function-(eight|leak|generated)", plugin)
    #expect(report.files[0].checks.map(\.result) == ["passed", "passed", "passed"], "\(report.files[0].findings)")
    #expect(status == 0)
  }

  @Test("The largest seed calls a function once")
  func largestSeed() throws {
    let good = try Fixture("good")
    let (report, status) = try report("--reproduce", "\(UInt64.max)", good.path)
    #expect(report.files[0].checks.map(\.result) == ["passed"])
    #expect(status == 0)
  }

  @Test("A crash shows all arguments of the call, a long buffer by its length")
  func arguments() throws {
    let directory = try TemporaryDirectory()
    let plugin = try directory.add(fixture: "validate/crashing-arguments.c", as: "arguments")
    let (report, _) = try report("--only", "^function-generated$", plugin)
    let message = try #require(report.files[0].findings.first?.message)
    #expect(message.contains(/with \(an array of [0-9]+ elements, (.*, )?-?[0-9]+\) \(--reproduce/), "\(message)")
  }

  @Test("A crash prints the seed of its call, which --reproduce repeats")
  func reproduction() throws {
    let faulty = try Fixture("function-generated")
    let (first, _) = try report("--only", "^function-generated$", faulty.path)
    let crash = try #require(first.files[0].findings.first)
    #expect(crash.result == "crashed" && crash.message.contains("SIGABRT"), "\(crash)")
    let call = try #require(crash.message.firstMatch(of: /in its function (.*) \(--reproduce ([0-9]+)\)/))
    let (second, status) = try report("--reproduce", String(call.2), faulty.path)
    #expect(status == 69)
    #expect(second.files[0].checks.count == 1)
    #expect(second.files[0].findings.first?.message == crash.message)
    // The first call with another seed.
    let (third, _) = try report("--reproduce", String(call.2 + "0"), faulty.path)
    let other = third.files[0].findings.first?.message
    #expect(other == nil || other?.contains(call.1) == false)
  }

  @Test("The text has the warnings, the faults and the counts, and with --all each check")
  func text() throws {
    let faulty = try Fixture("load-output")
    let words = [Repo.troupe, "validate", "--level", "2", faulty.path]
    let lines = try run(unset() + words).text.split(separator: "\n")
    #expect(lines.count == 3)
    #expect(lines.first == Substring(faulty.path))
    #expect(lines.dropFirst().first?.hasPrefix("  failed   load-output: prints ") == true)
    #expect(lines.last?.contains(" passed, ") == true)
    let all = try run(unset() + words + ["--all"]).text.split(separator: "\n")
    #expect(all.count == Self.checks.count { $0.level <= 2 } + 2)
    #expect(all.last == lines.last)
    #expect(all.contains { $0.hasPrefix("  skipped  ") } && all.contains("  passed   file-trust"))
  }

  @Test("The checks of names are skipped for an adopted library, and its version is no warning")
  func adoptedNames() throws {
    let directory = try TemporaryDirectory()
    let source = try directory.write("stack.c", "int STACK_push(int value, int) { return value; }\n".utf8)
    let header = try directory.write("stack.h", "int STACK_push(int value, int);\n".utf8)
    let library = try succeedCompiling(source, to: directory.file("libstack.so"))
    let file = directory.file("stack.troupe.json")
    try succeed([Repo.troupe, "adopt", header, "--library", library, "-o", file])
    let (report, status) = try report("--level", "2", file)
    #expect(status == 0)
    #expect(report.files[0].findings.isEmpty, "\(report.files[0].findings)")
    for name in ["registration-names", "registration-parameter-names"] {
      #expect(report.files[0].checks.first { $0.name == name }?.result == "skipped")
    }
    // The adopted library itself leads to the file.
    let own = try run(unset() + [Repo.troupe, "validate", "--level", "1", library])
    #expect(own.status == 69)
    #expect(own.text.contains("file-manifest: has no Troupe manifest; name \(file), which makes a plugin of it\n"))
  }

  /// Compiles a library without Troupe.
  private func succeedCompiling(_ source: String, to library: String) throws -> String {
    try succeed(["cc", "-std=gnu2x", "-shared", "-fPIC", "-o", library, source])
    return library
  }

  @Test("Threads that run on after loading, as those of a runtime, are a warning")
  func threads() throws {
    let plugin = try Fixture("load-threads")
    let (report, status) = try report("--only", "^load-threads$", plugin.path)
    #expect(report.files[0].checks.map(\.result) == ["warning"] && status == 0, "\(report)")
  }

  @Test("A SONAME with the id of the plugin is as good as that of the file")
  func ownName() throws {
    let directory = try TemporaryDirectory()
    for (name, count) in [("liborg_example_validated.so", 0), ("libother.so", 1)] {
      let path = directory.file("plugin.so")
      try Repo.compile([Repo.fixture("validate/good.c")], to: path, options: ["-Wl,-soname,\(name)", "-lm"])
      #expect(try report("--only", "^file-soname$", path).report.files[0].findings.count == count, "\(name)")
    }
  }

  @Test("Libraries of a plugin may lie outside its directory, where others cannot change them", arguments: [0o755, 0o777])
  func ownLibraries(mode: Int) throws {
    let directory = try TemporaryDirectory()
    for name in ["lib", "plugins"] {
      try FileManager.default.createDirectory(atPath: directory.file(name), withIntermediateDirectories: false)
    }
    let library = directory.file("lib/libtroupe-own.so")
    let source = try directory.write("own.c", "int absent(void) { return 1; }".utf8)
    try succeed(["cc", "-shared", "-fPIC", "-Wl,-soname,libtroupe-own.so", "-o", library, source])
    let path = directory.file("plugins/plugin.so")
    try Repo.compile(
      [Repo.fixture("validate/file-missing-libraries.c")], to: path,
      options: ["-L" + directory.file("lib"), "-ltroupe-own", "-Wl,-rpath,$ORIGIN/../lib"])
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: directory.file("lib"))
    let findings = try report("--level", "1", path).report.files[0].findings
    #expect(findings.map(\.name) == (mode == 0o755 ? [] : ["file-run-path"]), "\(findings)")
    try FileManager.default.removeItem(atPath: library)
    let missing = try #require(
      try report("--only", "^file-missing-libraries$", path).report.files[0].findings.first)
    #expect(missing.remedy.hasPrefix("install it, or put its libraries outside the plugin directory, such as into ../lib, "))
  }

  @Test("An id instead of a file is an error that leads to the file")
  func id() throws {
    expectFailure(
      try troupe("validate", "org.example.absent"), 66, "troupe inspect org.example.absent shows that of a plugin with this id")
  }

  @Test("A source is an error that asks for the library")
  func source() throws {
    expectFailure(
      try troupe("validate", Repo.fixture("validate/good.c")), 65,
      "good.c: ", "; name the shared library that is built from it, whose name ends in .so")
  }

  @Test("The rows of the list and the results of files follow the order of the table")
  func order() throws {
    let good = try Fixture("good")
    let (report, _) = try report("--level", "1", "--jobs", "4", good.path, good.path)
    #expect(
      report.files.map { $0.checks.map(\.name) } == Array(repeating: Self.checks.filter { $0.level == 1 }.map(\.name), count: 2)
    )
  }

  @Test("--junit writes well-formed XML with a suite for each file")
  func junit() throws {
    let (faulty, good) = (try Fixture("load-output"), try Fixture("companion"))
    let file = good.directory.file("results <&>.xml")
    let result = try run([
      Repo.troupe, "validate", "--level", "2", "--junit", file, faulty.path, good.path,
    ])
    #expect(result.status == 69)
    #expect(result.text.contains("load-output: prints"))
    let text = try String(contentsOfFile: file, encoding: .utf8)
    let suites = try XML(text).elements.filter { $0.name == "testsuite" }
    #expect(suites.map { $0.attributes["name"] } == [faulty.path, good.path])
    #expect(suites.map { $0.attributes["failures"] } == ["1", "0"])
    let cases = try XML(text).elements.filter { $0.name == "testcase" }
    #expect(cases.count == 2 * Self.checks.count { $0.level <= 2 })
    let failure = try #require(try XML(text).elements.first { $0.name == "failure" })
    #expect(failure.attributes["message"]?.contains("prints \"loaded") == true)
  }

  @Test("The checks also run in the process of the command")
  func inProcess() throws {
    let good = try Fixture("good")
    let (report, status) = try report("--in-process", "--level", "5", "--except", "^load-exit", good.path)
    #expect(status == 0)
    #expect(report.files[0].findings.isEmpty, "\(report.files[0].findings)")
  }

  @Test("The example plugins have no faults")
  func examples() throws {
    let directory = try Examples.directory()
    let names = try FileManager.default.contentsOfDirectory(atPath: directory).filter {
      $0.hasSuffix(".so") || $0.hasSuffix(".json")
    }
    let files = names.sorted().map { directory + "/" + $0 }
    let result = try run(unset() + [Repo.troupe, "validate", "--json", "--plugins", directory] + files)
    let report = try JSONDecoder().decode(Report.self, from: result.output)
    #expect(report.files.count == files.count && files.count >= 11)
    for file in report.files {
      let faults = file.checks.filter(\.isFailure)
      #expect(faults.isEmpty, "\(file.file): \(faults)")
      // Also an adopted library is loaded, and its registrations are checked.
      for name in ["load-open", "load-locale", "registration-uuid"] {
        #expect(file.checks.first { $0.name == name }?.isGood == true)
        #expect(file.checks.first { $0.name == name }?.result != "skipped", "\(file.file)")
      }
    }
    #expect(result.status == 0)
  }

  @Test(
    "A wrong command line or file ends the command with its status",
    arguments: [
      ("", 64), ("--level 6 x.so", 64), ("--level one x.so", 64), ("--jobs 0 x.so", 64), ("--deadline 0 x.so", 64),
      ("--junit '' x.so", 64), ("--only '(' x.so", 64), ("--except '[' x.so", 64), ("--only nothing --list", 64),
      ("--reproduce x x.so", 64),
      ("/nonexistent.so", 66), ("/etc", 66), ("/etc/passwd", 65),
    ])
  func failures(operands: String, status: Int32) throws {
    let result = try shell(#""$troupe" validate "# + operands)
    #expect(result.status == status, "\(result.errors)")
    #expect(result.output.isEmpty)
    #expect(result.errors.split(separator: "\n").count == 1)
  }

  @Test("A large file that is no library ends the command before the checks")
  func largeFile() throws {
    let directory = try TemporaryDirectory()
    try succeed(["truncate", "-s", "3G", directory.file("large.so")])
    expectFailure(try troupe("validate", directory.file("large.so")), 65, "large.so")
  }

  @Test("--junit does not overwrite a checked file, under none of its names", arguments: ["good.so", "link", "twin"])
  func overwriting(name: String) throws {
    let good = try Fixture("good")
    let (directory, plugin) = (good.directory, good.path)
    try succeed(["ln", "-s", plugin, directory.file("link")])
    try succeed(["ln", plugin, directory.file("twin")])
    let before = try Data(contentsOf: URL(filePath: plugin))
    expectFailure(
      try troupe("validate", plugin, "--level", "1", "--junit", directory.file(name)), 64, "\(name): is a checked file")
    #expect(try Data(contentsOf: URL(filePath: plugin)) == before)
  }

  @Test("A file for JUnit that cannot be written ends the command before the checks")
  func unwritable() throws {
    let good = try Fixture("good")
    let result = try run(unset() + [Repo.troupe, "validate", "--junit", good.path + "/results.xml", good.path])
    #expect(result.status == 74)
    #expect(result.output.isEmpty)
  }
}

/// The elements of an XML document.
private final class XML: NSObject, XMLParserDelegate {
  private(set) var elements: [(name: String, attributes: [String: String])] = []

  /// Parses a document. Throws the error of the parser.
  init(_ text: String) throws {
    super.init()
    let parser = XMLParser(data: Data(text.utf8))
    parser.delegate = self
    guard parser.parse() else { throw parser.parserError ?? CocoaError(.coderInvalidValue) }
  }

  func parser(
    _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
    attributes: [String: String]
  ) {
    elements.append((name, attributes))
  }
}
