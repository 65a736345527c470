import Foundation
import TestSupport
import Testing

/// `TroupeHostTests.LinkCheckTests` has the comparisons that do not depend on how the program was built and started.
@Suite("The libraries of a plugin, compared by programs in C", .timeLimit(.minutes(60)))
struct LinkedProgramTests {
  private let directory: TemporaryDirectory
  private static let (one, two) = ("0000000000000001", "0000000000000002")

  init() throws {
    directory = try TemporaryDirectory()
    for name in ["lib", "other", "plugins"] {
      try FileManager.default.createDirectory(atPath: directory.file(name), withIntermediateDirectories: true)
    }
  }

  private func addLibrary(_ code: String, to subdirectory: String = "lib") throws {
    let path = directory.file("\(subdirectory)/libdep.so.1")
    // With a version, a missing symbol has a known owner.
    let map = try directory.write("library.map", "DEP_1 { global: *; };".utf8)
    try Repo.compile(
      [directory.write("library.c", code.utf8)], to: path + ".new",
      options: ["-fvisibility=default", "-Wl,-soname,libdep.so.1", "-Wl,--version-script,\(map)"])
    try #require(rename(path + ".new", path) == 0)
  }

  private func addPlugin(_ code: String, _ options: [String]) throws {
    try Repo.compile(
      [Repo.fixture("healthy/empty.c")], to: directory.file("plugins/plugin.so"),
      options: ["-DCODE=\(code)", "-L", directory.file("lib"), "-l:libdep.so.1"] + options)
  }

  /// Compiles a program that shows the state of the plugin, and the reason for it.
  private func program(_ start: String = "", _ options: [String] = []) throws -> String {
    let source = try directory.write(
      "main.c",
      """
      #define _GNU_SOURCE
      #include "\(Repo.fixture("host-api/check.h"))"

      extern char **environ;

      int main(int argc, char **argv) {
        \(start)
        troupe_host_t *host = start_host(1, (const char *const *)argv + 1);
        troupe_plugin_list *list = troupe_host_plugins(host);
        const troupe_plugin *only = plugin(list, "org.example.empty");
        printf("%s %s\\n", only->state, only->fault ? troupe_error_message(only->fault) : "");
        troupe_plugin_list_free(list);
        troupe_host_free(host);
        return argc != 2;
      }
      """.utf8)
    let program = directory.file("program")
    try succeed(
      ["cc", "-I", Repo.headers, source, "-o", program, "-L", Repo.products, "-lTroupe", "-Wl,-rpath,\(Repo.products)"]
        + options)
    return program
  }

  /// Runs the program; with a Python, in that.
  private func output(of program: String, _ environment: [String: String] = [:], python: String? = nil) throws -> String {
    let variables = [
      "HOME": directory.path, "XDG_STATE_HOME": directory.file("state"), "XDG_CACHE_HOME": directory.file("cache"),
    ].merging(environment) { $1 }
    let script = """
      import ctypes, sys
      arguments = (ctypes.c_char_p * 3)(b"", sys.argv[2].encode())
      sys.exit(ctypes.CDLL(sys.argv[1]).main(2, arguments))
      """
    let result = try run(
      unset(except: variables.keys) + (python.map { [$0, "-c", script] } ?? []) + [program, directory.file("plugins")],
      environment: variables)
    #expect(result.status == 0, "\(result.errors)")
    return result.text
  }

  /// That of Debian is at fixed addresses.
  private static let python = "/usr/bin/python3"

  @Test(
    "A program at fixed addresses rejects the plugins that another program rejects",
    arguments: [["-pie"], ["-no-pie"]] + (access(python, X_OK) == 0 ? [["-shared", "-fPIC"]] : []))
  func fixedProgram(options: [String]) throws {
    let mark = "_swift_FORCE_LOAD_$_Shop_"
    try addLibrary("char \(mark)\(Self.one); int kept(void) { return 2; }")
    // Without a run path, the check has to know whether the program has one for it.
    let client = """
      extern __attribute__((weak)) char \(mark)\(Self.one); char *mark = &\(mark)\(Self.one); int kept(void); int use(void) { return kept(); }
      """
    try addPlugin(client, [])
    let program = try program("", options)
    let environment = ["LD_LIBRARY_PATH": directory.file("lib")]
    let python = options[0] == "-shared" ? Self.python : nil
    #expect(try output(of: program, environment, python: python).hasPrefix("active"))
    try addLibrary("char \(mark)\(Self.two); int kept(void) { return 2; }")
    let text = try output(of: program, environment, python: python)
    #expect(
      text.contains("was built against Shop \(Self.one), and \(directory.file("lib/libdep.so.1")) is Shop \(Self.two)"),
      "\(text)")
  }

  /// What a program does to its environment in front of its first host.
  private static let changes = [
    "none": "",
    "later value": "setenv(\"LD_LIBRARY_PATH\", getenv(\"LATER\"), 1);",
    "removed": "unsetenv(\"LD_LIBRARY_PATH\");",
    "title": title,
  ]

  /// As setproctitle(3) does: it copies the environment and writes the title over the first one.
  private static let title = """
    char *value = strdup(getenv("LD_LIBRARY_PATH"));
    char **last = environ;
    while (last[1]) last++;
    char *end = *last + strlen(*last);
    memset(environ[0], ' ', (size_t)(end - environ[0]));
    clearenv();
    setenv("LD_LIBRARY_PATH", value, 1);
    """

  @Test(
    "An empty entry of LD_LIBRARY_PATH, which is the present directory, does not stop the check",
    arguments: ["%:", ":%", "%::/"])
  func emptyEntry(path: String) throws {
    try addLibrary("int kept(void) { return 2; } int gone(void) { return 1; }")
    try addPlugin("int kept(void); int gone(void); int use(void) { return kept() + gone(); }", [])
    try addLibrary("int kept(void) { return 2; }")
    let text = try output(of: program(), ["LD_LIBRARY_PATH": path.replacing("%", with: directory.file("lib"))])
    #expect(text.contains("needs gone, which \(directory.file("lib/libdep.so.1")) does not have"), "\(text)")
  }

  @Test(
    "The check finds the libraries in LD_LIBRARY_PATH as it was at the start of the program",
    arguments: changes.keys.sorted(), [false, true])
  func environment(change: String, isFirst: Bool) throws {
    let complete = "int kept(void) { return 2; } int gone(void) { return 1; }"
    try addLibrary(complete)
    try addPlugin("int kept(void); int gone(void); int use(void) { return kept() + gone(); }", [])
    try addLibrary("int kept(void) { return 2; }")
    try addLibrary(complete, to: "other")
    let (start, later) = isFirst ? ("lib", "other") : ("other", "lib")
    let text = try output(
      of: program(Self.changes[change] ?? ""),
      ["LD_LIBRARY_PATH": directory.file(start), "LATER": directory.file(later)])
    if isFirst {
      #expect(text.contains("needs gone, which \(directory.file("lib/libdep.so.1")) does not have"), "\(text)")
    } else {
      #expect(text.hasPrefix("active"), "\(text)")
    }
  }
}
