import Foundation
import TestSupport
import Testing

@Suite("Libraries that plugins link")
struct LinkedLibraryTests {
  private let directory: TemporaryDirectory

  /// Builds a plugin that links a library in another directory.
  init() throws {
    directory = try TemporaryDirectory()
    try FileManager.default.createDirectory(atPath: directory.file("plugins"), withIntermediateDirectories: false)
    try compileLibrary()
    try Repo.compile(
      [Repo.fixture("healthy/linking.c")], to: directory.file("plugins/linking.so"),
      options: ["-L", directory.path, "-llinked", "-Wl,-rpath," + directory.path])
  }

  /// Compiles the library. Its constructor appends a byte to the file `LOADS`.
  private func compileLibrary(constructor: String = "", options: [String] = []) throws {
    // The linker would write into a file that a process may have open.
    try? FileManager.default.removeItem(atPath: directory.file("liblinked.so"))
    try Repo.compile(
      [Repo.fixture("commands/linked.c")], to: directory.file("liblinked.so"),
      options: ["-DCONSTRUCTOR=\(constructor)"] + options)
  }

  /// Calls the function of the plugin and returns its result and the number of times that the library was opened.
  private func call() throws -> (run: Run, loads: Int) {
    let loads = directory.file("loads")
    try? FileManager.default.removeItem(atPath: loads)
    let run = try shell(
      #""$troupe" call linked --plugins "$directory/plugins""#,
      environment: [
        "directory": directory.path, "LOADS": loads, "XDG_CACHE_HOME": directory.file("cache"),
        "XDG_STATE_HOME": directory.file("state"),
      ])
    return (run, (try? Data(contentsOf: URL(filePath: loads)).count) ?? 0)
  }

  @Test("A plugin is probed again only if a library that it links has changed")
  func changed() throws {
    for loads in [2, 1] { #expect(try call().loads == loads) }
    try compileLibrary()
    for loads in [2, 1] { #expect(try call().loads == loads) }
  }

  @Test("A probe detects that a linked library has become faulty")
  func faulty() throws {
    #expect(try call().run.text == "7\n")
    try compileLibrary(constructor: "abort()")
    let (run, loads) = try call()
    #expect(run.status == 69 && loads == 1)
    #expect(run.errors.contains("SIGABRT"))
  }

  @Test("A plugin that links a library with an executable stack is rejected")
  func executableStack() throws {
    try compileLibrary(options: ["-Wl,-z,execstack"])
    let (run, loads) = try call()
    #expect(run.status == 69 && loads == 1)
    #expect(run.errors.contains(directory.file("liblinked.so")))
  }
}
