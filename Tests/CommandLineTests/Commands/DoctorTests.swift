import Foundation
import TestSupport
import Testing

@Suite("troupe doctor", .timeLimit(.minutes(60)))
struct DoctorTests {
  private struct Report: Decodable {
    struct Check: Decodable {
      let name, result, detail: String
    }
    struct Cause: Decodable {
      let problem, command: String
      let remedy: String?
    }

    let subject: String?
    let checks: [Check]
    let cause: Cause?

    /// The names of the failed checks.
    var failed: [String] { checks.filter { $0.result == "failed" }.map(\.name) }
  }

  private let directory: TemporaryDirectory
  private let home: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
    home = try TemporaryDirectory()
  }

  private var environment: [String: String] {
    ["HOME": home.path, "XDG_STATE_HOME": home.file("state"), "XDG_CACHE_HOME": home.file("cache"), "plugins": directory.path]
  }

  private func doctor(_ words: String...) throws -> (report: Report, status: Int32) {
    let result = try run(
      unset(except: environment.keys) + [Repo.troupe, "doctor", "--plugins", directory.path, "--json"] + words,
      environment: environment)
    return (try JSONDecoder().decode(Report.self, from: Data(result.text.utf8)), result.status)
  }

  /// Adds a plugin in C that registers nothing.
  ///
  /// - Parameter manifest: Further members of the manifest, such as `TROUPE_REQUIRES("org.example.good ^1.0.0")`.
  @discardableResult
  private func plugin(_ id: String, _ macros: String = "", manifest: String = "", version: String = "1.0.0") throws -> String {
    var definitions = ["ID": "\"org.example.\(id)\"", "VERSION": "\"\(version)\"", "CODE": macros]
    if !manifest.isEmpty { definitions["MEMBERS"] = manifest }
    return try directory.add(fixture: "healthy/empty.c", as: id, definitions)
  }

  @Test(
    "The number of registrations is in the singular or the plural",
    arguments: [("wordcount", "1 registration"), ("geometry", "7 registrations")])
  func counts(example: String, expected: String) throws {
    let plugin = directory.file(example + ".so")
    try succeed(["cp", try Examples.directory() + "/\(example).so", plugin])
    #expect(try doctor(plugin).report.checks.last?.detail == expected)
  }

  /// Expects a cause in a check, runs the command that fixes it, and expects that the plugin is used then.
  private func fix(_ subject: String, _ check: String, _ status: Int32) throws {
    let (report, ended) = try doctor(subject)
    #expect(report.failed.first == check, "\(report)")
    #expect(ended == status)
    let path = URL(filePath: Repo.troupe).deletingLastPathComponent().path
    let line = "PATH=\(path):$PATH; \(try #require(report.cause).command)"
    let fixed = try run(unset(except: environment.keys) + ["sh", "-ec", line], environment: environment)
    #expect(fixed.status == 0, "\(line): \(fixed.errors)")
    let again = try doctor(subject)
    #expect(again.report.cause == nil, "\(again.report)")
    #expect(again.status == 0)
  }

  @Test("A plugin that is used passes all checks, in the order of the host")
  func used() throws {
    try plugin("good")
    let (report, status) = try doctor("org.example.good")
    #expect(status == 0)
    #expect(report.subject == "org.example.good")
    #expect(report.cause == nil)
    #expect(
      report.checks.map(\.name) == [
        "directories", "permissions", "file", "manifest", "compatibility", "libraries", "pins", "quarantine", "requirements",
        "duplicate ids", "cache", "loading",
      ])
    #expect(Set(report.checks.dropLast().map(\.result)) == ["ok"])
  }

  @Test("A file in another directory is copied by the command that fixes it")
  func elsewhere() throws {
    let other = try TemporaryDirectory()
    try plugin("good")
    try succeed(["mv", directory.file("good.so"), other.path])
    let (report, status) = try doctor(other.file("good.so"))
    #expect(report.failed == ["directories"])
    #expect(status == 69)
    try succeed(["sh", "-ec", try #require(report.cause).command])
    #expect(try doctor("org.example.good").status == 0)
  }

  @Test("A faulty file in another directory has its own fault as the cause", arguments: ["", "extern int nowhere(void);"])
  func faultyElsewhere(macros: String) throws {
    let other = try TemporaryDirectory()
    let use = macros.isEmpty ? "" : macros + " int use(void); int use(void) { return nowhere(); }"
    let manifest = #"TROUPE_PLUGIN("org.example.a", "A", "1.0.0")"#
    let source = try other.write("a.c", "#include <troupe.h>\n\(manifest)\n\(use)\n".utf8)
    try Repo.compile([source], to: other.file("a.so"))
    let (report, status) = try doctor(other.file("a.so"))
    #expect(report.failed == [macros.isEmpty ? "loading" : "libraries"] && status != 0)
    #expect(report.cause?.problem.contains(macros.isEmpty ? "troupe_plugin_main" : "nowhere") == true, "\(report)")
    #expect(report.checks.first?.result == "warning")
  }

  @Test("An unknown id leads to the nearest one, and without one to a file whose id is unknown")
  func unknown() throws {
    try plugin("good")
    let near = try doctor("org.example.goood")
    #expect(near.status == 69)
    #expect(near.report.failed == ["directories"])
    #expect(near.report.cause?.command == "troupe doctor org.example.good --plugins \(directory.path)")
    try directory.write("broken.so", "no library".utf8)
    let far = try doctor("com.unlike.everything.else")
    #expect(far.report.cause?.command == "troupe doctor \(directory.file("broken.so")) --plugins \(directory.path)")
  }

  @Test("A missing plugin is asked for by id, version and directory, and the command then shows that it is there")
  func missingRequirement() throws {
    try plugin("needy", manifest: #"TROUPE_REQUIRES("org.example.counter ^1.2.0", "org.example.clock/1")"#)
    let option = "or add --plugins with the directory that has it"
    let none = try doctor("org.example.needy")
    #expect(none.report.failed == ["requirements"] && none.status == 69)
    #expect(
      none.report.cause?.remedy
        == "install org.example.counter ^1.2.0 and a plugin that provides org.example.clock/1, which org.example.needy requires, "
        + "into \(directory.path), \(option)")
    #expect(none.report.cause?.command == "troupe doctor org.example.needy --plugins \(directory.path)")
    try plugin("watch", manifest: #"TROUPE_PROVIDES("org.example.clock/1")"#)
    let old = try plugin("counter", version: "1.1.0")
    #expect(
      try doctor("org.example.needy").report.cause?.remedy
        == "remove \(old), and install org.example.counter ^1.2.0, which org.example.needy requires, into \(directory.path), \(option)"
    )
    try plugin("counter", version: "1.3.0")
    // A contract that a manifest declares has to be registered as well.
    try plugin("needy", manifest: #"TROUPE_REQUIRES("org.example.counter ^1.2.0")"#)
    #expect(try doctor("org.example.needy").status == 0)
    let text = try run(
      unset(except: environment.keys) + [Repo.troupe, "doctor", "org.example.none", "--plugins", directory.path],
      environment: environment)
    let fix = "install org.example.none into \(directory.path), \(option); then run troupe doctor org.example.none "
    #expect(text.text.hasSuffix("\nfix:   \(fix)--plugins \(directory.path)\n"), "\(text.text)")
  }

  @Test("A missing plugin in the directory of the file that needs it is used by searching that directory")
  func requirementBeside() throws {
    let file = try plugin("needy", manifest: #"TROUPE_REQUIRES("org.example.counter")"#)
    try plugin("counter")
    let elsewhere = try TemporaryDirectory()
    let result = try run(
      unset(except: environment.keys) + [Repo.troupe, "doctor", file, "--plugins", elsewhere.path, "--json"],
      environment: environment)
    let cause = try JSONDecoder().decode(Report.self, from: Data(result.text.utf8)).cause
    #expect(result.errors == "")
    #expect(cause?.command == "troupe doctor org.example.needy --plugins \(elsewhere.path) --plugins \(directory.path)")
    #expect(cause?.remedy == nil)
    #expect(try troupe("doctor", "org.example.needy", "--plugins", elsewhere.path, plugins: directory.path).status == 0)
  }

  @Test("A plugin that requires a rejected one leads to the first rejected one, and a cycle to a manifest")
  func rejectedRequirement() throws {
    try plugin("first", manifest: #"TROUPE_REQUIRES("org.example.second")"#)
    try plugin("second", manifest: #"TROUPE_REQUIRES("org.example.third")"#)
    try plugin("third", manifest: #"TROUPE_REQUIRES("org.example.none")"#)
    let chain = try doctor("org.example.first")
    #expect(chain.report.failed == ["requirements"])
    #expect(chain.report.cause?.command == "troupe doctor org.example.third --plugins \(directory.path)")
    try plugin("third", manifest: #"TROUPE_REQUIRES("org.example.first")"#)
    let cause = try doctor("org.example.first").report.cause
    #expect(cause?.remedy == "take one of these needs out of its plugin's manifest")
    #expect(cause?.command == "troupe doctor org.example.first --plugins \(directory.path)")
  }

  @Test("A file that others can change, and one in such a directory, are fixed by chmod")
  func permissions() throws {
    let path = try plugin("good")
    try succeed(["chmod", "o+w", path])
    let behind = try doctor(path).report.checks.dropFirst(2).filter { $0.name != "cache" }
    #expect(behind.count == 9 && behind.allSatisfy { $0.result == "skipped" }, "\(behind)")
    try fix(path, "permissions", 77)
    try succeed(["chmod", "o+w", directory.path])
    try fix(path, "permissions", 77)
  }

  @Test("A missing pin is added")
  func pins() throws {
    try plugin("good")
    let pins = try home.write("pins", "".utf8)
    let (report, status) = try doctor("org.example.good", "--pins", pins)
    #expect(report.failed == ["pins"])
    #expect(status == 77)
    let command = try #require(report.cause).command
    #expect(command == "troupe pin \(directory.file("good.so")) --pins \(pins)")
  }

  @Test("Of two plugins with one id, the other is renamed")
  func duplicates() throws {
    try plugin("good")
    try succeed(["cp", directory.file("good.so"), directory.file("twin.so")])
    let (report, _) = try doctor(directory.file("twin.so"))
    #expect(report.failed == ["duplicate ids"])
    try succeed(["sh", "-ec", try #require(report.cause).command])
    #expect(try doctor("org.example.good").status == 0)
  }

  @Test("Of two plugins with one id, the used one has a warning that names the other")
  func usedDuplicate() throws {
    try plugin("good")
    try succeed(["cp", directory.file("good.so"), directory.file("twin.so")])
    let (report, status) = try doctor("org.example.good")
    #expect(status == 0)
    let check = report.checks.first { $0.name == "duplicate ids" }
    #expect(check?.result == "warning")
    #expect(check?.detail == "\(directory.file("twin.so")) has the same id, so that the host rejects it")
  }

  @Test("A quarantined plugin is released if it no longer crashes, and its crash is shown otherwise")
  func quarantine() throws {
    let mark = try home.write("mark", "".utf8)
    try directory.add(fixture: "commands/crash-on-request.c", as: "crash", ["MARK": "\"\(mark)\""])
    let path = URL(filePath: Repo.troupe).deletingLastPathComponent().path
    for _ in 1...2 {
      let (report, status) = try doctor("org.example.crash")
      #expect(report.failed == ["quarantine"])
      #expect(status == 69)
      let line = "PATH=\(path):$PATH; \(try #require(report.cause).command)"
      let result = try run(unset(except: environment.keys) + ["sh", "-ec", line], environment: environment)
      #expect(result.status == 69)
      #expect(result.text.contains("crashed  load-open: crashed with SIGABRT"), "\(result.text)")
    }
    try succeed(["rm", mark])
    try fix("org.example.crash", "quarantine", 69)
  }

  @Test("A symbol that no library defines is a fault of the libraries, and the link is repeated with a library")
  func undefinedSymbol() throws {
    try plugin("undefined", "int absent(void); int (*const function)(void) = absent;")
    let (report, status) = try doctor("org.example.undefined")
    #expect(report.failed == ["libraries"])
    #expect(status == 69)
    #expect(report.cause?.problem.contains("undefined symbol: absent") == true, "\(report)")
    #expect(
      report.cause?.command == "cc -O2 $(troupe flags --c) -o \(directory.file("undefined.so")) SOURCES.c -lLIBRARY")
    #expect(report.cause?.remedy == "find the library that defines absent")
  }

  @Test("A link to a missing file is removed, in a searched directory and elsewhere")
  func danglingLink() throws {
    for location in [directory.path, home.path] {
      try succeed(["ln", "-s", "nowhere", location + "/link.so"])
      let (report, status) = try doctor(location + "/link.so")
      #expect(report.failed == ["file"])
      #expect(status == 66)
      #expect(report.cause?.command == "rm \(location)/link.so")
    }
  }

  @Test("A plugin in the user's directory that TROUPE_PLUGIN_PATH hides is found, and the directory is added")
  func hidden() throws {
    let data = home.file("data/troupe/plugins")
    try FileManager.default.createDirectory(
      atPath: data, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
    try plugin("good")
    try plugin("goodness")
    try succeed(["mv", directory.file("good.so"), data])
    var variables = environment
    (variables["XDG_DATA_HOME"], variables["TROUPE_PLUGIN_PATH"]) = (home.file("data"), directory.path)
    let words = unset(except: variables.keys)
    let result = try run(words + [Repo.troupe, "doctor", "org.example.good", "--json"], environment: variables)
    let report = try JSONDecoder().decode(Report.self, from: Data(result.text.utf8))
    #expect(report.cause?.problem.contains("it is in \(data), which is not searched") == true, "\(report)")
    let command = try #require(report.cause?.command)
    #expect(command == "export TROUPE_PLUGIN_PATH=\"$TROUPE_PLUGIN_PATH\":\(data)")
    let line = "\(command); exec \"\(Repo.troupe)\" doctor org.example.good"
    #expect(try run(words + ["sh", "-ec", line], environment: variables).status == 0)
    let named = try run(
      words + [Repo.troupe, "doctor", "org.example.good", "--json", "--plugins", directory.path], environment: variables)
    #expect(
      try JSONDecoder().decode(Report.self, from: Data(named.text.utf8)).cause?.command
        == "troupe doctor org.example.good --plugins \(directory.path) --plugins \(data)")
  }

  @Test("A source or a foreign library is never written by the command that fixes it")
  func foreignFiles() throws {
    let source = try home.write("plugin.c", "int main(void) { return 0; }\n".utf8)
    #expect(
      try doctor(source).report.cause?.command
        == "cc -O2 $(troupe flags --c) -o \(home.file("plugin.so")) \(source) && troupe doctor \(home.file("plugin.so")) "
        + "--plugins \(directory.path)")
    let note = try home.write("notes.txt", "no plugin".utf8)
    #expect(try doctor(note).report.cause?.command == "troupe list --plugins \(directory.path)")
    let text = try directory.write("text.so", "no library".utf8)
    #expect(try doctor(text).report.cause?.command == "mv \(text) \(text).unused")
    // A name without a slash is an id.
    let words = unset(except: environment.keys) + [Repo.troupe, "doctor", "plugin.c", "--plugins", directory.path, "--json"]
    let named = try run(words, environment: environment, directory: home.path)
    #expect(
      try JSONDecoder().decode(Report.self, from: Data(named.text.utf8)).cause?.command
        == "troupe doctor ./plugin.c --plugins \(directory.path)")
    let library = directory.file("foreign.so")
    try succeed(["cc", "-shared", "-fPIC", "-o", library, source])
    #expect(
      try doctor(library).report.cause?.command
        == "troupe adopt HEADER.h --library \(library) -o \(directory.file("foreign.troupe.json"))")
    let header = try directory.write("foreign.h", "int add(int a, int b);\n".utf8)
    #expect(try doctor(library).report.cause?.command.hasPrefix("troupe adopt \(header) --library ") == true)
    // The file beside it makes it an adopted library.
    let file = try directory.write("foreign.troupe.json", "{}".utf8)
    expectFailure(try troupe("doctor", library, plugins: directory.path), 66, "is an adopted library", "; name \(file)")
    let elsewhere = try TemporaryDirectory()
    try succeed(["cp", library, file, elsewhere.path])
    #expect(
      try doctor(elsewhere.file("foreign.so")).report.cause?.command
        == "troupe doctor \(elsewhere.file("foreign.troupe.json")) --plugins \(directory.path)")
    // A damaged library may have been a plugin.
    let damaged = try directory.write("damaged.so", Data(contentsOf: URL(filePath: library)).prefix(200))
    #expect(try doctor(damaged).report.cause?.command == "cc -O2 $(troupe flags --c) -o \(damaged) SOURCES.c")
  }

  @Test("Missing libraries are named, indirect dependencies included")
  func libraries() throws {
    let sources = try TemporaryDirectory()
    try sources.write("empty.c", "int inner(void) { return 1; }\n".utf8)
    for name in ["libinner.so.3", "libouter.so.2"] {
      try succeed(
        ["cc", "-shared", "-fPIC", "-Wl,-soname,\(name)", "-o", directory.file(name), sources.file("empty.c")]
          + (name == "libouter.so.2" ? ["-Wl,--no-as-needed", directory.file("libinner.so.3")] : []))
    }
    try succeed([
      "cc", "-shared", "-fPIC", "-I", Repo.root + "/include", "-o", directory.file("needy.so"),
      #"-DID="org.example.needy""#, Repo.fixture("healthy/empty.c"),
      "-Wl,--no-as-needed,-rpath,\(directory.path),--allow-shlib-undefined", directory.file("libouter.so.2"),
    ])
    try succeed(["rm", directory.file("libinner.so.3")])
    let (report, status) = try doctor("org.example.needy")
    #expect(report.failed == ["libraries"])
    #expect(status == 69)
    #expect(report.cause?.problem.contains("libinner.so.3") == true)
    // The loader would search for a bare name.
    let bare = try run(
      unset(except: environment.keys) + [Repo.troupe, "doctor", "needy.so", "--plugins", "."], environment: environment,
      directory: directory.path)
    #expect(bare.text.contains("the loader does not find libinner.so.3"), "\(bare.text)")
    // No package is called so, or no lists of apt are there.
    #expect(report.cause?.command == "ldd \(directory.file("needy.so"))")
    #expect(report.cause?.remedy == "install libinner.so.3, or add its directory to LD_LIBRARY_PATH")
    // Stands for the real one with a list that has the package.
    let apt = try sources.write("apt-cache", "#!/bin/sh\n[ \"$*\" = 'show libinner3' ] && echo 'Package: libinner3'\n".utf8)
    try setMode(0o755, of: apt)
    var variables = environment
    variables["PATH"] = "\(sources.path):/usr/bin:/bin"
    let known = try run(
      unset(except: variables.keys) + [Repo.troupe, "doctor", "--plugins", directory.path, "org.example.needy"],
      environment: variables)
    let prefix = geteuid() == 0 ? "" : "sudo "
    #expect(known.text.hasSuffix("\nfix:   \(prefix)apt-get install libinner3\n"), "\(known.text)")
  }

  @Test("A file that adopts a library under another name gets the name by the command that fixes it", arguments: [true, false])
  func adoptionName(isSearched: Bool) throws {
    let location = isSearched ? directory : home
    let file = try location.write(
      "go.json", #"{"id": "org.example.go", "name": "Go", "version": "1.0.0", "library": "libc.so.6", "functions": []}"#.utf8)
    let (report, status) = try doctor(file)
    #expect(report.failed == ["directories"] && status == 69, "\(report)")
    #expect(report.cause?.problem == "\(file) is read as a library, since its name does not end in .troupe.json")
    #expect(report.cause?.command == "mv \(file) \(location.file("go.troupe.json"))")
    #expect(report.checks.dropFirst().allSatisfy { $0.result == "skipped" })
  }

  @Test("A crash in a worker is a fault of loading, and no command clears the quarantine")
  func crashInWorker() throws {
    try Repo.compile([Repo.fixture("faulty/abort.c")], to: directory.file("abort.so"))
    for isolation in ["all", "org.example.abort"] {
      let (report, status) = try doctor("org.example.abort", "--isolate", isolation)
      #expect(report.failed == ["loading"] && status == 69, "\(report)")
      let command = try #require(report.cause).command
      #expect(command.hasPrefix("troupe validate ") && !command.contains("quarantine"), "\(command)")
    }
  }

  @Test(
    "Each fault is found in its step, and the steps behind it are not reached",
    arguments: [
      ("needs-missing-plugin", "requirements"), ("no-entry", "loading"), ("newer-abi-minor", "compatibility"),
      ("empty-manifest", "manifest"), ("entry-fails", "loading"), ("exit", "quarantine"),
    ])
  func steps(fixture: String, step: String) throws {
    try Repo.compile([Repo.fixture("faulty/\(fixture).c")], to: directory.file("faulty.so"))
    let (report, status) = try doctor(directory.file("faulty.so"))
    #expect(report.failed == [step], "\(report)")
    #expect(report.cause?.command.isEmpty == false)
    #expect(status != 0)
    let behind = report.checks.drop { $0.name != step }.dropFirst().filter { $0.name != "cache" }
    #expect(behind.allSatisfy { $0.result == "skipped" })
  }

  @Test("A file that is no library is at fault in the step of the file")
  func noLibrary() throws {
    let (report, status) = try doctor(try directory.write("text.so", "no library".utf8))
    #expect(report.failed == ["file"])
    #expect(status == 65)
    // A copy in a searched directory would have the same fault.
    #expect(try doctor("/dev/zero").report.failed == ["file"])
  }

  @Test("Without an operand the installation is checked, and rejected plugins are named")
  func installation() throws {
    try plugin("good")
    let good = try doctor()
    #expect(good.report.cause == nil, "\(good.report)")
    #expect(good.report.subject == nil)
    #expect(good.status == 0)
    try directory.write("broken.so", "no library".utf8)
    let bad = try doctor()
    #expect(bad.report.failed == ["plugins"])
    #expect(bad.report.cause?.command == "troupe doctor \(directory.file("broken.so")) --plugins \(directory.path)")
    #expect(bad.status == 69)
  }

  @Test("Without an operand a plugin that was rejected when it was last tried is named")
  func rejectedBefore() throws {
    let path = try plugin("undefined", "int absent(void); int (*const function)(void) = absent;")
    #expect(try doctor().status == 0)
    #expect(try doctor("org.example.undefined").status == 69)
    let (report, status) = try doctor()
    #expect(report.failed == ["plugins"])
    #expect(report.cause?.problem.hasPrefix("\(path): ") == true, "\(report)")
    #expect(report.cause?.problem.contains("undefined symbol: absent") == true, "\(report)")
    #expect(report.cause?.problem.hasSuffix(" (when it was last tried)") == true, "\(report)")
    #expect(report.cause?.command == "troupe doctor \(path) --plugins \(directory.path)")
    #expect(status == 69)
  }

  @Test("The text ends with the cause and the command")
  func text() throws {
    try directory.write("broken.so", "no library".utf8)
    let result = try run(
      unset() + [Repo.troupe, "doctor", "--plugins", directory.path, directory.file("broken.so")], environment: environment)
    let lines = result.text.split(separator: "\n")
    #expect(lines.suffix(2).map { $0.prefix(6) } == ["cause:", "fix:  "])
    #expect(result.status == 65)
    #expect(result.errors == "")
  }

  @Test(
    "A malformed setting or policy, and one for an unknown plugin, is a wrong command line",
    arguments: [
      (["--set", "malformed"], "expected ID:KEY=VALUE"),
      (["--set", "org.example.god:key=1"], "did you mean \"org.example.good\"?"),
      (["--isolate", "all=forbidden"], "--isolate: "),
      (["--isolate", "org.example.god"], "did you mean \"org.example.good\"?"),
    ])
  func configuration(words: [String], message: String) throws {
    try plugin("good")
    for operands in [[], ["org.example.good"], [directory.file("good.so")], ["org.example.missing"]] {
      let result = try run(unset() + [Repo.troupe, "doctor", "--plugins", directory.path] + operands + words)
      expectFailure(result, 64, message)
    }
  }

  @Test("A setting that a plugin does not declare is a wrong command line, and the fault of an examined plugin")
  func undeclaredSetting() throws {
    try Repo.compile([Repo.fixture("healthy/settings.c")], to: directory.file("settings.so"))
    let setting = "org.example.settings:key=1"
    expectFailure(try troupe("doctor", "--set", setting, plugins: directory.path), 64, "has no setting \"key\"")
    let (report, status) = try doctor("org.example.settings", "--set", setting)
    #expect(report.failed == ["manifest"] && status == 64, "\(report)")
  }

  @Test("A missing plugin is examined also with options for it")
  func missingConfigured() throws {
    try plugin("good")
    #expect(try doctor("org.example.missing", "--isolate", "org.example.missing").report.failed == ["directories"])
  }

  @Test("A missing file and a directory that does not exist are errors")
  func missing() throws {
    expectFailure(try troupe("doctor", "/missing/a.so", plugins: directory.path), 66, "/missing/a.so")
    expectFailure(try troupe("doctor", "org.example.a", plugins: "/missing"), 66, "/missing")
    expectFailure(try troupe("doctor", "a", "b", plugins: directory.path), 64, "\"b\"")
  }

  @Test("A link that leads back to itself is examined only by its own name")
  func circularLinks() throws {
    try succeed(["ln", "-s", "y.so", directory.file("x.so")])
    try succeed(["ln", "-s", "x.so", directory.file("y.so")])
    expectFailure(try troupe("doctor", directory.file("missing.so"), plugins: directory.path), 66, "missing.so")
    #expect(try doctor(directory.file("y.so")).report.failed == ["file"])
  }

  @Test("A Swift plugin that works needs no path to libTroupe.so, and a broken one shows its own fault")
  func swift() throws {
    let source = try home.write(
      "Plugin.swift",
      """
      import Troupe

      @_silgen_name("no_such_function") func noSuchFunction()

      @Plugin(id: "org.example.swift", version: "1.0.0")
      struct Example: Assembly {
        func register(in registrar: any Registrar) {
          registrar.register(Int.self, id: "0b0e7c70-6f0a-4e53-9a51-5e2e6a3d0d02", name: "one", tags: "one") { _ in 1 }
          #if BROKEN
            noSuchFunction()
          #endif
        }
      }
      """.utf8)
    try Repo.compile([source], to: directory.file("swift.so"))
    let good = try doctor("org.example.swift")
    #expect(good.report.cause == nil, "\(good.report)")
    #expect(good.status == 0)
    try Repo.compile([source], to: directory.file("swift.so"), options: ["-DBROKEN"])
    let broken = try doctor("org.example.swift")
    #expect(broken.report.failed == ["libraries"])
    #expect(broken.report.cause?.problem.contains("undefined symbol: no_such_function") == true, "\(broken.report)")
    #expect(broken.status == 69)
  }

  @Test("Libraries are found by the run path of the plugin and by LD_LIBRARY_PATH", arguments: [true, false])
  func foundLibraries(isRunPath: Bool) throws {
    let libraries = try TemporaryDirectory()
    let source = try libraries.write("inner.c", "int inner(void) { return 1; }\n".utf8)
    try succeed(["cc", "-shared", "-fPIC", "-Wl,-soname,libinner.so.3", "-o", libraries.file("libinner.so.3"), source])
    try Repo.compile(
      [Repo.fixture("healthy/empty.c")], to: directory.file("needy.so"),
      options: [
        #"-DID="org.example.needy""#, "-DCODE=int inner(void);", "-DENTRY=return inner() == 1 ? TROUPE_OK : TROUPE_FAILED;",
      ] + [libraries.file("libinner.so.3")] + (isRunPath ? ["-Wl,-rpath,\(libraries.path)"] : []))
    func doctor(_ variables: [String: String]) throws -> Run {
      try run(
        unset(except: environment.keys) + [Repo.troupe, "doctor", "--plugins", directory.path, "org.example.needy"],
        environment: environment.merging(variables) { _, new in new })
    }
    let found = try doctor(isRunPath ? [:] : ["LD_LIBRARY_PATH": libraries.path])
    #expect(found.status == 0, "\(found.text)")
    if !isRunPath {
      let missing = try doctor([:])
      #expect(missing.status == 69)
      #expect(missing.text.contains("the loader does not find libinner.so.3"), "\(missing.text)")
    }
  }

  @Test(
    "A file whose name no host reads is renamed or copied by the command that fixes it",
    arguments: [
      ("libgood.so.1.2.3", "libgood.so"), ("good.dylib", "good.so"), ("good.so.bak", "good.so"), (".good.so", "good.so"),
      ("good", "good.so"), ("good.so~", "good.so"),
    ])
  func names(name: String, read: String) throws {
    try plugin("good")
    for isSearched in [true, false] {
      let location = isSearched ? directory : try TemporaryDirectory()
      let file = location.file(name)
      try succeed(["mv", directory.file(isSearched ? "good.so" : read), file])
      let (report, status) = try doctor(file)
      #expect(report.failed == ["directories"], "\(report)")
      #expect(report.cause?.problem.contains("names end in .so or .troupe.json") == true, "\(report)")
      #expect(status == 69)
      try succeed(["sh", "-ec", try #require(report.cause).command])
      #expect(FileManager.default.fileExists(atPath: file) == !isSearched)
      #expect(try doctor(directory.file(read)).status == 0)
      #expect(try doctor("org.example.good").status == 0)
    }
  }

  @Test("A backup that takes the place of the plugin again keeps it as a backup")
  func backup() throws {
    try plugin("good")
    try succeed(["cp", directory.file("good.so"), directory.file("good.so.bak")])
    let (report, status) = try doctor(directory.file("good.so.bak"))
    #expect(report.failed == ["directories"] && status == 69)
    try succeed(["sh", "-ec", try #require(report.cause).command])
    #expect(Set(try FileManager.default.contentsOfDirectory(atPath: directory.path)) == ["good.so", "good.so~"])
  }

  @Test(
    "A file with debug information alone does not keep the plugin beside it from being used",
    arguments: [
      "objcopy --only-keep-debug $f.so $f.debug.so", "llvm-objcopy --only-keep-debug $f.so $f.debug.so",
      "eu-strip -f $f.debug.so $f.so",
    ])
  func debugInformation(command: String) throws {
    let tool = String(command.prefix { $0 != " " })
    guard try run(["sh", "-c", "command -v \(tool)"]).status == 0 else { return }
    try Repo.compile(
      [Repo.fixture("healthy/empty.c")], to: directory.file("good.so"), options: ["-g", #"-DID="org.example.good""#])
    try succeed(["sh", "-ec", command], environment: ["f": directory.file("good")])
    let (report, status) = try doctor("org.example.good")
    #expect(status == 0, "\(report)")
    #expect(report.checks.first { $0.name == "file" }?.detail == directory.file("good.so"))
    let (debug, failed) = try doctor(directory.file("good.debug.so"))
    #expect(debug.failed == ["file"])
    #expect(debug.cause?.problem.contains("only the debug information") == true, "\(debug)")
    #expect(debug.cause?.command == "mv \(directory.file("good.debug.so")) \(directory.file("good.debug"))", "\(debug)")
    #expect(failed == 65)
  }

  /// Runs a command as a user that owns nothing.
  private func asNobody(_ words: String..., variables: [String: String]) throws -> Run {
    try run(
      unset(except: variables.keys) + ["setpriv", "--reuid", "54321", "--regid", "54321", "--clear-groups"] + words,
      environment: variables)
  }

  @Test(
    "A mount without permission to execute is named, also for known content, and the command makes it executable",
    .enabled(if: geteuid() == 0, "only the superuser may mount"), arguments: [false, true])
  func noexec(isKnown: Bool) throws {
    // A plugin without registrations would be opened again.
    let path = directory.file("noexec.so")
    try succeed(["cp", try Examples.directory() + "/geometry.so", path])
    let mount = directory.file("mount")
    if isKnown { #expect(try doctor("org.example.geometry").status == 0) }
    let script = """
      mkdir '\(mount)' && mount -t tmpfs -o noexec,mode=0755 tmpfs '\(mount)' && cp '\(path)' '\(mount)' || exit 99
      '\(Repo.troupe)' doctor org.example.geometry --plugins '\(mount)' --json > '\(directory.file("report"))'
      '\(Repo.troupe)' doctor --plugins '\(mount)' --json > '\(directory.file("installation"))'
      mount -o remount,exec '\(mount)' && '\(Repo.troupe)' doctor org.example.geometry --plugins '\(mount)'
      """
    let result = try run(["unshare", "-m", "sh", "-c", script], environment: environment)
    // Containers without CAP_SYS_ADMIN may not mount.
    if result.status == 99 || result.errors.contains("unshare:") { return }
    #expect(result.status == 0, "\(result)")
    let report = try JSONDecoder().decode(Report.self, from: Data(contentsOf: URL(filePath: directory.file("report"))))
    #expect(report.failed == ["loading"])
    #expect(
      report.cause?.problem
        == "cannot be loaded: \(mount)/noexec.so is on a file system that is mounted with noexec, \(mount)")
    #expect(report.cause?.command == "mount -o remount,exec \(mount)")
    let installation = try JSONDecoder().decode(
      Report.self, from: Data(contentsOf: URL(filePath: directory.file("installation"))))
    #expect(installation.failed == ["plugins"])
    #expect(installation.cause?.command == "troupe doctor \(mount)/noexec.so --plugins \(mount)")
  }

  @Test("The commands for missing permissions work for the user who reads them", .enabled(if: geteuid() == 0))
  func remedies() throws {
    let path = try plugin("good")
    let own = try TemporaryDirectory()
    try succeed(["chown", "54321:54321", own.path])
    let variables = ["HOME": home.path, "TMPDIR": own.path]
    // The home directory of another user, who lets others read it, or not.
    for mode in [0o755, 0o700] {
      try setMode(mode, of: home.path)
      let installation = try asNobody(Repo.troupe, "doctor", "--plugins", directory.path, variables: variables)
      for (variable, cost) in [
        ("CACHE", "each start of a program probes all plugins again"), ("STATE", "no quarantine is kept, and "),
      ] {
        let remedy = "; to change that: export XDG_\(variable)_HOME=\"$(mktemp -d)\"\n"
        #expect(installation.text.contains("\(home.path) cannot be written, so that \(cost)"), "\(installation.text)")
        #expect(installation.text.contains(remedy), "\(installation.text)")
      }
      #expect(installation.status == (mode == 0o755 ? 0 : 74), "\(installation.text)")
      let fix = "\nfix:   export XDG_STATE_HOME=\"$(mktemp -d)\"\n"
      #expect(installation.text.hasSuffix(fix) == (mode == 0o700), "\(installation.text)")
    }
    // A directory that others can write to, whose owner is root.
    try setMode(0o777, of: directory.path)
    let open = try asNobody(Repo.troupe, "doctor", "--plugins", directory.path, path, variables: variables)
    #expect(open.status == 77)
    let command = try #require(open.text.split(separator: "\n").last?.dropFirst("fix:   ".count))
    #expect(command.contains("install -D -m 644 \(path)") && !command.contains("chmod"), "\(open.text)")
    let fixed = try asNobody("sh", "-ec", "\(command); \(Repo.troupe) doctor org.example.good", variables: variables)
    #expect(fixed.status == 0, "\(fixed.text)\(fixed.errors)")
    let listed = try asNobody(Repo.troupe, "list", "--plugins", directory.path, variables: variables)
    #expect(listed.text.contains("writable by all users; copy it to a directory of your own"), "\(listed.text)")
    // A file that only root may read.
    try setMode(0o755, of: directory.path)
    try setMode(0o600, of: path)
    let closed = try asNobody(Repo.troupe, "doctor", "--plugins", directory.path, path, variables: variables)
    #expect(closed.status == 77 || closed.status == 66)
    #expect(!closed.text.contains("chmod"), "\(closed.text)")
    let inspected = try asNobody(Repo.troupe, "inspect", path, variables: variables)
    #expect(inspected.errors.contains("may not be read; \(path) belongs to root: ask for a copy"), "\(inspected.errors)")
  }
}
