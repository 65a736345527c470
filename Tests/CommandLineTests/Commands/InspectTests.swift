import Foundation
import TestSupport
import Testing

@Suite("troupe inspect")
struct InspectTests {
  @Test("A plugin in C by its id: the manifest and every factory")
  func byID() throws {
    let directory = try Examples.directory()
    let inspection = try json(Inspection.self, troupe("inspect", "org.example.counter", "--json", plugins: directory))
    #expect(
      inspection.plugin
        == ListedPlugin(
          id: "org.example.counter", name: "Counter", version: "1.0.0",
          description: "A counter under a contract of its own, and a transform that numbers lines with it.", language: "c",
          abi: "1.2",
          path: "\(directory)/counter.so", state: "admitted", reason: nil))
    #expect(
      inspection.factories == [
        InspectedFactory(
          uuid: "4caecc22-c65f-44d6-be6d-7ee9ae1f65b7", name: "counter", contract: "org.example.counter/1", tags: ["counter"],
          signature: "void *(int64_t start, int64_t step)", lifetime: "transient",
          description: "Makes a counter, whose functions counter.h declares.",
          parameters: ["start": "The first value.", "step": "The difference of two values."], metadata: [:]),
        InspectedFactory(
          uuid: "d24d70ee-da90-4184-9c35-b03f1179666e", name: "number-lines", contract: "troupe.transform/1",
          tags: ["number-lines", "text"], signature: "void *(resolver)", lifetime: "transient",
          description: "Writes the number of each line in front of it.",
          examples: [["arguments": #""one\ntwo\n""#, "result": #""     1\tone\n     2\ttwo\n""#]], metadata: [:]),
      ])
  }

  @Test("A plugin by its file, with a path or as a bare file name")
  func byFile() throws {
    let directory = try Examples.directory()
    let plugin = try json(Inspection.self, troupe("inspect", "\(directory)/wordcount.so", "--json")).plugin
    #expect(plugin.id == "org.example.wordcount")
    #expect(plugin.language == "c++")
    let bare = try json(Inspection.self, troupe("inspect", "base64.so", "--json", directory: directory)).plugin
    #expect(bare.id == "org.example.base64")
    #expect(bare.state == "admitted")
  }

  @Test("A plugin in Swift: UUID, name, contract, tags, signature, lifetime and metadata")
  func swift() throws {
    let directory = try TemporaryDirectory()
    let path = try directory.add("healthy/upper")
    let inspection = try json(Inspection.self, troupe("inspect", path, "--json"))
    #expect(
      inspection.plugin
        == ListedPlugin(
          id: "org.example.upper", name: "Upper case", version: "2.1.0", language: "swift", abi: "1.0", path: path,
          state: "admitted", reason: nil))
    #expect(
      inspection.factories == [
        InspectedFactory(
          uuid: "0b0e7c70-6f0a-4e53-9a51-5e2e6a3d0a01", name: "upper", contract: "troupe.transform/1", tags: ["case", "text"],
          signature: "() -> Transform", lifetime: "transient", metadata: ["locale": "C", "author": "unknown"])
      ])
  }

  @Test("A Swift registration without an id has no UUID and is named after its type")
  func swiftWithoutID() throws {
    let directory = try TemporaryDirectory()
    let factories = try json(Inspection.self, troupe("inspect", try directory.add("healthy/arguments"), "--json")).factories
    #expect(
      factories == [
        InspectedFactory(
          uuid: "0b0e7c70-6f0a-4e53-9a51-5e2e6a3d0b01", name: "describe", contract: nil, tags: ["describe"],
          signature: "(Int, Double, Bool, String) -> String", lifetime: "transient", metadata: [:]),
        InspectedFactory(
          uuid: nil, name: "UInt8", contract: nil, tags: ["byte"], signature: "(UInt8) -> UInt8", lifetime: "transient",
          metadata: [:]),
        InspectedFactory(
          uuid: nil, name: "String", contract: nil, tags: ["either"], signature: "(Int) -> String", lifetime: "transient",
          metadata: [:]),
        InspectedFactory(
          uuid: nil, name: "String", contract: nil, tags: ["either"], signature: "(String) -> String", lifetime: "transient",
          metadata: [:]),
        InspectedFactory(
          uuid: nil, name: "Counter", contract: nil, tags: ["one"], signature: "() -> Counter", lifetime: "singleton",
          metadata: [:]),
      ])
  }

  @Test("The text has the manifest and a paragraph per factory, without empty fields")
  func text() throws {
    let directory = try TemporaryDirectory()
    let path = try directory.add("healthy/upper")
    let swift = try #require(try json([String: String].self, troupe("version", "--json"))["swift"])
    #expect(
      try output(of: troupe("inspect", path)) == """
        id        org.example.upper
        name      Upper case
        version   2.1.0
        language  swift
        abi       1.0
        interface 0.1
        compiler  Swift \(swift)
        path      \(path)
        state     admitted

        upper
          uuid      0b0e7c70-6f0a-4e53-9a51-5e2e6a3d0a01
          contract  troupe.transform/1
          tags      case, text
          signature () -> Transform
          lifetime  transient
          metadata  author=unknown, locale=C

        """)
    let function = try output(of: troupe("inspect", "org.example.geometry", plugins: Examples.directory()))
    #expect(
      function.contains(
        """


        area
          about     Returns the area of a rectangle.
          uuid      f5e07a66-2458-483c-8415-8bead275f039
          tags      geometry
          signature double (double width, double height)
          parameter width: The width, in any unit.
          parameter height: The height, in the unit of the width.
          example   (3, 4.5) = 13.5

        hypotenuse

        """))
  }

  @Test("An unknown id ends the command with 69")
  func unknownID() throws {
    let result = try troupe("inspect", "org.example.unknown", "--json", plugins: Examples.directory())
    expectFailure(result, 69, "\"org.example.unknown\"; troupe list")
    expectFailure(
      try troupe("inspect", "org.example.geometyr", plugins: Examples.directory()), 69,
      "no plugin \"org.example.geometyr\"; did you mean \"org.example.geometry\"?")
  }

  @Test("An unknown id is reported after the faults of the files without an id")
  func namelessFile() throws {
    let directory = try TemporaryDirectory()
    let path = try directory.write("a.troupe.json", "{".utf8)
    let result = try troupe("inspect", "org.example.unknown", plugins: directory.path)
    #expect(result.status == 69)
    #expect(result.errorLines.map { $0.hasPrefix("troupe: \(path): ") } == [true, false])
  }

  @Test("A missing file ends the command with 66")
  func missingFile() throws {
    let path = try TemporaryDirectory().file("missing.so")
    expectFailure(try troupe("inspect", path), 66, path)
    expectFailure(try troupe("inspect", "missing.so"), 66, "missing.so")
  }

  @Test("A file that is not a library ends the command with 65, in JSON with the report on standard output")
  func noLibrary() throws {
    let directory = try TemporaryDirectory()
    let path = try directory.write("broken.so", "no library at all".utf8)
    let result = try troupe("inspect", path)
    expectFailure(result, 65, path)
    let report = try troupe("inspect", path, "--json")
    #expect(report.status == 65)
    #expect(report.errors == result.errors)
    let inspection = try JSONDecoder().decode(Inspection.self, from: report.output)
    #expect(inspection.plugin.state == "rejected")
    #expect(inspection.plugin.reason.map { report.errors.contains($0) } == true)
    #expect(inspection.factories.isEmpty)
  }

  @Test("A file that is writable by everyone ends the command with 77")
  func untrusted() throws {
    let directory = try Examples.copies("base64")
    try succeed(["chmod", "o+w", directory.file("base64.so")])
    let result = try troupe("inspect", "org.example.base64", plugins: directory.path)
    // The host does not read the file. The id stays unknown, and the file's fault is reported first.
    #expect(result.status == 69)
    #expect(result.errorLines.map { $0.contains("org.example.base64") } == [false, true])
    expectFailure(try troupe("inspect", directory.file("base64.so")), 77, directory.file("base64.so"))
  }

  @Test("A plugin whose entry refuses to load ends the command with 69 and the plugin's message")
  func refused() throws {
    let directory = try TemporaryDirectory()
    let path = try directory.add(
      fixture: "healthy/empty.c", as: "refusing",
      [
        "ID": #""org.example.refusing""#,
        "ENTRY": #"registrar->host->fail(registrar->host, "the license has run out"); return TROUPE_FAILED;"#,
      ])
    let shown = [
      "id        org.example.refusing\n", "version   1.0.0\n", "state     rejected\n", "reason    ", "remedy    ",
    ]
    for result in [try troupe("inspect", path), try troupe("inspect", "org.example.refusing", plugins: directory.path)] {
      expectFailure(result, 69, path, "the license has run out", showing: shown)
    }
  }

  @Test("For a quarantined plugin inspect shows its manifest, its requirements, the fault and its location")
  func quarantined() throws {
    let directory = try TemporaryDirectory()
    let path = try Repo.compile([Repo.fixture("faulty/crash-in-entry.c")], to: directory.file("crash.so"))
    let state = ["XDG_STATE_HOME": directory.file("state")]
    // The first command detects the fault, and the second reads it from the quarantine.
    for _ in 0..<2 {
      let result = try troupe("inspect", path, environment: state)
      expectFailure(
        result, 69, path, "SIGSEGV",
        showing: [
          "id        org.example.crash-in-entry\n", "version   1.0.0\n", "path      \(path)\n", "state     quarantined\n",
          "reason    ", "remedy    ", "troupe quarantine clear org.example.crash-in-entry\n",
          "backtrace troupe_plugin_main (crash.so+0x",
        ])
    }
    let report = try troupe("inspect", path, "--json", environment: state)
    #expect(report.text.contains("\"troupe_plugin_main (crash.so+0x"))
  }

  @Test("The message for an unknown id points to a file or a plugin of that name", arguments: ["inspect", "pin"])
  func bareFile(command: String) throws {
    let directory = try TemporaryDirectory()
    try directory.write("README.md", "no library at all".utf8)
    let plugins = try Examples.directory()
    let pins = directory.file("pins")
    let words = command == "pin" ? ["--dry-run", "--pins", pins] : []
    let line = try run(
      unset() + [Repo.troupe, command, "README.md", "--plugins", plugins] + words, directory: directory.path)
    expectFailure(line, 69, "\"README.md\"", "write ./README.md for the file of this name")
    let file = try run(
      unset() + [Repo.troupe, command, "./README.md", "--plugins", plugins] + words, directory: directory.path)
    expectFailure(file, 65, "./README.md: ")
    // Without such a file the message has no hint.
    let other = try run(
      unset() + [Repo.troupe, command, "OTHER.md", "--plugins", plugins] + words, directory: directory.path)
    expectFailure(other, 69, "\"OTHER.md\"")
    let named = try run(unset() + [Repo.troupe, command, "Base64", "--plugins", plugins] + words)
    expectFailure(named, 69, "Base64 is the name of org.example.base64; give the id")
    #expect(!other.errors.contains("./OTHER.md"))
  }

  @Test("Of two files with one id inspect shows the admitted one")
  func duplicate() throws {
    let (first, second) = (try Examples.copies("base64"), try Examples.copies("base64"))
    let result = try troupe("inspect", "org.example.base64", "--json", plugins: first.path, second.path)
    #expect(try json(Inspection.self, result).plugin.path == first.file("base64.so"))
  }

  @Test("Without an operand the command ends with 64")
  func missingOperand() throws {
    expectFailure(try troupe("inspect"), 64, "ID|FILE", "troupe inspect --help")
  }
}
