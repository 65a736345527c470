import Foundation
import TestSupport
import Testing
import TroupeHost
import TroupeTools

@Suite("An interface library", .timeLimit(.minutes(60)))
struct InterfaceLibraryTests {
  private static let declarations = """
    /// Greets.
    public protocol Greeter {
      func greet(_ person: Person) -> String
      var tone: Tone { get }
    }
    public struct Person {
      public var name = "Ann"
      private var age = 3
      public func twice() -> Int { age * 2 }
    }
    public enum Tone { case plain, polite }
    public struct Pair<First> { public let first: First }
    open class Room { func enter() {} }
    """

  private let directory: TemporaryDirectory
  private let library: InterfaceLibrary

  init() throws {
    directory = try TemporaryDirectory()
    library = try InterfaceLibrary(module: "Greetings")
  }

  private func mark(_ text: String, options: [String] = []) throws -> String {
    try library.mark(of: [directory.write("Greetings.swift", text.utf8)], options: options)
  }

  @Test("The mark is the module's name and 16 hexadecimal digits, which only depend on declarations")
  func unchanged() throws {
    let mark = try mark(Self.declarations)
    #expect(mark.wholeMatch(of: /Greetings_[0-9a-f]{16}/) != nil)
    for (old, new) in [
      ("/// Greets.", "/// Greets a person.\n\n// More."), ("age * 2", "age + age"),
      ("{ case plain, polite }", "{\n  case plain, polite\n}"),
    ] {
      try #require(Self.declarations.contains(old))
      #expect(try self.mark(Self.declarations.replacing(old, with: new)) == mark, "\(new)")
    }
  }

  @Test(
    "A change of a declaration changes the mark",
    arguments: [
      ("func greet(_ person: Person) -> String", "func bye()\n  func greet(_ person: Person) -> String"),
      ("var tone: Tone { get }", "var tone: Tone { get }\n  func bye()"),
      (
        "func greet(_ person: Person) -> String\n  var tone: Tone { get }",
        "var tone: Tone { get }\n  func greet(_ person: Person) -> String"
      ),
      ("-> String", "-> String?"), ("public var name = \"Ann\"", "public var name = 1"),
      ("public var name", "public let name"),
      ("private var age = 3", "private var age = 3\n  private var height = 2"), ("case plain, polite", "case polite, plain"),
      ("case plain, polite", "case plain, polite, rude"), ("Pair<First>", "Pair<First: Hashable>"),
      ("struct Pair", "struct Couple"),
      ("func enter() {}", "private func leave() {}\n  func enter() {}"),
    ])
  func changed(old: String, new: String) throws {
    try #require(Self.declarations.contains(old))
    #expect(try mark(Self.declarations.replacing(old, with: new)) != mark(Self.declarations))
  }

  @Test("Bodies that clients inline are part of the mark, and others are not")
  func inlinable() throws {
    let text = """
      public enum Level: Int { case low = 1, high = 2 }
      @inlinable public func rate() -> Int {
        let base = 3
        return base
      }
      public func count() -> Int { 4 }
      """
    let mark = try mark(text)
    #expect(try self.mark(text.replacing("high = 2", with: "high = 3")) != mark)
    #expect(try self.mark(text.replacing("base = 3", with: "base = 5")) != mark)
    #expect(try self.mark(text.replacing("{ 4 }", with: "{ 6 }")) == mark)
  }

  @Test(
    "The headers of imported C modules are part of the mark, but for those of Troupe", arguments: ["CShape", "CTroupe"])
  func headers(module: String) throws {
    try directory.write("module.modulemap", "module \(module) { header \"shape.h\" export * }".utf8)
    func mark(header: String) throws -> String {
      try directory.write("shape.h", header.utf8)
      let text = "import \(module)\npublic func area(_ shape: shape) -> Int32 { 1 }"
      return try self.mark(text, options: ["-I", directory.path])
    }
    let one = try mark(header: "struct shape { int x; };")
    #expect(try (mark(header: "struct shape { int x, y; };") == one) == (module == "CTroupe"))
    #expect(try mark(header: "struct shape { int x; };") == one)
  }

  @Test("The mark depends on no order of the sources, and on the given options")
  func sources() throws {
    let paths = try ["A", "B"].map { try directory.write("\($0).swift", "public struct \($0) {}".utf8) }
    #expect(try library.mark(of: paths, options: []) == library.mark(of: paths.reversed(), options: []))
    let text = "#if LONG\npublic typealias Number = Int\n#else\npublic typealias Number = Int8\n#endif"
    #expect(try mark(text) != mark(text, options: ["-D", "LONG"]))
  }

  @Test("The mark of a library that imports Foundation needs no filled module cache")
  func emptyCache() throws {
    let text = "import Foundation\npublic struct Box { public var date: Date }"
    let mark = try mark(text, options: ["-module-cache-path", directory.file("cache")])
    #expect(mark.wholeMatch(of: /Greetings_[0-9a-f]{16}/) != nil)
  }

  @Test("The mark depends on those of imported libraries, whose types may be stored")
  func imported() throws {
    let base = try InterfaceLibrary(module: "Base")
    let source = try directory.write("Base.swift", "public struct Base { public var number = 1 }".utf8)
    let text = "import Base\npublic struct Box { public var base: Base }"
    func mark(base mark: String) throws -> String {
      try succeed([
        "swiftc", "-emit-module", "-parse-as-library", "-module-name", base.module, "-module-link-name", mark,
        "-autolink-force-load",
        "-o", directory.file("Base.swiftmodule"), source,
      ])
      return try self.mark(text, options: ["-I", directory.path])
    }
    #expect(try mark(base: "Base_0123456789abcdef") != mark(base: "Base_fedcba9876543210"))
    #expect(try mark(base: "Base") == mark(base: "Other"))
  }

  @Test("A source that does not compile is an error with its line")
  func wrongSource() throws {
    let diagnosis = #expect(throws: Diagnosis.self) { try mark("public func greet() -> Missing {}\n") }
    #expect(diagnosis?.code == .invalidData)
    #expect(diagnosis?.subject == directory.file("Greetings.swift"))
    #expect(diagnosis?.problem == "does not compile at line 1, column 24: cannot find type 'Missing' in scope")
  }

  @Test("A missing source and an option that the compiler refuses are errors that name them")
  func wrongArguments() throws {
    let missing = #expect(throws: Diagnosis.self) { try library.mark(of: ["/missing.swift"], options: []) }
    #expect(missing?.code == .unreadable && missing?.subject == "/missing.swift")
    let option = #expect(throws: Diagnosis.self) { try mark("", options: ["-no-such-option"]) }
    #expect(option?.code == .usage)
    #expect(option?.problem == "the compiler: unknown argument: '-no-such-option'")
  }

  @Test(
    "A name that no Swift module has is an error",
    arguments: ["", "a-b", "1a", "a b", "ä", "a/b", String(repeating: "a", count: 101)])
  func wrongName(name: String) {
    let diagnosis = #expect(throws: Diagnosis.self) { try InterfaceLibrary(module: name) }
    #expect(diagnosis?.code == .usage)
    #expect(diagnosis?.problem == "expected the name of a Swift module")
  }

  @Test("The linker's files have the mark, and only those of a former mark are removed")
  func linkerFiles() throws {
    let (old, new) = ("Greetings_0123456789abcdef", "Greetings_fedcba9876543210")
    let files = directory.file("a/b")
    try library.writeLinkerFiles(mark: old, to: files)
    try directory.write("a/b/libGreetings_0000000000000000.so", "a library".utf8)
    try library.writeLinkerFiles(mark: new, to: files)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: files).sorted()
        == ["Greetings.map", "libGreetings_0000000000000000.so", "lib\(new).so"])
    #expect(try String(contentsOfFile: files + "/Greetings.map", encoding: .utf8) == "\(new) { global: *; };\n")
    #expect(try String(contentsOfFile: "\(files)/lib\(new).so", encoding: .utf8) == "INPUT(-lGreetings)\n")
    let diagnosis = #expect(throws: Diagnosis.self) { try library.writeLinkerFiles(mark: new, to: files + "/Greetings.map") }
    #expect(diagnosis?.code == .inputOutput)
  }
}
