import Foundation
import TestSupport
import Testing

@Suite("Plugins in Swift whose libraries have changed", .timeLimit(.minutes(60)))
struct ChangedLibraryTests {
  private let directory: TemporaryDirectory
  private var library: String { directory.file("lib/libGreetings.so") }
  private var plugin: String { directory.file("plugins/greet.so") }

  init() throws {
    directory = try TemporaryDirectory()
    for name in ["lib", "plugins"] {
      try FileManager.default.createDirectory(atPath: directory.file(name), withIntermediateDirectories: true)
    }
  }

  private static let interface = """
    public protocol Greeter: Sendable {
      func greet(_ name: String) -> String
      func part(from name: String) -> String
    }
    extension Greeter { public func part(from name: String) -> String { "bye " + name } }
    public func loud(text: String) -> String { text + "!" }
    """

  /// The interface with another first requirement, without `loud`.
  private static let changed = """
    public protocol Greeter: Sendable {
      func greet(_ name: String, times: Int) -> String
      func part(from name: String) -> String
    }
    extension Greeter { public func part(from name: String) -> String { "bye " + name } }
    """

  private static let resilient = ["-enable-library-evolution"]

  private static func fixed(_ hash: String) -> [String] {
    ["-module-link-name", "Greetings_\(hash)", "-autolink-force-load"]
  }

  private static let (one, two) = ("0000000000000001", "0000000000000002")

  /// Builds the library of the interface as a new file, as an installer does.
  private func addLibrary(_ code: String, _ options: [String]) throws {
    let source = try directory.write("Greetings.swift", code.utf8)
    try succeed(
      [
        "swiftc", "-O", "-emit-library", "-parse-as-library", "-module-name", "Greetings", "-emit-module", "-emit-module-path",
        directory.file("lib/Greetings.swiftmodule"), "-Xlinker", "-soname", "-Xlinker", "libGreetings.so", "-o",
        library + ".new",
        source,
      ] + options)
    try #require(rename(library + ".new", library) == 0)
    for hash in [Self.one, Self.two] {
      let link = directory.file("lib/libGreetings_\(hash).so")
      if access(link, F_OK) != 0 { try succeed(["ln", "-s", "libGreetings.so", link]) }
    }
  }

  private func addPlugin(_ code: String) throws {
    let source = try directory.write(
      "Greet.swift",
      """
      import Greetings
      import Troupe

      \(code)
      """.utf8)
    try Repo.compile(
      [source], to: plugin,
      options: [
        "-I", directory.file("lib"), "-L", directory.file("lib"), "-lGreetings", "-Xlinker", "-rpath", "-Xlinker",
        "$ORIGIN/../lib",
      ])
  }

  private func addImplementer() throws {
    try addPlugin(
      """
      struct Polite: Greeter { func greet(_ name: String) -> String { loud(text: "hello " + name) } }

      @Plugin(id: "org.example.greet", version: "1.0.0")
      struct Greet: Assembly {
        func register(in registrar: any Registrar) {
          registrar.register((any Greeter).self, id: "0b0e7c70-6f0a-4e53-9a51-5e2e6a3d0d11", name: "polite", tags: "polite") { _ in Polite() }
        }
      }
      """)
  }

  private func troupe(_ words: String...) throws -> Run {
    let environment = [
      "HOME": directory.path, "XDG_STATE_HOME": directory.file("state"), "XDG_CACHE_HOME": directory.file("cache"),
    ]
    return try run(unset(except: environment.keys) + [Repo.troupe] + words, environment: environment)
  }

  private func list() throws -> String { try troupe("list", "--plugins", directory.file("plugins"), "--json").text }

  @Test(
    "Every command names the missing declarations and the library, whether or not the plugin was probed before",
    arguments: [false, true])
  func missingDeclarations(isProbed: Bool) throws {
    try addLibrary(Self.interface, Self.resilient)
    try addImplementer()
    if isProbed {
      let result = try troupe("inspect", plugin)
      #expect(result.status == 0, "\(result.text)")
      #expect(result.text.contains("polite"), "\(result.text)")
    }
    try addLibrary(Self.changed, Self.resilient)
    let problem = "needs Greetings.Greeter.greet(_:), Greetings.loud(text:), which \(library) does not have"
    struct Listed: Decodable { let state, code, reason: String }
    let listed = try JSONDecoder().decode([Listed].self, from: Data(try list().utf8))
    #expect(listed.map(\.state) == ["rejected"])
    #expect(listed.map(\.code) == ["missingSymbol"])
    #expect(listed.map(\.reason) == [problem + "; rebuild the plugin against this version"])
    let installation = try troupe("doctor", "--plugins", directory.file("plugins"))
    #expect(installation.status == 69)
    #expect(installation.text.contains("\ncause: \(plugin): \(problem)\n"), "\(installation.text)")
    let call = try troupe("resolve", "--tag", "polite", "--plugins", directory.file("plugins"))
    #expect(call.status == 69)
    #expect(call.errors.contains("\(plugin): \(problem)"), "\(call.errors)")
    let doctor = try troupe("doctor", plugin)
    #expect(doctor.status == 69)
    #expect(doctor.text.contains("failed   libraries      \(problem)"), "\(doctor.text)")
    let fix = "rebuild it with its own build, against \(library); then run troupe doctor \(plugin)"
    #expect(doctor.text.hasSuffix("\nfix:   \(fix)\n"), "\(doctor.text)")
    let validate = try troupe("validate", plugin)
    #expect(validate.text.contains("failed   file-undefined-symbols: \(problem)"), "\(validate.text)")
    // The older version is back.
    try addLibrary(Self.interface, Self.resilient)
    #expect(try list().contains("\"admitted\""))
  }

  @Test("A copy of an installation with another library is rejected, although its plugin was probed with the first library")
  func copiedInstallation() throws {
    try addLibrary(Self.interface, Self.resilient)
    try addImplementer()
    #expect(try troupe("inspect", plugin).status == 0)
    let copy = try TemporaryDirectory()
    try succeed(["cp", "-r", directory.file("lib"), directory.file("plugins"), copy.path])
    try addLibrary(Self.changed, Self.resilient)
    try succeed(["cp", library, copy.file("lib/libGreetings.so")])
    try addLibrary(Self.interface, Self.resilient)
    #expect(try troupe("inspect", plugin).status == 0)
    let problem =
      "\(copy.file("plugins/greet.so")): needs Greetings.Greeter.greet(_:), Greetings.loud(text:), "
      + "which \(copy.file("lib/libGreetings.so")) does not have"
    // The second start finds what the first one has stored.
    for _ in 1...2 {
      let result = try troupe("resolve", "--tag", "polite", "--plugins", copy.file("plugins"))
      #expect(result.status == 69)
      #expect(result.errors.contains(problem), "\(result.errors)")
    }
    let doctor = try troupe("doctor", copy.file("plugins/greet.so"))
    #expect(doctor.status == 69, "\(doctor.text)")
    #expect(try list().contains("\"admitted\""))
  }

  @Test("A changed layout is found in a plugin that only calls the library, and the same layout loads")
  func layout() throws {
    try addLibrary(Self.interface, Self.fixed(Self.one))
    try addPlugin(
      """
      @Plugin(id: "org.example.greet", version: "1.0.0")
      struct Greet: Assembly {
        func register(in registrar: any Registrar) {
          registrar.register(String.self, id: "0b0e7c70-6f0a-4e53-9a51-5e2e6a3d0d12", name: "call", tags: "call") { container in
            let greeter: any Greeter = try container.resolve()
            return greeter.part(from: "you")
          }
        }
      }
      """)
    #expect(try troupe("inspect", plugin).status == 0)
    try addLibrary("// A comment.\n" + Self.interface, Self.fixed(Self.one))
    #expect(try troupe("inspect", plugin).status == 0)
    try addLibrary(Self.changed, Self.fixed(Self.two))
    let problem = "was built against Greetings \(Self.one), and \(library) is Greetings \(Self.two)"
    #expect(try list().contains(problem))
    let result = try troupe("inspect", plugin)
    #expect(result.text.contains(problem), "\(result.text)")
    let resilient = "was built against Greetings \(Self.one), and \(library) is built with library evolution"
    try addLibrary(Self.interface, Self.resilient)
    #expect(try list().contains(resilient))
    try addLibrary(Self.interface, [])
    #expect(try list().contains("was built against Greetings \(Self.one), and \(library) has no mark of its layout"))
  }

  @Test("A plugin that was built before the library had a mark was built against another layout")
  func withoutMark() throws {
    try addLibrary(Self.interface, [])
    try addImplementer()
    try addLibrary(Self.interface, Self.fixed(Self.one))
    let problem = "was built against Greetings without a mark of its layout, and \(library) is Greetings \(Self.one)"
    #expect(try list().contains(problem))
  }

  @Test(
    "A program that was built against another layout than the library rejects the plugins that need the library",
    arguments: ["-pie", "-no-pie"])
  func program(option: String) throws {
    try addLibrary(Self.interface, Self.fixed(Self.one))
    let source = try directory.write(
      "main.c",
      """
      #include "\(Repo.fixture("host-api/check.h"))"

      extern __attribute__((weak)) char _swift_FORCE_LOAD_$_Greetings_\(Self.one);
      char *mark = &_swift_FORCE_LOAD_$_Greetings_\(Self.one);

      int main(int argc, char **argv) {
        troupe_host_free(start_host((size_t)argc - 1, (const char *const *)argv + 1));
        return 0;
      }
      """.utf8)
    let program = directory.file("program")
    try succeed([
      "cc", option, "-I", Repo.headers, source, "-o", program, "-L", Repo.products, "-lTroupe", "-L", directory.file("lib"),
      "-Wl,--no-as-needed",
      "-lGreetings", "-Wl,-rpath,\(Repo.products):\(directory.file("lib"))", "-Wl,--allow-shlib-undefined",
    ])
    try addLibrary(Self.changed, Self.fixed(Self.two))
    try addPlugin(
      """
      @Plugin(id: "org.example.greet", version: "1.0.0")
      struct Greet: Assembly {
        func register(in registrar: any Registrar) {
          registrar.register(String.self, id: "0b0e7c70-6f0a-4e53-9a51-5e2e6a3d0d13", name: "call", tags: "call") { container in
            let greeter: any Greeter = try container.resolve()
            return greeter.part(from: "you")
          }
        }
      }
      """)
    #expect(try list().contains("\"admitted\""))
    let environment = [
      "HOME": directory.path, "XDG_STATE_HOME": directory.file("state"), "XDG_CACHE_HOME": directory.file("cache"),
    ]
    let result = try run(unset(except: environment.keys) + [program, directory.file("plugins")], environment: environment)
    #expect(
      result.errors.contains(
        "needs \(library), which is Greetings \(Self.two), and \(program) was built against Greetings \(Self.one); rebuild \(program) against the installed \(library)"
      ),
      "\(result.errors)")
  }

  @Test("A library with neither evolution nor a mark is loaded, with one warning that names it")
  func neither() throws {
    try addLibrary(Self.interface, [])
    try addImplementer()
    let warning = "needs \(library), a Swift library without library evolution and without a mark of its layout"
    let first = try troupe("inspect", plugin)
    #expect(first.status == 0)
    #expect(first.errors.ranges(of: "troupe: warning: org.example.greet: \(warning)").count == 1, "\(first.errors)")
    #expect(try list().contains(warning))
    for options in [Self.resilient, Self.fixed(Self.one)] {
      try addLibrary(Self.interface, options)
      try addImplementer()
      let other = try troupe("inspect", plugin)
      #expect(other.status == 0)
      #expect(!(other.text + other.errors).contains(warning))
    }
  }
}
