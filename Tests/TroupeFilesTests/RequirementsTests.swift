import Foundation
import TestSupport
import Testing

@testable import TroupeFiles

@Suite("The requirements of a protocol that a client does not implement", .timeLimit(.minutes(60)))
struct RequirementsTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func compile(_ module: String, _ text: String, _ options: String...) throws -> ELFFile {
    let path = directory.file("lib\(module).so")
    try succeed(
      ["swiftc", "-emit-library", "-emit-module", "-parse-as-library", "-module-name", module, "-o", path]
        + options + [directory.write("\(module).swift", text.utf8)])
    return try ELFFile(MemoryBytes([UInt8](Data(contentsOf: URL(filePath: path)))))
  }

  /// The names of the requirements that a client of the first library would lack with the second one.
  private func missing(_ old: String, _ new: String, client: String) throws -> [String] {
    _ = try compile("Greetings", old, "-enable-library-evolution")
    let client = try compile("Client", "import Greetings\n" + client, "-I", directory.path, "-L", directory.path, "-lGreetings")
    let library = try compile("Greetings", new, "-enable-library-evolution")
    let imports = try client.imports(#require(try client.dynamicSection()))
    return try library.unimplementedRequirements(of: imports.map(\.name), #require(try library.dynamicSection()))
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

  @Test(
    "A client that only calls the protocol, or refers to a property by its key path, lacks nothing",
    arguments: [
      "func call(_ greeter: any Greeter) -> Int { greeter.greet() }", "func path<T: Greeter>(_: T) -> AnyKeyPath { \\T.tone }",
    ])
  func caller(client: String) throws {
    #expect(try missing(Self.old, Self.added, client: "public " + client) == [])
  }
}
