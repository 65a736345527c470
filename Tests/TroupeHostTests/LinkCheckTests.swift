import Foundation
import TestSupport
import Testing
import TroupeHost

/// The libraries are in C, with the symbols that the Swift compiler would make: a test process has Troupe's types of its own, so it cannot
/// open plugins in Swift. `CommandLineTests.SharedInterfaceTests` has those.
@Suite("Libraries that differ from those that a plugin was built against", .inProcess)
struct LinkCheckTests {
  private let directory: PluginDirectory
  private let name: String
  private var path: String { directory.directory.file("lib/" + name) }

  init() throws {
    directory = try PluginDirectory()
    _ = try directory.makeDirectory("lib")
    name = "libdep-\(UUID().uuidString.prefix(8)).so.1"
  }

  /// Compiles the library as a new file, as an installer does.
  private func addLibrary(_ code: String, versions: String? = nil) throws {
    let map = try versions.map { ["-Wl,--version-script,\(try directory.write("library.map", $0.utf8))"] } ?? []
    try Repo.compile(
      [directory.write("library.c", code.utf8)], to: path + ".new",
      options: ["-fvisibility=default", "-Wl,-soname,\(name)"] + map)
    try #require(rename(path + ".new", path) == 0)
  }

  /// Compiles a plugin that links the library, with `CODE` in front of its entry. Returns its path.
  @discardableResult
  private func addPlugin(_ code: String, _ options: [String] = []) throws -> String {
    try directory.add(
      "healthy/empty.c", as: "plugin", ["ID": "org.example.\(name.prefix(15))".quoted, "CODE": code],
      options: ["-L", directory.directory.file("lib"), "-l:" + name, "-Wl,-rpath,$ORIGIN/lib", "-Wl,--no-as-needed"] + options)
  }

  private func diagnosis() throws -> Diagnosis? {
    let host = directory.host()
    try host.load()
    return try #require(host.plugins.first).state.diagnosis
  }

  private static let versions = "DEP_1 { global: *; };"
  private static func force(_ hash: String) -> String { "_swift_FORCE_LOAD_$_Shop_\(hash)" }
  /// A client that was built against the layout `one`. The linker keeps the library for the call alone.
  private static let client = """
    extern __attribute__((weak)) char \(force(one)); char *mark = &\(force(one)); int kept(void); int use(void) { return kept(); }
    """

  private static let (one, two) = ("0000000000000001", "0000000000000002")

  @Test("A removed symbol is named with the library that had it, and several are counted", arguments: [1, 5])
  func removed(count: Int) throws {
    let names = (1...count).map { "gone\($0)" }
    try addLibrary(
      names.map { "int \($0)(void) { return 1; }" }.joined() + "int kept(void) { return 2; }", versions: Self.versions)
    let code =
      (names + ["kept"]).map { "int \($0)(void);" }.joined() + "int use(void) { return kept() + "
      + names.map { "\($0)()" }.joined(separator: " + ") + "; }"
    try addPlugin(code)
    #expect(try diagnosis() == nil)
    let other = try LinkCheckTests()
    try other.addLibrary(
      names.map { "int \($0)(void) { return 1; }" }.joined() + "int kept(void) { return 2; }", versions: Self.versions)
    let plugin = try other.addPlugin(code)
    try other.addLibrary("int kept(void) { return 2; }", versions: Self.versions)
    let diagnosis = try #require(try other.diagnosis())
    #expect(diagnosis.code == .missingSymbol)
    #expect(diagnosis.subject == plugin)
    let list = count == 1 ? "gone1" : "gone1, gone2, gone3 and 2 more"
    #expect(diagnosis.problem == "needs \(list), which \(other.path) does not have")
    #expect(diagnosis.remedy == "rebuild the plugin against this version")
  }

  @Test("A missing weak symbol, and one that no code refers to, are not needed")
  func unneeded() throws {
    try addLibrary("int kept(void) { return 2; } int gone(void) { return 1; }", versions: Self.versions)
    let code =
      "__asm__(\".globl unused\"); int kept(void); __attribute__((weak)) int gone(void); int use(void) { return gone ? gone() : kept(); }"
    try addPlugin(code)
    try addLibrary("int kept(void) { return 2; }", versions: Self.versions)
    #expect(try diagnosis() == nil)
  }

  @Test("A symbol that another library of the process defines is there")
  func elsewhere() throws {
    try addLibrary("int kept(void) { return 2; } double floor(double x) { return x; }")
    try addPlugin("int kept(void); double floor(double); double use(double x) { return kept() + floor(x); }", ["-fno-builtin"])
    try addLibrary("int kept(void) { return 2; }")
    #expect(try diagnosis() == nil)
  }

  @Test("A symbol of a library that the plugin itself defines is there")
  func ownDefinition() throws {
    try addLibrary("int gone(void) { return 1; } int kept(void) { return 2; }", versions: Self.versions)
    let lib = directory.directory.file("lib")
    // The helper's symbol has the version of the library, and so a known owner.
    let helper = lib + "/helper-" + name
    try Repo.compile(
      [directory.write("helper.c", "int gone(void); int help(void) { return gone(); }".utf8)], to: helper,
      options: ["-fvisibility=default", "-Wl,-soname,helper-\(name)", "-L", lib, "-l:" + name, "-Wl,-rpath,$ORIGIN"])
    try addPlugin(
      "TROUPE_EXPORT int gone(void) { return 3; } int help(void); int use(void) { return help(); }", ["-l:helper-\(name)"])
    try addLibrary("int kept(void) { return 2; }", versions: Self.versions)
    #expect(try diagnosis() == nil)
  }

  /// A client that needs a symbol of another module. The linker keeps the library for the call of `kept` alone.
  private static let call =
    "int kept(void); int $s3App5thingyyF(void); int use(void) { return kept() + $s3App5thingyyF(); }"

  @Test(
    "A library that only mentions a module is not the owner of its symbols, so that the loader reports them",
    arguments: [
      "int $s6Helper3useyy3App5ThingVF(void) { return 1; }", "int $s3App5ThingV6Helper5UsefulADMc = 1;",
      "extern __attribute__((weak)) char $s3App5otheryyF; char *f = &$s3App5otheryyF;",
    ])
  func mentioned(code: String) throws {
    try addLibrary("int kept(void) { return 2; }" + code)
    try addPlugin(Self.call)
    let diagnosis = try #require(try diagnosis())
    #expect(diagnosis.code == .notLoadable)
    #expect(diagnosis.problem.hasSuffix("undefined symbol: $s3App5thingyyF"))
  }

  @Test(
    "A library that declares something else of a module is the owner of its symbols, and another type is told from a removed declaration",
    arguments: [
      // other(), and thing() -> Int
      ("$s3App5otheryyF", "does not have"), ("$s3App5thingSiyF", "does not have in this form"),
    ])
  func declared(symbol: String, problem: String) throws {
    try addLibrary("int kept(void) { return 2; } int \(symbol)(void) { return 1; }")
    try addPlugin(Self.call)
    let diagnosis = try #require(try diagnosis())
    #expect(diagnosis.code == .missingSymbol)
    #expect(diagnosis.problem == "needs App.thing(), which \(path) \(problem)")
  }

  @Test("A getter that has become asynchronous is rejected for a client that was compiled before", arguments: [false, true])
  func asynchronousGetter(isNew: Bool) throws {
    try addLibrary("int kept(void) { return 2; } int $s3App5thingSivg(void) { return 1; } int $s3App5thingSivgTu = 1;")
    let pointer = isNew ? "extern int $s3App5thingSivgTu; int *thing = &$s3App5thingSivgTu;" : ""
    try addPlugin(
      "int kept(void); int $s3App5thingSivg(void); int use(void) { return kept() + $s3App5thingSivg(); } \(pointer)")
    let diagnosis = try diagnosis()
    #expect(diagnosis?.code == (isNew ? nil : .missingSymbol))
    #expect(diagnosis?.problem == (isNew ? nil : "calls App.thing without await, which \(path) has as asynchronous"))
  }

  @Test("For a name by which an open library is known, the check takes that library, as the loader does")
  func otherName() throws {
    let alias = "alias-" + name
    let (a, b) = (try directory.makeDirectory("a"), try directory.makeDirectory("b"))
    try addLibrary("int kept(void) { return 2; }")
    try FileManager.default.createSymbolicLink(atPath: "\(a)/\(alias)", withDestinationPath: path)
    let source = try directory.write("alias.c", "int kept(void) { return 2; }".utf8)
    try Repo.compile([source], to: "\(b)/\(alias)", options: ["-fvisibility=default", "-Wl,-soname,\(alias)"])
    let user = try directory.write("user.c", "int kept(void); int use(void) { return kept(); }".utf8)
    func compile(_ name: String, _ runPath: String) throws -> String {
      try Repo.compile(
        [user], to: directory.directory.file(name), options: ["-L", b, "-l:" + alias, "-Wl,-rpath,\(runPath)"])
    }
    let (first, second) = (try compile("first.so", a), try compile("second.so", b))
    func libraries() -> [String] { LinkCheck(of: second, directory: directory.path).examinedLibraries }
    #expect(libraries() == ["\(b)/\(alias)"])
    // The loader finds by the second one that the file of the name is open under another one.
    for path in [path, first] { try #require(dlopen(path, RTLD_NOW) != nil) }
    #expect(libraries() == [path])
  }

  @Test("Of several differences, each run reports the same one")
  func order() throws {
    let modules = (1...9).map { "M\($0)" }
    try addLibrary(
      modules.map { "char _swift_FORCE_LOAD_$_\($0)_\(Self.one);" }.joined()
        + modules.map { "int $s2\($0)1fyyF(void) { return 1; }" }.joined())
    try addPlugin(
      modules.map { "int $s2\($0)1fyyF(void);" }.joined() + "int use(void) { return "
        + modules.map { "$s2\($0)1fyyF()" }.joined(separator: " + ") + "; }")
    let diagnosis = try #require(try diagnosis())
    #expect(diagnosis.code == .incompatibleCompiler)
    #expect(diagnosis.problem == "was built against M1 without a mark of its layout, and \(path) is M1 \(Self.one)")
  }

  @Test("For a library of the plugin that was built against another layout, the remedy names both libraries")
  func layoutOfLibrary() throws {
    try addLibrary("char \(Self.force(Self.one)); int kept(void) { return 2; }")
    let lib = directory.directory.file("lib")
    let helper = lib + "/helper-" + name
    try Repo.compile(
      [directory.write("helper.c", Self.client.utf8)], to: helper,
      options: ["-fvisibility=default", "-Wl,-soname,helper-\(name)", "-L", lib, "-l:" + name, "-Wl,-rpath,$ORIGIN"])
    try addPlugin("int use(void); int used(void) { return use(); }", ["-l:helper-\(name)"])
    try addLibrary("char \(Self.force(Self.two)); int kept(void) { return 2; }")
    let diagnosis = try #require(try diagnosis())
    #expect(
      diagnosis.problem == "needs \(helper), which was built against Shop \(Self.one), and \(path) is Shop \(Self.two)")
    #expect(diagnosis.remedy == "rebuild \(helper) against the installed \(path)")
  }

  @Test("Another layout of a library is found before the plugin is opened, with both hashes")
  func layout() throws {
    try addLibrary("char \(Self.force(Self.one)); int kept(void) { return 2; }")
    let plugin = try addPlugin(Self.client)
    try addLibrary("char \(Self.force(Self.two)); int kept(void) { return 2; }")
    let diagnosis = try #require(try diagnosis())
    #expect(diagnosis.code == .incompatibleCompiler)
    #expect(diagnosis.subject == plugin)
    #expect(diagnosis.problem == "was built against Shop \(Self.one), and \(path) is Shop \(Self.two)")
    #expect(diagnosis.remedy == "rebuild the plugin against this version")
  }

  @Test("A library with the same layout loads after it was built again")
  func sameLayout() throws {
    try addLibrary("char \(Self.force(Self.one)); int kept(void) { return 2; }")
    try addPlugin(Self.client)
    try addLibrary("char \(Self.force(Self.one)); int kept(void) { return 3; }")
    #expect(try diagnosis() == nil)
  }

  @Test("A plugin whose version of the symbols has another hash was built against another layout")
  func layoutVersion() throws {
    try addLibrary(
      "char \(Self.force(Self.one)); int kept(void) { return 2; }", versions: "Shop_\(Self.one) { global: *; };")
    try addPlugin("int kept(void); int use(void) { return kept(); }")
    try addLibrary(
      "char \(Self.force(Self.two)); int kept(void) { return 2; }", versions: "Shop_\(Self.two) { global: *; };")
    let diagnosis = try #require(try diagnosis())
    #expect(diagnosis.code == .incompatibleCompiler)
    #expect(diagnosis.problem == "was built against Shop \(Self.one), and \(path) is Shop \(Self.two)")
  }

  @Test("If a library is missing, the loader names it")
  func missingLibrary() throws {
    try addLibrary("int gone(void) { return 1; }", versions: Self.versions)
    try addPlugin("int gone(void); int use(void) { return gone(); }")
    try FileManager.default.removeItem(atPath: path)
    let diagnosis = try #require(try diagnosis())
    #expect(diagnosis.code == .notLoadable)
    #expect(diagnosis.problem.hasPrefix("cannot be loaded: \(name): cannot open shared object file"))
  }
}
