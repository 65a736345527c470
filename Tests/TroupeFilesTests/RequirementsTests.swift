import Foundation
import TestSupport
import Testing

@testable import TroupeFiles

@Suite("The requirements of a protocol that a client does not implement", .timeLimit(.minutes(60)))
struct RequirementsTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func compile(_ module: String, _ text: String, _ options: [String]) throws -> [UInt8] {
    let path = directory.file("lib\(module).so")
    try succeed(
      ["swiftc", "-parse-as-library", "-swift-version", "6", "-module-name", module, "-o", path] + options
        + [directory.write("\(module).swift", text.utf8)])
    return [UInt8](try Data(contentsOf: URL(filePath: path)))
  }

  private func library(_ text: String, _ options: [String] = ["-enable-library-evolution"]) throws -> ELFFile {
    try ELFFile(MemoryBytes(compile("Greetings", text, ["-emit-library", "-emit-module"] + options)))
  }

  private func client(_ text: String, _ options: [String] = []) throws -> ELFFile {
    try ELFFile(MemoryBytes(clientBytes(text, options)))
  }

  private func clientBytes(_ text: String, _ options: [String] = []) throws -> [UInt8] {
    try compile(
      "Client", "import Greetings\n" + text,
      ["-emit-library", "-I", directory.path, "-L", directory.path, "-lGreetings"] + options)
  }

  private func implemented(_ client: ELFFile) throws -> Set<String> {
    let dynamic = try #require(try client.dynamicSection())
    return try client.implementedDescriptors(client.imports(dynamic), dynamic)
  }

  private func missing(_ client: ELFFile, in library: ELFFile) throws -> [String] {
    try library.unimplementedRequirements(of: implemented(client), #require(try library.dynamicSection()))
  }

  /// The names of the requirements that a client of the first library would lack with the second one.
  private func missing(_ old: String, _ new: String, client: String, _ options: [String] = []) throws -> [String] {
    _ = try library(old)
    let client = try self.client(client, options)
    return try missing(client, in: library(new))
  }

  private static let old = "public protocol Greeter { func greet() -> Int; var tone: Int { get } }"
  private static let implementer = "struct Polite: Greeter { func greet() -> Int { 1 }; let tone = 2 }"
  private static let added = old.replacing("{ func", with: "{ func bow(); func")

  @Test("A requirement that was added without a default is missing in a client that implements the protocol")
  func implementer() throws {
    #expect(try missing(Self.old, Self.added, client: Self.implementer) == ["$s9Greetings7GreeterP3bowyyFTq"])
  }

  @Test("No requirement is missing if it has a default, in the same library, or in another protocol")
  func complete() throws {
    #expect(try missing(Self.old, Self.old, client: Self.implementer) == [])
    let withDefault = Self.added + "\nextension Greeter { public func bow() {} }"
    #expect(try missing(Self.old, withDefault, client: Self.implementer) == [])
    #expect(try missing(Self.old, Self.old + "\npublic protocol Greeter2 { func bow() }", client: Self.implementer) == [])
  }

  // MARK: Protocols with getters only

  private static let getter = """
    public protocol Greeter { var tone: Int { get } }
    open class Base: Greeter {
      public init() {}
      public var tone: Int { 1 }
    }
    public struct Box<Value> {}
    """
  private static let twoGetters = getter.replacing("{ var", with: "{ var name: Int { get }; var")
    .replacing("{ 1 }", with: "{ 1 }; public var name: Int { 2 }")
  private static let name = "$s9Greetings7GreeterP4nameSivgTq"

  @Test(
    "An implementer of a protocol that has only getters lacks a new one, whatever the kind of the type and of the conformance",
    arguments: [
      "struct Polite: Greeter { let tone = 2 }", "final class Polite: Greeter { let tone = 2 }",
      "enum Polite: Greeter { case one; var tone: Int { 2 } }", "actor Polite: Greeter { nonisolated var tone: Int { 2 } }",
      "protocol Loud: Greeter {}\nstruct Polite: Loud { let tone = 2 }",
      "struct Pair<T> { let value: T }\nextension Pair: Greeter where T: Greeter { var tone: Int { value.tone } }",
      "struct All<each T> {}\nextension All: Greeter where repeat each T: Greeter { var tone: Int { 2 } }",
      "@MainActor struct Polite: @MainActor Greeter { let tone = 2 }",
      "extension Box: @retroactive Greeter where Value: Hashable & Greeter { public var tone: Int { 2 } }",
      "extension Int: @retroactive Greeter { public var tone: Int { self } }",
    ])
  func getters(client: String) throws {
    #expect(try missing(Self.getter, Self.twoGetters, client: client) == [Self.name])
    let withDefault = Self.twoGetters + "\nextension Greeter { public var name: Int { 0 } }"
    #expect(try missing(Self.getter, withDefault, client: client) == [])
  }

  @Test(
    "A client that does not implement the protocol lacks nothing: it calls it, refers to a getter by a key path, refines it or inherits it",
    arguments: [
      "func call(_ greeter: any Greeter) -> Int { greeter.tone }", "func path<T: Greeter>(_: T) -> AnyKeyPath { \\T.tone }",
      "protocol Loud: Greeter {}", "class Loud: Base {}",
    ])
  func caller(client: String) throws {
    let client = "public \(client)\nstruct Other: Hashable {}"
    #expect(try missing(Self.getter, Self.twoGetters, client: client) == [])
  }

  @Test(
    "The conformances are found in each kind of build", arguments: [[], ["-use-ld=lld"], ["-use-ld=bfd"]],
    [
      ["-Onone"], ["-O", "-Xlinker", "--gc-sections"],
      ["-Osize", "-Xlinker", "-z", "-Xlinker", "norelro", "-Xlinker", "--strip-all"],
      ["-Xlinker", "-z", "-Xlinker", "relro", "-Xlinker", "-z", "-Xlinker", "now"],
    ])
  func builds(linker: [String], options: [String]) throws {
    let client = "public struct Polite: Greeter { public let tone = 2 }"
    #expect(try missing(Self.getter, Self.twoGetters, client: client, linker + options) == [Self.name])
  }

  // MARK: Further requirements

  private static let named = """
    public protocol Named { var name: Int { get } }
    extension Int: Named { public var name: Int { self } }
    public protocol Greeter { associatedtype Tone; var tone: Tone { get } }
    """

  @Test(
    "An inherited protocol, an associated type, and a constraint of one are requirements, too",
    arguments: [
      ("Greeter {", "Greeter: Named {", ["$s9Greetings7GreeterPAA5NamedTb"]),
      ("Tone;", "Tone: Named;", ["$s9Greetings7GreeterP4ToneAC_AA5NamedTn"]),
      ("Tone;", "Tone; associatedtype Mood;", ["$s4Mood9Greetings7GreeterPTl"]),
      ("Tone;", "Tone; associatedtype Mood: Named = Int;", []),
    ])
  func kinds(old: String, new: String, expected: [String]) throws {
    let client = "struct Polite: Greeter { let tone = 2 }"
    #expect(try missing(Self.named, Self.named.replacing(old, with: new), client: client) == expected)
  }

  @Test("A protocol may have had no requirements")
  func noRequirements() throws {
    let client = "struct Polite: Greeter { let tone = 2 }"
    let library = Self.getter.replacing("{ var tone: Int { get } }", with: "{}")
    #expect(try missing(library, Self.getter, client: client) == ["$s9Greetings7GreeterP4toneSivgTq"])
  }

  @Test("The default that a type has got when the client was compiled is a witness of it")
  func removedDefault() throws {
    let library = Self.twoGetters + "\nextension Greeter { public var name: Int { 0 } }"
    #expect(try missing(library, Self.twoGetters, client: "struct Polite: Greeter { let tone = 2 }") == [])
  }

  @Test("One file of the client that was compiled against an earlier library lacks the requirement")
  func mixed() throws {
    _ = try library(Self.getter)
    let object = directory.file("Old.o")
    try succeed([
      "swiftc", "-parse-as-library", "-emit-object", "-module-name", "Old", "-I", directory.path, "-o", object,
      directory.write("Old.swift", "import Greetings\npublic struct Old: Greeter { public let tone = 1 }".utf8),
    ])
    let library = try self.library(Self.twoGetters)
    let text = "public struct New: Greeter { public let tone = 1, name = 2 }"
    #expect(try missing(client(text), in: library) == [])
    #expect(try missing(client(text, [object]), in: library) == [Self.name])
  }

  @Test(
    "The libraries of the toolchain lack nothing of each other",
    arguments: ["libFoundationEssentials.so", "libFoundation.so", "libswift_StringProcessing.so", "libswiftDispatch.so"])
  func toolchain(client: String) throws {
    struct Target: Decodable {
      struct Paths: Decodable { let runtimeLibraryPaths: [String] }
      let paths: Paths
    }
    let target = try JSONDecoder().decode(Target.self, from: run(["swiftc", "-print-target-info"]).output)
    let directory = try #require(target.paths.runtimeLibraryPaths.first)
    let file = try ELFFile(path: "\(directory)/\(client)")
    #expect(try implemented(file).count > 50)
    for name in try #require(try file.dynamicSection()).needed where name.hasPrefix("libswift") || name.hasPrefix("lib_Con") {
      #expect(try missing(file, in: ELFFile(path: "\(directory)/\(name)")) == [], "\(name)")
    }
  }

  @Test("A conformance to a protocol of a library without library evolution, or of the client itself, has a finished table")
  func finishedTables() throws {
    _ = try library(Self.getter, [])
    let text = "public struct Polite: Greeter { public let tone = 2 }"
    #expect(try implemented(client(text)) == [])
    #expect(try missing(client(text), in: library(Self.twoGetters)) == [])
    let own = "public protocol Own { var own: Int { get } }\npublic struct Mine: Own { public let own = 2 }"
    #expect(try implemented(client(own, ["-enable-library-evolution"])) == [])
  }

  // MARK: Damaged files

  private func error(_ body: () throws -> Void) -> String? {
    do {
      try body()
      return nil
    } catch { return "\(error)" }
  }

  @Test("A damaged conformance, and one of a file without section headers, is an error or shows nothing")
  func damagedClient() throws {
    _ = try library(Self.getter)
    let bytes = try clientBytes("public struct Polite: Greeter { public let tone = 2 }")
    let file = try ELFFile(MemoryBytes(bytes))
    let section = try #require(try file.section(named: "swift5_protocol_conformances"))
    let start = Int(section.offset)
    let distance = Int(Int32(truncatingIfNeeded: bytes.long(at: start)))
    let conformance = Int(try #require(file.offset(of: UInt64(Int(section.address) + distance))))
    func error(at offset: Int, _ value: UInt32) -> String? {
      var damaged = bytes
      damaged.set(value, at: offset)
      return self.error { _ = try implemented(ELFFile(MemoryBytes(damaged))) }
    }
    #expect(try implemented(file) == ["$s9Greetings7GreeterMp", "$s9Greetings7GreeterP4toneSivgTq"])
    #expect(error(at: conformance + 16, 1) == nil)
    #expect(error(at: conformance + 16, .max) == "is damaged: a conformance of it has 4294967295 witnesses")
    let witness = "is damaged: a conformance to $s9Greetings7GreeterMp has a witness for no requirement"
    #expect(error(at: conformance + 20, 0) == witness)
    #expect(error(at: conformance + 20, 9) == witness)
    #expect(try #require(error(at: start, 0x7FFF_FFF0)).hasSuffix("where nothing is loaded"))
    #expect(try implemented(ELFFile(MemoryBytes(DynamicSectionTests.withoutSections(bytes)))) == [])
  }

  @Test("A damaged protocol is an error")
  func damagedLibrary() throws {
    _ = try library(Self.getter)
    let names = try implemented(client("struct Polite: Greeter { let tone = 2 }"))
    var bytes = try compile("Greetings", Self.twoGetters, ["-emit-library", "-emit-module", "-enable-library-evolution"])
    let file = try ELFFile(MemoryBytes(bytes))
    let dynamic = try #require(try file.dynamicSection())
    var address: UInt64?
    try file.forEachSymbol(dynamic) { _, symbol, name, _ in
      if name == "$s9Greetings7GreeterMp" { address = symbol.address }
    }
    let offset = try #require(address.flatMap(file.offset))
    bytes.set(UInt32.max, at: Int(offset) + 16)
    let damaged = try ELFFile(MemoryBytes(bytes))
    #expect(
      error { _ = try damaged.unimplementedRequirements(of: names, dynamic) }
        == "is damaged: a protocol of it has 4294967295 requirements")
  }

  @Test("4,000 random changes give a result or an error")
  func mutated() throws {
    _ = try library(Self.getter)
    let client = try clientBytes("struct Polite: Greeter { let tone = 2 }", ["-Xlinker", "--strip-all"])
    let library = try compile("Greetings", Self.twoGetters, ["-emit-library", "-emit-module", "-enable-library-evolution"])
    let file = try ELFFile(MemoryBytes(client))
    let section = try #require(try file.section(named: "swift5_protocol_conformances"))
    let list = Int(section.offset)..<Int(section.offset + section.size)
    var generator = SplitMix64(seed: 7)
    var outcomes: [String: Int] = [:]
    for _ in 0..<4_000 {
      let damaged = try ELFDamageTests.damaged(client, in: [list, 0..<client.count, 0..<client.count], &generator)
      let other = try ELFDamageTests.damaged(library, in: [0..<library.count], &generator)
      do {
        let (client, library) = (try ELFFile(MemoryBytes(damaged)), try ELFFile(MemoryBytes(other)))
        guard try client.dynamicSection() != nil, try library.dynamicSection() != nil else { continue }
        let missing = try missing(client, in: library)
        outcomes[missing.isEmpty ? "complete" : "missing", default: 0] += 1
      } catch { outcomes["error", default: 0] += 1 }
    }
    #expect(outcomes.values.allSatisfy { $0 > 20 } && outcomes.count == 3, "\(outcomes)")
  }
}
