import Foundation
import TestSupport
import Testing

/// What common toolchains and runtimes do while a library is loaded. The host warns of a change of the process that leaves the program
/// as it works, and refuses no healthy plugin.
@Suite("Changes of the process without harm", .timeLimit(.minutes(60)))
struct LoadingWarningsTests {
  private let directory: TemporaryDirectory
  private let home: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
    home = try TemporaryDirectory()
  }

  /// A plugin of a toolchain or a runtime, with the warnings that it causes.
  struct Runtime: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var compiler = ["cc"]
    var options: [String] = []
    /// Declarations and, in the function `start`, code that runs while the library is loaded.
    var code = ""
    var warnings: [String] = []
    /// Environment variables of the host.
    var variables: [String: String] = [:]

    init(
      _ name: String, compiler: [String] = ["cc"], _ options: String..., code: String = "", warnings: [String] = [],
      variables: [String: String] = [:]
    ) {
      (testDescription, self.compiler, self.options, self.code) = (name, compiler, options, code)
      (self.warnings, self.variables) = (warnings, variables)
    }

    /// Code of a constructor, with the headers that it needs.
    static func constructor(_ headers: String..., code: String) -> String {
      headers.map { "#include <\($0)>\n" }.joined() + "__attribute__((constructor)) static void start(void) { \(code) }\n"
    }
  }

  private static let calculating = "changes how floating-point numbers are calculated, as linking with -ffast-math does"

  /// Whether the compiler links a constructor for -ffast-math, as GCC before 13 does.
  private static let linksFastMath =
    (try? run(["sh", "-c", "cc -ffast-math -shared -x c /dev/null -o /dev/null -v 2>&1 | grep -q crtfastmath"]).status) == 0

  private static let runtimes: [Runtime] = [
    Runtime(
      "coverage of Clang", compiler: ["clang"], "-fprofile-instr-generate", "-fcoverage-mapping",
      warnings: ["sets the environment variable __LLVM_PROFILE_RT_INIT_ONCE, while another thread may read the environment"]),
    Runtime("coverage of GCC", "--coverage"),
    Runtime("undefined behavior sanitizer of GCC", "-fsanitize=undefined"),
    Runtime(
      "OpenMP", "-fopenmp",
      code: Runtime.constructor(
        code: "int sum = 0;\n#pragma omp parallel for reduction(+:sum)\nfor (int i = 0; i < 9; i++) sum += i;")),
    Runtime("stack protector and fortified functions", "-fstack-protector-all", "-D_FORTIFY_SOURCE=2"),
    // Its static TLS does not fit into a process that has started without it, which the host says.
    Runtime(
      "jemalloc", "-Wl,--no-as-needed", "-l:libjemalloc.so.2",
      variables: ["GLIBC_TUNABLES": "glibc.rtld.optional_static_tls=8192"]),
    Runtime(
      "setlocale", code: Runtime.constructor("locale.h", code: #"setlocale(LC_CTYPE, "C.UTF-8");"#),
      warnings: ["sets the locale: LC_CTYPE to C.UTF-8"]),
    Runtime(
      "setenv",
      code: Runtime.constructor(
        "stdlib.h", code: #"setenv("QT_PLUGIN_PATH", "/x", 1); setenv("A_B", "", 1); setenv("HOME", "/", 1);"#),
      warnings: ["sets the environment variables A_B, HOME, QT_PLUGIN_PATH, while another thread may read the environment"]),
    Runtime(
      "putenv of a static text",
      code: Runtime.constructor("stdlib.h", code: #"static char text[] = "OPENBLAS_MAIN_FREE=1"; putenv(text);"#),
      warnings: ["sets the environment variable OPENBLAS_MAIN_FREE, while another thread may read the environment"]),
    Runtime(
      "unsetenv", code: Runtime.constructor("stdlib.h", code: #"unsetenv("DESKTOP_STARTUP_ID");"#),
      warnings: ["removes the environment variable DESKTOP_STARTUP_ID, while another thread may read the environment"]),
    Runtime("-ffast-math", "-ffast-math", warnings: linksFastMath ? [calculating] : []),
    Runtime("rounding", code: Runtime.constructor("fenv.h", code: "fesetround(FE_UPWARD);"), warnings: [calculating]),
    Runtime(
      "address space of a heap, as the JVM, V8 and CUDA reserve it",
      code: Runtime.constructor(
        "stdlib.h", "sys/mman.h",
        code: """
          int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
          if (mmap(NULL, (size_t)64 << 30, PROT_NONE, flags, -1, 0) == MAP_FAILED) abort();
          """)),
  ]

  private static func isAvailable(_ runtime: Runtime) -> Bool {
    guard runtime.testDescription == "jemalloc" else { return true }
    return (try? run(["sh", "-c", "ldconfig -p | grep -q libjemalloc.so.2"]).status) == 0
  }

  private func command(_ words: String...) throws -> Run { try command(words) }

  private func command(_ words: [String], variables: [String: String] = [:]) throws -> Run {
    let variables = variables.merging([
      "XDG_CACHE_HOME": home.file("cache"), "XDG_STATE_HOME": home.file("state"), "DESKTOP_STARTUP_ID": "x",
      "LLVM_PROFILE_FILE": home.file("%p.profraw"), "GCOV_PREFIX": home.path,
    ]) { own, _ in own }
    return try run(
      unset(except: variables.keys) + [Repo.troupe] + words.prefix(1) + ["--plugins", directory.path] + words.dropFirst(),
      environment: variables)
  }

  private func build(_ runtime: Runtime) throws {
    let source = try home.write(
      "plugin.c",
      """
      #define _GNU_SOURCE
      #include <troupe.h>
      \(runtime.code)
      TROUPE_PLUGIN("org.example.runtime", "Runtime", "1.0.0")
      static int32_t answer(int32_t number) { return number + 1; }
      static const troupe_factory factory = {
        .struct_size = sizeof factory, .uuid = "6a5fb2b8-3b73-4f5c-9d6a-000000000001", .name = "answer",
        .signature = "int32_t (int32_t number)", .function = (troupe_function)answer,
      };
      TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) { return registrar->register_factory(registrar, &factory); }
      """.utf8)
    try succeed(
      runtime.compiler + [
        "-std=gnu11", "-O1", "-fPIC", "-shared", "-I", Repo.headers, "-o", directory.file("plugin.so"), source,
      ]
        + runtime.options + ["-lm"], directory: home.path)
  }

  @Test("A plugin of a common runtime works, and its warnings are in the log once and in each report", arguments: runtimes)
  func works(runtime: Runtime) throws {
    guard Self.isAvailable(runtime) else { return }
    try build(runtime)
    func command(_ words: String...) throws -> Run { try self.command(words, variables: runtime.variables) }
    for attempt in 1...2 {
      let call = try command("call", "answer", "41")
      #expect(call.status == 0 && call.text == "42\n", "\(call.errors)")
      // The second command knows the result of the first one's probe.
      let logged = runtime.warnings.filter { call.errors.contains("org.example.runtime: \($0), when it is loaded") }
      #expect(logged == (attempt == 1 ? runtime.warnings : []), "\(call.errors)")
    }
    let listed = try #require(try json([Warned].self, command("list", "--json")).first)
    #expect(listed.state == "admitted" && listed.warnings == runtime.warnings, "\(listed)")
    let text = try command("list").text
    for warning in runtime.warnings { #expect(text.contains("warning: ") && text.contains(warning), "\(text)") }
    let inspected = try command("inspect", "org.example.runtime")
    #expect(inspected.status == 0, "\(inspected.errors)")
    for warning in runtime.warnings { #expect(inspected.text.contains("\nwarning   \(warning)\n"), "\(inspected.text)") }
    let doctor = try command("doctor", "org.example.runtime")
    #expect(doctor.status == 0 && doctor.text.contains("nothing keeps org.example.runtime from being used"), "\(doctor.text)")
    for warning in runtime.warnings { #expect(doctor.text.contains(warning), "\(doctor.text)") }
    let validated = try command(
      "validate", directory.file("plugin.so"), "--level", "2", "--only", "^load-(env|loc|float|lim|sch)")
    #expect(validated.status == 0, "\(validated.text)")
    for warning in runtime.warnings { #expect(validated.text.contains(warning), "\(validated.text)") }
    #expect(try command("quarantine", "list").text == "")
  }

  private struct Warned: Decodable {
    let state: String
    let warnings: [String]
  }

  @Test("A plugin in Swift that is built for coverage works")
  func swiftCoverage() throws {
    let source = try home.write(
      "Plugin.swift",
      """
      import Troupe

      @Plugin(id: "org.example.covered", version: "1.0.0")
      struct Covered: Assembly {
        func register(in registrar: any Registrar) {
          registrar.register(String.self, id: "6a5fb2b8-3b73-4f5c-9d6a-000000000002", name: "covered", tags: "covered") { _ in "yes" }
        }
      }
      """.utf8)
    try Repo.compile([source], to: directory.file("covered.so"), options: ["-profile-generate", "-profile-coverage-mapping"])
    let resolved = try command("resolve", "--tag", "covered")
    #expect(resolved.status == 0 && resolved.text.contains("yes"), "\(resolved.errors)")
    #expect(resolved.errors.contains("__LLVM_PROFILE_RT_INIT_ONCE"), "\(resolved.errors)")
  }

  @Test("A plugin that clears the environment goes into quarantine")
  func cleared() throws {
    try build(Runtime("clearenv", code: Runtime.constructor("stdlib.h", code: "clearenv();")))
    let call = try command("call", "answer", "41")
    #expect(call.status == 69 && call.errors.contains("it clears the environment"), "\(call.errors)")
  }

  @Test("A plugin does not change how the program calculates")
  func calculating() throws {
    // The probe and the host print the rounding mode after the entry of the first plugin, in the entry of the second.
    for (name, code) in [
      ("a", "fesetround(FE_UPWARD); feenableexcept(FE_DIVBYZERO); (void)host;"),
      (
        "b",
        #"host->log(host, TROUPE_LOG_WARNING, fegetround() == FE_TONEAREST && !fegetexcept() ? "as before" : "changed");"#
      ),
    ] {
      let source = try home.write(
        "\(name).c",
        """
        #define _GNU_SOURCE
        #include <fenv.h>
        #include <troupe.h>
        TROUPE_PLUGIN("org.example.\(name)", "Plugin", "1.0.0")
        TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
          const troupe_host *host = registrar->host;
          \(code)
          return TROUPE_OK;
        }
        """.utf8)
      try Repo.compile([source], to: directory.file("\(name).so"), options: ["-lm"])
    }
    let result = try command("resolve", "--tag", "none", "--eager")
    #expect(result.errors.contains("org.example.b: as before"), "\(result.errors)")
    #expect(!result.errors.contains("org.example.b: changed"), "\(result.errors)")
  }
}
