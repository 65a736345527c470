import Foundation
import TestSupport
import Testing

@testable import TroupeHost

@Suite("Failures of the loader")
struct LoaderErrorTests {
  private let directory: PluginDirectory

  init() throws {
    directory = try PluginDirectory()
  }

  /// Compiles a plugin that registers nothing. Returns the fault with which a host rejects it.
  private func diagnosis(_ code: String, _ options: [String] = []) throws -> Diagnosis {
    let path = try plugin(code, options)
    let host = PluginHost(directory.options())
    try host.load()
    let diagnosis = try #require(host.diagnosis(path), "\(host.plugins)")
    #expect(diagnosis.code == .notLoadable)
    return diagnosis
  }

  private func plugin(_ code: String, _ options: [String] = []) throws -> String {
    try directory.add(
      "healthy/empty.c", as: "plugin", ["ID": #""org.example.unloadable""#, "CODE": code], options: options)
  }

  /// Compiles a library beside the plugin. Returns the options that link it.
  private func library(_ code: String, _ options: [String] = []) throws -> [String] {
    let name = "libneeded-\(UUID().uuidString.prefix(8)).so.1"
    let source = try directory.write("library.c", code.utf8)
    try Repo.compile(
      [source], to: directory.directory.file(name), options: ["-fvisibility=default", "-Wl,-soname,\(name)"] + options)
    return ["-L", directory.path, "-l:" + name, "-Wl,-rpath,\(directory.path)", "-Wl,--no-as-needed"]
  }

  @Test("A missing library is to be installed, or its directory to be linked")
  func missingLibrary() throws {
    let options = try library("int f(void) { return 1; }")
    let name = String(options[2].dropFirst("-l:".count))
    let path = try plugin("int f(void); int g(void) { return f(); }", options)
    try FileManager.default.removeItem(atPath: directory.directory.file(name))
    let host = directory.host()
    try host.load()
    let diagnosis = try #require(host.diagnosis(path))
    #expect(diagnosis.problem == "cannot be loaded: \(name): cannot open shared object file: No such file or directory")
    #expect(diagnosis.remedy == "install \(name), or rebuild what needs it with -rpath for its directory")
  }

  @Test("A missing symbol is named with the library that needs it")
  func missingSymbol() throws {
    let diagnosis = try diagnosis("int nowhere(void); int g(void) { return nowhere(); }")
    let path = directory.directory.file("plugin.so")
    #expect(diagnosis.problem == "cannot be loaded: \(path): undefined symbol: nowhere")
    #expect(
      diagnosis.remedy
        == "rebuild \(path) with -l and -rpath for the library that defines nowhere, or install a version of that library with it"
    )
  }

  @Test("A missing version of a symbol asks for a library that has it")
  func missingVersion() throws {
    let map = try directory.write("new.map", "NEEDED_2 { global: f; };".utf8)
    let options = try library("int f(void) { return 1; }", ["-Wl,--version-script,\(map)"])
    let path = try plugin("int f(void); int g(void) { return f(); }", options)
    let name = String(options[2].dropFirst("-l:".count))
    let old = try directory.write("old.map", "NEEDED_1 { global: f; };".utf8)
    try Repo.compile(
      [directory.directory.file("library.c")], to: directory.directory.file(name),
      options: ["-fvisibility=default", "-Wl,-soname,\(name)", "-Wl,--version-script,\(old)"])
    let host = directory.host()
    try host.load()
    let diagnosis = try #require(host.diagnosis(path))
    #expect(diagnosis.code == .missingSymbol)
    #expect(diagnosis.problem == "needs version NEEDED_2, which \(directory.directory.file(name)) does not have")
    #expect(
      diagnosis.remedy
        == "install a version of \(directory.directory.file(name)) that has NEEDED_2, or rebuild the plugin against this version"
    )
  }

  @Test("Static memory of threads that is exhausted gives the tunable with which the plugin loads", .inProcess)
  func threadLocalMemory() throws {
    let block = "__thread char block[300 << 10] __attribute__((tls_model(\"initial-exec\"))); char *get(void) { return block; }"
    let diagnosis = try diagnosis(block)
    #expect(diagnosis.problem.hasSuffix("cannot allocate memory in static TLS block"))
    let path = directory.directory.file("plugin.so")
    #expect(
      diagnosis.remedy
        == "rebuild \(path) without -ftls-model=initial-exec, or start the program with GLIBC_TUNABLES=glibc.rtld.optional_static_tls=315392"
    )
  }

  @Test("An address space that is too small is named with its limit", .inProcess)
  func addressSpace() async throws {
    await #expect(processExitsWith: .success) {
      let test = try LoaderErrorTests()
      let path = try test.plugin("static char big[1 << 30]; char *get(void) { return big; }")
      let host = test.directory.host()
      host.discover()
      let pages = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ").first
      let size = try #require(pages.flatMap { UInt64($0) }) * UInt64(getpagesize()) + 256 << 20
      var limits = rlimit(rlim_cur: rlim_t(size), rlim_max: .max)
      #expect(setrlimit(Int32(RLIMIT_AS.rawValue), &limits) == 0)
      try host.load()
      let diagnosis = try #require(host.diagnosis(path))
      #expect(
        diagnosis.problem
          == "cannot be loaded: \(path): failed to map segment from shared object, and the address space is limited to \(size >> 20) MiB"
      )
      #expect(diagnosis.remedy == "raise the limit (ulimit -v)")
    }
  }

  /// Failures that this system does not produce, or only with other rights.
  @Test(
    "Each failure has a remedy of its own",
    arguments: [
      (
        "/p/a.so: version `GLIBC_ABI_DT_RELR' not found (required by /p/a.so)",
        "rebuild /p/a.so with -Wl,-z,nopack-relative-relocs, or update the C library to 2.36 or newer"
      ),
      (
        "/lib/libc.so.6: version `GLIBC_9.99' not found (required by /p/b.so)",
        "rebuild /p/b.so on a system with the C library"
      ),
      (
        "/lib/libstdc++.so.6: version `GLIBCXX_9.9' not found (required by /p/b.so)",
        "rebuild /p/b.so with this system's compiler, or install a newer libstdc++"
      ),
      (
        "/p/b.so: cannot restore segment prot after reloc: Permission denied",
        "rebuild /p/b.so with -fPIC and without -Wl,-z,notext: this system allows no relocations in code"
      ),
      (
        "/p/b.so: cannot make segment writable for relocation: Permission denied",
        "rebuild /p/b.so with -fPIC and without -Wl,-z,notext: this system allows no relocations in code"
      ),
      (
        "/p/b.so: cannot enable executable stack as shared object requires: Permission denied",
        "rebuild /p/b.so with -Wl,-z,noexecstack"
      ),
      ("libx.so.1: cannot open shared object file: Permission denied", "let this user read libx.so.1"),
      ("libx.so.1: cannot open shared object file: Too many open files", "raise the limit of open files (ulimit -n)"),
      (
        "/p/b.so: symbol f, version V1 not defined in file libx.so.1 with link time reference",
        "install a version of libx.so.1 that has f, or rebuild /p/b.so with the installed one"
      ),
      ("/p/b.so: file too short", "replace /p/b.so by a shared library for"),
      (
        "/p/b.so: undefined symbol: f, version V1",
        "rebuild /p/b.so with -l and -rpath for the library that defines f, or install"
      ),
    ])
  func remedies(message: String, remedy: String) {
    let diagnosis = LoaderError(message, opening: "/p/a.so", of: "/p/a.so", .program).diagnosis
    #expect(diagnosis.code == .notLoadable)
    #expect(diagnosis.problem == "cannot be loaded: " + message)
    #expect(diagnosis.remedy.hasPrefix(remedy), "\(diagnosis.remedy)")
  }

  @Test(
    "A limit of a probe or a worker is raised where it is set",
    arguments: [
      (LoadingProcess.probe, "raise memory of ProbeLimits", "raise descriptors of ProbeLimits"),
      (.worker, "raise memory of the worker's policy", "raise descriptors of the worker's policy"),
    ])
  func limits(process: LoadingProcess, memory: String, descriptors: String) {
    func remedy(_ message: String) -> String {
      LoaderError(message, opening: "/a.so", of: "/a.so", process).diagnosis.remedy
    }
    #expect(remedy("/a.so: cannot allocate memory in static data: Cannot allocate memory") == memory)
    #expect(remedy("/a.so: failed to map segment from shared object") == memory)
    #expect(remedy("a.so: cannot open shared object file: Too many open files") == descriptors)
  }

  @Test("The message names the plugin's file, not the copy that was opened")
  func copy() {
    let copy = "/proc/self/fd/./7"
    let diagnosis = LoaderError("\(copy): file too short", opening: copy, of: "/p/a.so", .program).diagnosis
    #expect(diagnosis.problem == "cannot be loaded: /p/a.so: file too short")
  }
}
