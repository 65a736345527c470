import Foundation
import TestSupport
import Testing
import TroupeCall
import TroupeHost

@Suite("Adopted libraries") struct AdoptionTests {
  /// The functions of the fixture `box-library.c`. The digit is part of the UUIDs, so that two files have different ones.
  static func functions(_ digit: Int = 0) -> String {
    """
    {"uuid": "ad090000-0000-4000-8000-00000000\(digit)001", "name": "live", "symbol": "box_live", "signature": "int (void)"},
    {"uuid": "ad090000-0000-4000-8000-00000000\(digit)002", "name": "box", "symbol": "box_new",
     "signature": "pointer (int64_t content)", "contract": "org.example.box/1", "destroy": "box_free", "tags": ["box", "box"],
     "metadata": {"note": ""}},
    {"uuid": "ad090000-0000-4000-8000-00000000\(digit)003", "name": "twice", "symbol": "box_twice",
     "signature": "int64_t (int64_t number)", "tags": ["number"], "lifetime": "transient"},
    {"uuid": "ad090000-0000-4000-8000-00000000\(digit)004", "name": "only", "symbol": "box_new", "lifetime": "singleton",
     "signature": "pointer (int64_t content)", "contract": "org.example.box/1", "destroy": "box_free", "tags": ["only"]}
    """
  }

  /// The text of an adoption file.
  static func text(_ library: String, id: String = "org.example.boxes", _ functions: String = functions()) -> String {
    #"{"id": "\#(id)", "name": "Boxes", "version": "1.2.3", "library": "\#(library)", "functions": [\#(functions)]}"#
  }

  /// Adds the fixture and its adoption file to a directory. Returns their paths.
  @discardableResult
  static func add(to directory: PluginDirectory) throws -> (file: String, library: String) {
    let library = try directory.add("healthy/box-library.c", as: "libbox")
    return (try directory.write("boxes.troupe.json", text("./libbox.so").utf8), library)
  }

  @Test("An adopted library is one C plugin, whose path is that of the adoption file")
  func discovered() throws {
    let directory = try PluginDirectory()
    let (file, library) = try Self.add(to: directory)
    let plugin = try #require(directory.host().discover().first)
    #expect(directory.host().discover().count == 1)
    #expect(plugin.path == file)
    #expect(plugin.library == library)
    #expect(plugin.state == .admitted)
    #expect(plugin.manifest?.id == "org.example.boxes")
    #expect(plugin.manifest?.version.description == "1.2.3")
    #expect(plugin.manifest?.language == "c")
    #expect(plugin.manifest?.abi.description == HostVersions.current.abi)
    #expect(try !isMapped(library))
  }

  @Test("The language of an adopted library with Swift's metadata is Swift")
  func swift() throws {
    let directory = try PluginDirectory()
    let source = try directory.write("Functions.swift", "@c(one) public func one() -> Int32 { 1 }\n".utf8)
    let library = directory.path + "/libone.so"
    try succeed(["swiftc", "-emit-library", "-parse-as-library", "-o", library, source])
    let text = """
      {"id": "org.example.one", "name": "One", "version": "1.0.0", "library": "./libone.so", "functions": [
        {"uuid": "5b1a7c52-6f0a-4b3e-8f0e-3c9b1a2d4e01", "name": "one", "symbol": "one", "signature": "int (void)"}]}
      """
    try directory.write("one.troupe.json", text.utf8)
    let plugin = try #require(directory.host().discover().first { $0.library == library })
    #expect(plugin.state == .admitted)
    #expect(plugin.manifest?.language == "swift")
    #expect(plugin.description.contains("(swift)"))
  }

  @Test("A faulty adoption file hides its library; a library without an adoption file is rejected")
  func bareLibrary() throws {
    let directory = try PluginDirectory()
    let (file, library) = try Self.add(to: directory)
    try directory.write("boxes.troupe.json", Self.text("./libbox.so", "7").utf8)
    #expect(directory.host().discover().map(\.path) == [file])
    try FileManager.default.removeItem(atPath: file)
    #expect(directory.host().discover().map(\.state.diagnosis?.code) == [.invalidManifest])
    #expect(directory.host().discover().map(\.path) == [library])
  }

  @Test("A signature may have line breaks")
  func linesInSignature() async throws {
    let directory = try PluginDirectory()
    try directory.add("healthy/box-library.c", as: "libbox")
    let function = #"""
      {"uuid": "ad090000-0000-4000-8000-000000000003", "name": "twice", "symbol": "box_twice",
       "signature": "int64_t (\n\tint64_t number\r\n)"}
      """#
    try directory.write("boxes.troupe.json", Self.text("./libbox.so", function).utf8)
    let host = directory.host()
    await host.start()
    #expect(host.states == ["boxes.troupe.json active"])
    #expect(try host.call("twice", .integer(4)) == .integer(8))
  }

  @Test(
    "A faulty adoption file is one rejected plugin and hides its library",
    arguments: [
      "", "{", "7", #"{"id": "bad id", "name": "Boxes", "version": "1.0.0", "library": "./libbox.so", "functions": []}"#,
      #"{"id": "org.example.boxes", "name": "Boxes", "version": "1.0.0", "functions": []}"#,
      #"{"id": "org.example.boxes", "name": "Boxes", "version": "1.0.0", "library": "libbox.so", "functions": []}"#,
      AdoptionTests.text("./libbox.so", ""),
    ])
  func faulty(text: String) throws {
    let directory = try PluginDirectory()
    try directory.add("healthy/box-library.c", as: "libbox")
    let file = try directory.write("box.troupe.json", text.utf8)
    let plugins = directory.host().discover()
    #expect(plugins.map(\.path) == [file])
    #expect(plugins.first?.state.diagnosis != nil)
  }

  @Test("An unreadable adoption file is one rejected plugin and hides its library")
  func unreadable() throws {
    let directory = try PluginDirectory()
    try directory.add("healthy/box-library.c", as: "libbox")
    let file = directory.directory.file("box.troupe.json")
    // Root cannot read a dangling link either.
    try FileManager.default.createSymbolicLink(atPath: file, withDestinationPath: "missing")
    let plugins = directory.host().discover()
    #expect(plugins.map(\.path) == [file])
    #expect(plugins.first?.state.diagnosis?.code == .unreadable)
  }

  @Test(
    "A faulty adoption file hides only the library that it names, or else the library with its own name",
    arguments: [
      ("box.troupe.json", "{", ["libbox.so"]), ("libbox.troupe.json", "{", ["libbox.so"]),
      ("other.troupe.json", "{", ["other.so"]), ("boxes.troupe.json", "{", []), ("box.troupe.json", Self.text("./none.so"), []),
      ("box.troupe.json", Self.text("./other.so", "7"), ["other.so"]), ("box.troupe.json", Self.text("other.so"), ["other.so"]),
    ])
  func hidden(name: String, text: String, hidden: [String]) throws {
    let directory = try PluginDirectory()
    let libraries = try ["libbox", "other"].map { try directory.add("healthy/box-library.c", as: $0) }
    let file = try directory.write(name, text.utf8)
    let found = directory.host().discover()
    #expect(Set(libraries + [file]).subtracting(found.map(\.path)) == Set(hidden.map(directory.directory.file)))
    #expect(found.allSatisfy { $0.state.diagnosis != nil })
  }

  @Test("A library with a manifest stays a plugin if an adoption file names it")
  func adoptedPlugin() throws {
    let directory = try PluginDirectory()
    try directory.add("healthy/scalars.c", as: "a")
    try directory.write("b.troupe.json", Self.text("./a.so").utf8)
    let host = directory.host()
    host.discover()
    #expect(host.states == ["a.so admitted", "b.troupe.json admitted"])
  }

  /// A function with further members.
  private static func documented(_ members: String) -> String {
    """
    {"uuid": "ad090000-0000-4000-8000-000000000009", "name": "documented", "symbol": "box_twice",
     "signature": "int64_t (int64_t number)", \(members)}
    """
  }

  @Test("An adoption file documents the plugin and its functions, whose metadata has the texts")
  func documentation() async throws {
    let directory = try PluginDirectory()
    try directory.add("healthy/box-library.c", as: "libbox")
    let function = Self.documented(
      """
      "metadata": {"unit": "m"}, "description": "Doubles a number.\\nQuickly.", "parameters": {"number": "Any."},
      "examples": [{"arguments": [21], "result": 42}, {"result": {"a": [1.50, "x"]}, "arguments": [ "y" , null ]}]
      """)
    let text = Self.text("./libbox.so", function).replacing(
      "\"name\": \"Boxes\"", with: "\"name\": \"B\", \"description\": \"All boxes.\"")
    try directory.write("boxes.troupe.json", text.utf8)
    let host = directory.host()
    await host.start()
    #expect(host.plugins.map(\.manifest?.description) == ["All boxes."])
    let registration = try #require(host.registrations.first)
    #expect(
      registration.documentation
        == Documentation(
          description: "Doubles a number.\nQuickly.", parameters: ["number": "Any."],
          examples: [
            Documentation.Example(arguments: "\"y\", null", result: "{\"a\": [1.50, \"x\"]}"),
            Documentation.Example(arguments: "21", result: "42"),
          ]))
    #expect(registration.metadata["unit"] == "m" && registration.metadata.count == 5)
    host.shutdown()
  }

  @Test(
    "A function with malformed documentation is refused",
    arguments: [
      (#""description": 3"#, "functions[0].description"), (#""description": """#, "functions[0].description"),
      (#""parameters": []"#, "functions[0].parameters"), (#""parameters": {"x": 1}"#, "functions[0].parameters.x"),
      (#""examples": {}"#, "functions[0].examples"), (#""examples": [3]"#, "functions[0].examples[0]"),
      (#""examples": [{"arguments": 3, "result": 3}]"#, "functions[0].examples[0].arguments"),
      (#""examples": [{"arguments": [3]}]"#, "functions[0].examples[0]"),
      (#""examples": [{"arguments": [3], "result": 3, "x": 1}]"#, "functions[0].examples[0].x"),
      (#""description": "a", "metadata": {"description": "b"}"#, "functions[0].metadata.description"),
    ])
  func malformedDocumentation(members: String, place: String) throws {
    let directory = try PluginDirectory()
    try directory.add("healthy/box-library.c", as: "libbox")
    try directory.write("boxes.troupe.json", Self.text("./libbox.so", Self.documented(members)).utf8)
    let diagnosis = try #require(directory.host().discover().first?.state.diagnosis)
    #expect(diagnosis.code == .invalidManifest)
    #expect("\(diagnosis)".contains(place + " "), "\(diagnosis)")
  }

  @Test("The functions of an adopted library are called and resolved as those of any plugin", .inProcess)
  func used() async throws {
    let directory = try PluginDirectory()
    try Self.add(to: directory)
    let host = directory.host()
    await host.start()
    #expect(host.states == ["boxes.troupe.json active"])
    #expect(host.registrations.map(\.name) == ["live", "box", "twice", "only"])
    #expect(host.registrations.map(\.tags) == [[], ["box"], ["number"], ["only"]])
    #expect(host.registrations[1].metadata == ["note": ""])
    #expect(try host.call("twice", .integer(21)) == .integer(42))
    let twice: Value = try await host.container.resolve(
      tags: uuid("ad090000-0000-4000-8000-000000000003"), "number", args: Int64(4))
    #expect(twice == .integer(8))
  }

  @Test("The destroy function is called once for an instance, which keeps the image open until then", .inProcess)
  func instance() async throws {
    let directory = try PluginDirectory()
    let (_, library) = try Self.add(to: directory)
    let host = directory.host(unloads: true)
    await host.start()
    var box: ForeignInstance? = try await host.container.resolve(
      tags: uuid("ad090000-0000-4000-8000-000000000002"), "box", args: Int64(7))
    #expect(box?.object.load(as: Int64.self) == 7)
    #expect(try host.call("live") == .integer(1))
    #expect(try await host.resolve(tags: ["only"], arguments: .values([.integer(9)])).count == 1)
    #expect(try host.call("live") == .integer(2))
    host.shutdown()
    #expect(try isMapped(library))
    box = nil
    #expect(try !isMapped(library))
  }

  @Test("A held function keeps the image open after shutdown, and its release closes the image")
  func closed() async throws {
    let directory = try PluginDirectory()
    let (_, library) = try Self.add(to: directory)
    let host = directory.host(unloads: true)
    await host.start()
    var twice: ForeignFunction? = try host.function(try #require(host.functions("twice").first))
    host.shutdown()
    #expect(host.states == ["boxes.troupe.json draining"])
    #expect(host.registrations.isEmpty)
    #expect(try twice?(5) == .integer(10))
    twice = nil
    #expect(host.states == ["boxes.troupe.json retired"])
    #expect(try !isMapped(library))
  }

  @Test("Two files can adopt one library, and shutdown closes it")
  func twoFiles() async throws {
    let directory = try PluginDirectory()
    let (_, library) = try Self.add(to: directory)
    try directory.write(
      "others.troupe.json", Self.text("./libbox.so", id: "org.example.others", Self.functions(1)).utf8)
    let host = directory.host(unloads: true)
    await host.start()
    #expect(host.states == ["boxes.troupe.json active", "others.troupe.json active"])
    #expect(host.functions("twice").count == 2)
    host.shutdown()
    #expect(try !isMapped(library))
  }

  @Test("The second file with an id is rejected; a duplicate UUID rejects a file and closes its library", .inProcess)
  func duplicates() async throws {
    let directory = try PluginDirectory()
    let (file, _) = try Self.add(to: directory)
    let sameID = try directory.write("c.troupe.json", Self.text("./libbox.so", Self.functions(1)).utf8)
    let other = try PluginDirectory()
    let copy = try other.add("healthy/box-library.c", as: "libcopy")
    let sameUUID = try other.write("d.troupe.json", Self.text("./libcopy.so", id: "org.example.d").utf8)
    var options = directory.options()
    options.directories.append(other.path)
    options.unloadsImages = true
    let host = PluginHost(options)
    await host.start()
    #expect(host.states == ["boxes.troupe.json active", "c.troupe.json rejected", "d.troupe.json rejected"])
    #expect(host.diagnosis(sameID)?.code == .duplicateIdentifier)
    #expect(host.diagnosis(sameID)?.problem.contains(file) == true)
    let diagnosis = try #require(host.diagnosis(sameUUID))
    #expect(diagnosis.code == .refused)
    #expect(diagnosis.problem.contains("\"live\" of org.example.boxes"))
    #expect(host.registrations.count == 4)
    #expect(try !isMapped(copy))
  }

  /// The text of an adoption file whose functions 1 to 3 name symbols that the library lacks.
  private static var withoutSymbols: String {
    text("./libbox.so").replacing("box_free", with: "box_end").replacing("box_twice", with: "twice")
  }

  @Test("In a strict file each missing symbol is reported with its member, and the library is closed")
  func strictFile() async throws {
    let directory = try PluginDirectory()
    let (file, library) = try Self.add(to: directory)
    let text = Self.withoutSymbols.replacing("\"functions\"", with: "\"strict\": true, \"functions\"")
    try directory.write("boxes.troupe.json", text.utf8)
    let host = directory.host(unloads: true)
    #expect(host.discover().map(\.state) == [.admitted])
    await host.start()
    let diagnosis = try #require(host.diagnosis(file))
    #expect(diagnosis.code == .missingSymbol)
    let missing = [("functions[1].destroy", "box_end"), ("functions[2].symbol", "twice"), ("functions[3].destroy", "box_end")]
    #expect(
      diagnosis.problem
        == missing.map { "\($0) is \"\($1)\", and \(library) has no such function" }.joined(separator: "; "))
    #expect(host.registrations.isEmpty)
    #expect(try !isMapped(library))
  }

  @Test("Functions with missing symbols are refused, and the others are registered", .inProcess)
  func missingSymbols() async throws {
    let directory = try PluginDirectory()
    _ = try Self.add(to: directory)
    try directory.write("boxes.troupe.json", Self.withoutSymbols.utf8)
    let log = LogLines()
    let host = directory.host(log: log)
    await host.start()
    #expect(host.states == ["boxes.troupe.json active"])
    #expect(host.registrations.count == 1)
    #expect(host.plugins.map(\.refusals.count) == [3])
    #expect(log.all.count { !$0.hasPrefix("info") } == 1)
    #expect(log.all.contains { $0.hasPrefix("warning org.example.boxes: 3 of 4 registrations are refused; ") })
    host.shutdown()
  }

  @Test("A contract without a table gives its Swift type; a function for a contract with a table is refused", .inProcess)
  func knownContracts() async throws {
    for size in [nil, 16] as [Int?] {
      let directory = try PluginDirectory()
      _ = try Self.add(to: directory)
      let host = directory.host(contracts: [
        Contract("org.example.box/1", Int64.self, minimumTableSize: size) { $0.object.load(as: Int64.self) }
      ])
      await host.start()
      if size == nil {
        #expect(try await host.resolve(tags: ["box"], arguments: .values([.integer(3)])).first?.value as? Int64 == 3)
      } else {
        #expect(host.states == ["boxes.troupe.json active"])
        #expect(try await host.resolve(tags: ["box"], arguments: .values([.integer(3)])).isEmpty)
        #expect(host.plugins.first?.refusals.allSatisfy { $0.code == .refused } == true)
      }
    }
  }

  @Test("An adoption file or a library that other users can write is rejected", arguments: ["boxes.troupe.json", "libbox.so"])
  func untrusted(_ name: String) throws {
    let directory = try PluginDirectory()
    let (file, _) = try Self.add(to: directory)
    try setMode(0o666, of: directory.directory.file(name))
    let host = directory.host()
    host.discover()
    let diagnosis = try #require(host.diagnosis(file))
    #expect(diagnosis.code == .untrusted)
    let library = "\(directory.path)/libbox.so"
    #expect(diagnosis.problem == (name == "libbox.so" ? "adopts \(library), which " : "") + "is writable by all users")
  }

  @Test("A library in a directory that other users can write is rejected")
  func untrustedDirectory() throws {
    let directory = try PluginDirectory()
    let libraries = try directory.makeDirectory("lib", mode: 0o777)
    try writeFile(libraries + "/b.so", PluginDirectory.library("healthy/box-library.c"))
    try setMode(0o755, of: libraries + "/b.so")
    let file = try directory.write("b.troupe.json", Self.text("lib/b.so").utf8)
    let host = directory.host()
    host.discover()
    #expect(host.diagnosis(file)?.code == .untrusted)
    #expect(host.diagnosis(file)?.problem.contains("\(libraries),") == true)
  }

  @Test("A library that has changed since it was examined is not opened")
  func changed() async throws {
    let directory = try PluginDirectory()
    let (file, library) = try Self.add(to: directory)
    let host = directory.host()
    host.discover()
    try FileManager.default.removeItem(atPath: library)
    try directory.add("healthy/box-library.c", as: "libbox")
    await host.start()
    #expect(host.diagnosis(file)?.code == .changed)
    #expect(host.diagnosis(file)?.problem.contains("library") == true)
  }

  @Test("A library for another machine is rejected with both names")
  func otherMachine() throws {
    let directory = try PluginDirectory()
    let (file, library) = try Self.add(to: directory)
    var bytes = try PluginDirectory.library("healthy/box-library.c")
    bytes.set(UInt16(4711), at: 18)
    try writeFile(library, bytes)
    let host = directory.host()
    host.discover()
    #expect(host.diagnosis(file)?.code == .wrongMachine)
    #expect(host.diagnosis(file)?.problem.contains("4711") == true)
  }

  @Test("A relative path starts at the directory of the adoption file, not at that of a link to it")
  func linkedFile() throws {
    let directory = try PluginDirectory()
    let (file, library) = try Self.add(to: directory)
    let other = try PluginDirectory()
    try FileManager.default.createSymbolicLink(
      atPath: other.directory.file("linked.troupe.json"), withDestinationPath: file)
    #expect(other.host().discover().map(\.library) == [library])
    #expect(other.host().discover().map(\.state) == [.admitted])
  }

  @Test("A bare library name is not searched beside the file, and the remedy gives the path to write")
  func besideTheFile() throws {
    let directory = try PluginDirectory()
    let (file, _) = try Self.add(to: directory)
    try directory.write("boxes.troupe.json", Self.text("libbox.so").utf8)
    let host = directory.host()
    host.discover()
    #expect(host.diagnosis(file)?.code == .missingLibrary)
    #expect(host.diagnosis(file)?.remedy == "write \"./libbox.so\"")
  }

  @Test("A file of more than 1 MiB or with more than 10,000 functions is rejected")
  func bounds() throws {
    let directory = try PluginDirectory()
    let (file, _) = try Self.add(to: directory)
    let text = Self.text("./libbox.so")
    for (size, code) in [(1 << 20, nil), (1 << 20 + 1, .tooLarge)] as [(Int, Diagnosis.Code?)] {
      try directory.write("boxes.troupe.json", (text + String(repeating: " ", count: size - text.utf8.count)).utf8)
      let host = directory.host()
      host.discover()
      #expect(host.diagnosis(file)?.code == code)
    }
    let many = Array(repeating: "{}", count: 10_001).joined(separator: ",")
    try directory.write("boxes.troupe.json", Self.text("./libbox.so", many).utf8)
    let host = directory.host()
    host.discover()
    #expect(host.diagnosis(file)?.problem.contains("10001") == true)
  }

  @Test("10,000 functions are registered")
  func manyFunctions() async throws {
    let directory = try PluginDirectory()
    try Self.add(to: directory)
    let functions = (0..<10_000).map { index in
      let digits = String(index)
      let tail = String(repeating: "0", count: 12 - digits.count) + digits
      return #"{"uuid":"ad090000-0000-4000-9000-\#(tail)","name":"f\#(index)","symbol":"abs","signature":"int(int)"}"#
    }
    // Short entries keep the file below 1 MiB. This library links the C library, which has `abs`.
    try directory.write("boxes.troupe.json", Self.text("./libbox.so", functions.joined(separator: ",")).utf8)
    let host = directory.host()
    await host.start()
    #expect(host.states == ["boxes.troupe.json active"])
    #expect(host.registrations.count == 10_000)
    #expect(try host.call("f9999", .integer(-5)) == .integer(5))
  }

  @Test("The loader's directories are unique, and one of them holds the C library")
  func loaderDirectories() {
    let directories = LoaderPath.directories()
    #expect(directories.contains { FileManager.default.fileExists(atPath: $0 + "/libc.so.6") })
    #expect(Set(directories).count == directories.count)
  }
}
