import Foundation
import TestSupport
import Testing

@Suite("Libraries that plugins link")
struct LinkedLibraryTests {
  private let folder: TemporaryDirectory

  /// Builds a plugin that links a library in another directory.
  init() throws {
    folder = try TemporaryDirectory()
    try FileManager.default.createDirectory(atPath: folder.file("plugins"), withIntermediateDirectories: false)
    try compileLibrary()
    try Repo.compile(
      [Repo.fixture("healthy/linking.c")], to: folder.file("plugins/linking.so"),
      options: ["-L", folder.path, "-llinked", "-Wl,-rpath," + folder.path])
  }

  /// Compiles the library. Its constructor appends a byte to the file `LOADS`.
  private func compileLibrary(constructor: String = "", options: [String] = []) throws {
    let source = try folder.write(
      "linked.c",
      """
      #include <fcntl.h>
      #include <stdlib.h>
      #include <unistd.h>
      __attribute__((visibility("default"))) int linked(void) { return 7; }
      __attribute__((constructor)) static void load(void) {
        int file = open(getenv("LOADS"), O_WRONLY | O_APPEND | O_CREAT, 0600);
        (void)!write(file, "x", 1);
        close(file);
        \(constructor);
      }
      """.utf8)
    // The linker would write into a file that a process may have open.
    try? FileManager.default.removeItem(atPath: folder.file("liblinked.so"))
    try Repo.compile([source], to: folder.file("liblinked.so"), options: options)
  }

  /// Calls the function of the plugin and returns its result and the number of times that the library was opened.
  private func call() throws -> (run: Run, loads: Int) {
    let loads = folder.file("loads")
    try? FileManager.default.removeItem(atPath: loads)
    let run = try shell(
      #""$troupe" call linked --plugins "$folder/plugins""#,
      environment: [
        "folder": folder.path, "LOADS": loads, "XDG_CACHE_HOME": folder.file("cache"), "XDG_STATE_HOME": folder.file("state"),
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
    #expect(run.errors.contains(folder.file("liblinked.so")))
  }
}
