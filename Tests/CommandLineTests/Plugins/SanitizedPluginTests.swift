import Foundation
import TestSupport
import Testing

/// Plugins that GCC builds with a sanitizer whose runtime is a system library.
@Suite("A plugin built with a sanitizer", .enabled(if: runtime("address") != nil && runtime("thread") != nil))
struct SanitizedPluginTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func add(_ sanitizer: String) throws -> String {
    try Repo.compile(
      [Repo.fixture("healthy/scalars.c")], to: directory.file("\(sanitizer).so"), options: ["-fsanitize=\(sanitizer)"])
  }

  @Test("It is probed and called in a host that loads its runtime first", arguments: ["address", "thread"])
  func preloaded(_ sanitizer: String) throws {
    _ = try add(sanitizer)
    // The Swift runtime takes some of its locks in both orders, and Dispatch synchronizes threads in a way that the thread sanitizer does
    // not see. Both are harmless, but the sanitizer reports them.
    let environment = [
      "LD_PRELOAD": try #require(runtime(sanitizer)), "ASAN_OPTIONS": "detect_leaks=0",
      "TSAN_OPTIONS": "detect_deadlocks=0:ignore_noninstrumented_modules=1",
    ]
    let run = try troupe("call", "int", "7", plugins: directory.path, environment: environment)
    #expect(run.status == 0 && run.text == "7\n", "\(run.errors)")
  }

  @Test("Elsewhere it is rejected, not quarantined, and the message names the variable", arguments: ["address", "thread"])
  func notPreloaded(_ sanitizer: String) throws {
    let path = try add(sanitizer)
    let library = try #require(runtime(sanitizer)?.split(separator: "/").last)
    for _ in 0..<2 {
      expectFailure(
        try troupe("inspect", path, environment: ["XDG_STATE_HOME": directory.path]), 69,
        "was built with the \(sanitizer) sanitizer, whose runtime has to be the first library",
        " LD_PRELOAD=\(library).", showing: ["state     rejected\n"])
    }
  }

  @Test(
    "It is recognized without a link to the runtime, which Clang leaves to the program, and the remedy works",
    arguments: [("address", "asan"), ("undefined", "ubsan_standalone")])
  func clang(_ sanitizer: String, _ library: String) throws {
    let path = directory.file("clang.so")
    try succeed([
      "clang", "-fsanitize=\(sanitizer)", "-fPIC", "-shared", "-I", Repo.root + "/include", "-o", path,
      Repo.fixture("healthy/scalars.c"),
    ])
    let inspected = try troupe("inspect", path)
    expectFailure(inspected, 69, "$(clang -print-file-name=libclang_rt.\(library)-", showing: ["state     rejected\n"])
    let remedy = try #require(inspected.errors.firstMatch(of: #/start the program with (.*), or build/#))
    let called = try run(unset() + ["sh", "-c", "\(remedy.1) '\(Repo.troupe)' call --plugins '\(directory.path)' int 7"])
    #expect(called.status == 0 && called.text == "7\n", "\(called.errors)")
  }

  @Test("With the undefined behavior sanitizer of GCC it loads the runtime itself")
  func undefinedBehavior() throws {
    _ = try add("undefined")
    let run = try troupe("call", "int", "7", plugins: directory.path)
    #expect(run.status == 0 && run.text == "7\n", "\(run.errors)")
  }
}

/// The path of a runtime, or nil if it is not installed.
private func runtime(_ sanitizer: String) -> String? {
  let name = ["address": "libasan.so", "thread": "libtsan.so"][sanitizer] ?? ""
  let path = (try? run(["cc", "-print-file-name=" + name]))?.text.trimmingCharacters(in: .whitespacesAndNewlines)
  return path.flatMap { $0.hasPrefix("/") ? $0 : nil }
}
