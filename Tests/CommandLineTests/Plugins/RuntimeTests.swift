import Foundation
import Synchronization
import TestSupport
import Testing

/// Libraries of other languages, each with its runtime, in the process of a program and in a worker.
///
/// Each runtime is a library of `Tests/Fixtures/runtimes` with one function. `use.c` there calls it as a long-lived program in C
/// does. A runtime that takes signals from the process is refused there with a remedy, and works in a worker.
@Suite("Runtimes of other languages", .timeLimit(.minutes(60)))
struct RuntimeTests {
  enum Place: String, CaseIterable { case process, worker }

  private static let fixtures = Repo.fixture("runtimes")

  /// Whether the compiler of a runtime is installed. `scripts/install-dependencies runtimes` installs most.
  private static func isInstalled(_ runtime: String) -> Bool {
    let line = #"command -v "$("$0" --compiler "$1")""#
    return (try? run(["sh", "-c", line, fixtures + "/build", runtime]))?.status == 0
  }

  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  /// The built libraries, by runtime: the compiler of Go takes some seconds, and several tests use its library.
  private static let libraries = Mutex<[String: TemporaryDirectory]>([:])

  /// Builds the library of a runtime and the file that adopts it, and returns a directory with copies.
  private func build(_ runtime: String) throws -> String {
    let library = try Self.libraries.withLock { libraries in
      if let library = libraries[runtime] { return library.path }
      let library = try TemporaryDirectory.untilExit()
      try succeed([Self.fixtures + "/build", runtime, library.path])
      libraries[runtime] = library
      return library.path
    }
    let plugins = directory.file("plugins")
    try succeed(["cp", "-r", library, plugins])
    return plugins
  }

  /// The variables without which the command and programs would use the user's own caches and quarantine.
  private var environment: [String: String] {
    ["XDG_CACHE_HOME": directory.file("cache"), "XDG_STATE_HOME": directory.file("state"), "SWIFT_BACKTRACE": "enable=no"]
  }

  private func troupe(_ words: String...) throws -> Run {
    try run(unset(except: environment.keys) + [Repo.troupe] + words, environment: environment)
  }

  /// Uses a library through troupe-host.h, in the process of a program or in a worker.
  private func use(_ place: Place, _ plugins: String, _ runtime: String) throws -> Run {
    let program = directory.file("use")
    try succeed([
      "cc", "-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror", "-I", Repo.headers, Self.fixtures + "/use.c", "-L",
      Repo.products,
      "-lTroupe", "-Wl,-rpath," + Repo.products, "-pthread", "-o", program,
    ])
    return try run(
      unset(except: environment.keys) + ["timeout", "120", program, place.rawValue, plugins, runtime], environment: environment)
  }

  /// Expects that a program can use a library, and so can the command.
  private func expectWork(_ runtime: String, _ place: Place, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let plugins = try build(runtime)
    let isolation = place == .worker ? ["--isolate", "all"] : []
    let call = try run(
      unset(except: environment.keys) + [Repo.troupe, "call", "sum", "100", "--plugins", plugins] + isolation,
      environment: environment)
    #expect(call.text == "5050\n" && call.status == 0, "\(call.errors)", sourceLocation: sourceLocation)
    let result = try use(place, plugins, runtime)
    #expect(result.text == "done\n" && result.status == 0, "\(result.status) \(result.errors)", sourceLocation: sourceLocation)
  }

  /// Expects that a library is refused in a process with a remedy, and works in a worker even then.
  private func expectRefusal(
    _ runtime: String, for signals: String..., sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let plugins = try build(runtime)
    let refused = try use(.process, plugins, runtime)
    #expect(refused.status == 3, "\(refused.text)\(refused.errors)", sourceLocation: sourceLocation)
    #expect(refused.text.hasPrefix("meddled: "), "\(refused.text)", sourceLocation: sourceLocation)
    for part in signals.map({ "the handler of \($0)" }) + ["--isolate org.example.\(runtime)", "isolations"] {
      #expect(refused.text.contains(part), "\(refused.text)", sourceLocation: sourceLocation)
    }
    #expect(try troupe("quarantine", "list").text.contains("org.example.\(runtime)"), sourceLocation: sourceLocation)
    try expectWork(runtime, .worker, sourceLocation: sourceLocation)
  }

  @Test(
    "OpenMP in C works, whose threads live on after a call", .enabled(if: isInstalled("openmp"), "gcc is not installed"),
    arguments: Place.allCases)
  func openMP(_ place: Place) throws { try expectWork("openmp", place) }

  @Test("Fortran works", .enabled(if: isInstalled("fortran"), "gfortran is not installed"), arguments: Place.allCases)
  func fortran(_ place: Place) throws { try expectWork("fortran", place) }

  @Test(
    "Rust works, with a value of each thread that is dropped after the host is freed",
    .enabled(if: isInstalled("rust"), "rustc is not installed"), arguments: Place.allCases)
  func rust(_ place: Place) throws { try expectWork("rust", place) }

  @Test(
    "Go works, whose handlers of signals forward the faults of others", .enabled(if: isInstalled("go"), "go is not installed"),
    arguments: Place.allCases)
  func go(_ place: Place) throws { try expectWork("go", place) }

  @Test(
    "Zig works", .enabled(if: isInstalled("zig"), "zig is not installed; Debian 12 has no package"), arguments: Place.allCases)
  func zig(_ place: Place) throws { try expectWork("zig", place) }

  @Test("D takes two signals for its collector, and works in a worker", .enabled(if: isInstalled("d"), "gdc is not installed"))
  func d() throws { try expectRefusal("d", for: "SIGUSR1", "SIGUSR2") }

  @Test("Ada makes exceptions of faults, and works in a worker", .enabled(if: isInstalled("ada"), "gnatbind is not installed"))
  func ada() throws { try expectRefusal("ada", for: "SIGILL", "SIGSEGV") }

  @Test(
    "Nim ends the process at a fault or SIGINT, and works in a worker", .enabled(if: isInstalled("nim"), "nim is not installed")
  )
  func nim() throws { try expectRefusal("nim", for: "SIGINT", "SIGSEGV") }

  @Test("OCaml keeps faults to itself, and works in a worker", .enabled(if: isInstalled("ocaml"), "ocamlopt is not installed"))
  func ocaml() throws { try expectRefusal("ocaml", for: "SIGSEGV") }

  @Test(
    "A crash in another plugin is reported although Go has handlers of its own",
    .enabled(if: isInstalled("go"), "go is not installed"), arguments: ["segfault", "overflow"])
  func crashBesideGo(_ function: String) throws {
    let plugins = try build("go")
    try Repo.compile([Repo.fixture("healthy/crashing.c")], to: plugins + "/crashing.so")
    // Both plugins are loaded before the call.
    let arguments = function == "overflow" ? ["1"] : []
    let result = try run(
      unset(except: environment.keys) + [Repo.troupe, "call", "--eager", "--plugins", plugins, function] + arguments,
      environment: environment)
    #expect(result.status == -SIGSEGV)
    #expect(
      result.errors.contains("troupe: crashed with SIGSEGV in the function \(function) of org.example.crashing, at "),
      "\(result.errors)")
  }

  @Test(
    "Libraries of the system load in a worker as in the process",
    .enabled(if: (try? run(["dpkg-query", "--version"]))?.status == 0, "the packages of Debian are not there"))
  func libraries() throws {
    let packages = [
      "libbz2-1.0", "libcurl4", "libexpat1", "liblzma5", "libpcre2-8-0", "libpq5", "libsqlite3-0", "libxml2", "zlib1g",
    ]
    let result = try run([Repo.root + "/scripts/check-libraries", "--troupe", Repo.troupe] + packages)
    #expect(result.status == 0, "\(result.text)\(result.errors)")
  }
}
