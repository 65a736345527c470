import Foundation
import TestSupport
import Testing

@Suite("troupe list")
struct ListTests {
  @Test("The examples are listed in the order of their files, with their manifests and adopted libraries")
  func examples() throws {
    let directory = try Examples.directory()
    let plugins = try json([ListedPlugin].self, troupe("list", "--json", plugins: directory))
    let expected = [
      ("base64", "Base64", "c"), ("counter", "Counter", "c"), ("dataurl", "Data URL", "swift"),
      ("footnotes", "Footnotes", "swift"), ("geometry", "Geometry", "c"),
      ("grep", "Grep", "swift"), ("libc", "C library", "c"), ("math", "Math", "c"), ("order", "Order", "c"),
      ("wordcount", "Word count", "c++"),
      ("zlib", "zlib", "c"),
    ]
    let adopted = ["libc": "libc.so.6", "math": "libm.so.6", "zlib": "libz.so.1"]
    for plugin in plugins {
      let library = adopted.first { plugin.path.hasSuffix("/\($0.key).troupe.json") }?.value
      #expect((plugin.library == nil) == (library == nil), "\(plugin)")
      if let library { #expect(plugin.library?.contains("/" + library) == true, "\(plugin)") }
    }
    #expect(plugins.allSatisfy { $0.description?.hasSuffix(".") == true })
    #expect(
      plugins
        == expected.map { file, name, language in
          ListedPlugin(
            id: "org.example.\(file)", name: name, version: "1.0.0",
            description: plugins.first { $0.id == "org.example.\(file)" }?.description, language: language,
            abi: language == "swift" ? "1.0" : "1.2",
            path: "\(directory)/\(file)" + (adopted[file] == nil ? ".so" : ".troupe.json"),
            library: plugins.first { $0.path == "\(directory)/\(file).troupe.json" }?.library, state: "admitted", reason: nil)
        })
  }

  @Test("JSON has every member, with null for missing values")
  func members() throws {
    let directory = try Examples.copies("base64")
    try directory.write("empty.so", [])
    let text = try output(of: troupe("list", "--json", plugins: directory.path))
    let plugins = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]])
    #expect(plugins.count == 2)
    for plugin in plugins {
      #expect(
        Set(plugin.keys) == [
          "id", "name", "version", "description", "language", "abi", "interface", "compiler", "path", "library", "requires",
          "provides", "state", "code",
          "reason", "backtrace", "refused", "warnings",
        ])
      #expect(plugin["requires"] as? [String] == [] && plugin["provides"] as? [String] == [])
    }
    #expect(plugins.first?["reason"] is NSNull)
    #expect(plugins.first?["code"] is NSNull)
    #expect(plugins.last?["code"] as? String == "notALibrary")
    for member in ["id", "name", "version", "description", "language", "abi", "interface", "compiler"] {
      #expect(plugins.last?[member] is NSNull)
    }
  }

  @Test("The table has one aligned row per plugin")
  func table() throws {
    let directory = try Examples.copies("counter", "grep")
    #expect(
      try output(of: troupe("list", plugins: directory.path)) == """
        ID                   VERSION  LANGUAGE  STATE     NAME     PATH
        org.example.counter  1.0.0    c         admitted  Counter  \(directory.path)/counter.so
        org.example.grep     1.0.0    swift     admitted  Grep     \(directory.path)/grep.so

        """)
  }

  @Test("The result of an earlier load, a rejection or an empty registration, is shown until the file changes")
  func earlierRejection() throws {
    let (directory, cache) = (try TemporaryDirectory(), try TemporaryDirectory())
    let environment = ["XDG_CACHE_HOME": cache.path]
    func list() throws -> [ListedPlugin] {
      try json([ListedPlugin].self, troupe("list", "--json", plugins: directory.path, environment: environment))
    }
    let path = directory.file("entry-fails.so")
    try Repo.compile([Repo.fixture("faulty/entry-fails.c")], to: path)
    #expect(try list().map(\.state) == ["admitted"])
    _ = try troupe("inspect", path, environment: environment)
    #expect(try list().map(\.state) == ["rejected"])
    #expect(try list().first?.reason?.contains("there is no license") == true)
    let table = try output(of: troupe("list", plugins: directory.path, environment: environment))
    #expect(table.contains("rejected") && table.contains("there is no license"))
    try Repo.compile([Repo.fixture("healthy/empty.c")], to: path)
    #expect(try list().map(\.state) == ["admitted"])
    let inspection = try output(of: troupe("inspect", path, environment: environment))
    #expect(inspection.contains("\nregisters nothing\n"))
    #expect(
      try output(of: troupe("list", plugins: directory.path, environment: environment)).hasSuffix("\n    registers nothing\n"))
  }

  @Test("TROUPE_PLUGIN_PATH names directories, separated by colons")
  func pluginPath() throws {
    let (first, second) = (try Examples.copies("wordcount"), try Examples.copies("base64"))
    let environment = ["TROUPE_PLUGIN_PATH": "\(first.path):\(second.path)"]
    let plugins = try json([ListedPlugin].self, troupe("list", "--json", environment: environment))
    #expect(plugins.map(\.path) == [first.file("wordcount.so"), second.file("base64.so")])
  }

  @Test("--plugins, given twice, replaces TROUPE_PLUGIN_PATH and keeps its order")
  func twoDirectories() throws {
    let (first, second) = (try Examples.copies("wordcount"), try Examples.copies("base64"))
    let result = try troupe(
      "list", "--json", plugins: first.path, second.path, environment: ["TROUPE_PLUGIN_PATH": try Examples.directory()])
    #expect(try json([ListedPlugin].self, result).map(\.path) == [first.file("wordcount.so"), second.file("base64.so")])
  }

  @Test("A directory that is named twice is listed once")
  func sameDirectoryTwice() throws {
    let directory = try Examples.copies("base64")
    let plugins = try json([ListedPlugin].self, troupe("list", "--json", plugins: directory.path, directory.path + "/"))
    #expect(plugins.map(\.state) == ["admitted"])
  }

  @Test("Without named directories the user's plugin directory is searched, if it exists")
  func conventionalDirectory() throws {
    let home = try TemporaryDirectory()
    for (variable, directory) in [("HOME", "/.local/share/troupe/plugins"), ("XDG_DATA_HOME", "/troupe/plugins")] {
      let plugins = home.file(variable) + directory
      try succeed(["mkdir", "-p", "-m", "755", plugins])
      try succeed(["cp", try Examples.directory() + "/base64.so", plugins])
      let result = try troupe("list", "--json", environment: [variable: home.file(variable)])
      #expect(try json([ListedPlugin].self, result).map(\.path) == [plugins + "/base64.so"])
    }
  }

  @Test("A missing directory in --plugins ends the command with 66")
  func missingDirectory() throws {
    let missing = try TemporaryDirectory().file("missing")
    expectFailure(try troupe("list", plugins: missing), 66, missing, "--plugins")
  }

  @Test("A missing directory in TROUPE_PLUGIN_PATH is skipped, as in PATH, and logged")
  func missingInPath() throws {
    let directory = try Examples.copies("base64")
    let missing = directory.file("missing")
    let environment = ["TROUPE_PLUGIN_PATH": "\(missing):\(directory.path)"]
    #expect(
      try json([ListedPlugin].self, troupe("list", "--json", environment: environment)).map(\.id) == ["org.example.base64"])
    let log = try troupe("inspect", "org.example.base64", "--log", "debug", environment: environment)
    #expect(log.status == 0 && log.errors.contains("TROUPE_PLUGIN_PATH: \(missing) does not exist"), "\(log.errors)")
    expectFailure(try troupe("list", environment: ["TROUPE_PLUGIN_PATH": missing]), 0, missing)
  }

  @Test("A file in place of a directory ends the command with 66")
  func fileAsDirectory() throws {
    expectFailure(try troupe("list", plugins: Repo.troupe), 66, Repo.troupe, "not a directory")
  }

  @Test("Without plugins JSON is an empty array, and the text is a hint for the user")
  func nothingFound() throws {
    let directory = try TemporaryDirectory()
    try directory.write("notes.txt", "not a plugin".utf8)
    #expect(try json([ListedPlugin].self, troupe("list", "--json", plugins: directory.path)) == [])
    expectFailure(
      try troupe("list", plugins: directory.path), 0, "no plugins found in \(directory.path); name", "--plugins",
      "TROUPE_PLUGIN_PATH"
    )
    let missing = ["TROUPE_PLUGIN_PATH": "/no/such"]
    expectFailure(try troupe("list", environment: missing), 0, "no directory exists at /no/such; ")
    expectFailure(
      try troupe("list", environment: ["XDG_DATA_HOME": directory.path]), 0, "exists at \(directory.path)/troupe/plugins, ")
  }

  @Test("A JSON file without the suffix of adoption files is named if no plugin is found")
  func misnamedAdoption() throws {
    let directory = try TemporaryDirectory()
    let begin = "no plugins found in \(directory.path); "
    try directory.write("a.json", "{}".utf8)
    expectFailure(
      try troupe("list", plugins: directory.path), 0,
      begin + "a.json is not read, since its name does not end in .troupe.json; ")
    for name in ["b.json", "c.json", "d.json", "package.txt"] { try directory.write(name, "{}".utf8) }
    expectFailure(
      try troupe("list", plugins: directory.path), 0,
      begin + "a.json, b.json, c.json and 1 more are not read, since their names do not end in .troupe.json; rename them")
  }

  @Test("No plugin code runs")
  func runsNothing() throws {
    let directory = try TemporaryDirectory()
    let trace = directory.file("trace")
    try directory.add(fixture: "commands/trace.c", as: "trace", ["TRACE": "\"\(trace)\""])
    #expect(try json([ListedPlugin].self, troupe("list", "--json", plugins: directory.path)).map(\.state) == ["admitted"])
    #expect(!FileManager.default.fileExists(atPath: trace))
    // The same plugin creates the file when it is loaded, so its absence above proves that no code ran.
    _ = try output(of: troupe("inspect", "org.example.trace", plugins: directory.path))
    #expect(FileManager.default.fileExists(atPath: trace))
  }

  @Test("A rejected plugin has a row with the reason, and the command continues")
  func rejected() throws {
    let directory = try Examples.copies("base64", "grep")
    try directory.write("broken.so", "no library at all".utf8)
    let plugins = try json([ListedPlugin].self, troupe("list", "--json", plugins: directory.path))
    #expect(plugins.map(\.state) == ["admitted", "rejected", "admitted"])
    let reason = try #require(plugins[1].reason)
    #expect(plugins[1].path == directory.file("broken.so"))
    let lines = try output(of: troupe("list", plugins: directory.path)).split(separator: "\n")
    #expect(lines.count == 5)
    #expect(lines[2].hasPrefix("-  ") && lines[2].contains("rejected"))
    #expect(lines[3] == "    " + reason)
  }

  @Test("Of two plugins with one id the first is admitted, and the second names the first")
  func duplicateID() throws {
    let (first, second) = (try Examples.copies("base64"), try Examples.copies("base64"))
    let plugins = try json([ListedPlugin].self, troupe("list", "--json", plugins: first.path, second.path))
    #expect(plugins.map(\.state) == ["admitted", "rejected"])
    #expect(plugins[1].reason?.contains(first.file("base64.so")) == true)
    #expect(plugins[1].reason?.contains("org.example.base64") == true)
  }

  @Test("An operand is a surplus argument")
  func operand() throws {
    expectFailure(try troupe("list", "extra"), 64, "\"extra\"", "troupe list --help")
  }
}
