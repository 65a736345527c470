import Foundation
import TestSupport
import Testing

@Suite("The plugins that troupe call opens")
struct CallByNameTests {
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
    try FileManager.default.createDirectory(atPath: directory.file("plugins"), withIntermediateDirectories: false)
    try add("a", number: 1)
    try add("b", number: 2)
  }

  /// Compiles a plugin with a function `call_LETTER` that returns a number, and two that take a callback. Its constructor appends the
  /// letter to the file `LOADS`.
  private func add(_ letter: String, number: Int) throws {
    try Repo.compile(
      [Repo.fixture("commands/lettered.c")], to: directory.file("plugins/\(letter).so"),
      options: ["-DLETTER=\"\(letter)\"", "-DNUMBER=\(number)"])
  }

  /// Runs `troupe call` and returns its output and the letters of the opened plugins, sorted.
  private func call(_ words: String) throws -> (text: String, loads: String) {
    let loads = directory.file("loads")
    try? FileManager.default.removeItem(atPath: loads)
    let run = try shell(
      #""$troupe" call \#(words) --plugins "$directory/plugins""#,
      environment: [
        "directory": directory.path, "LOADS": loads, "XDG_CACHE_HOME": directory.file("cache"),
        "XDG_STATE_HOME": directory.file("state"),
      ])
    let opened = (try? String(contentsOfFile: loads, encoding: .utf8)) ?? ""
    return (run.text + run.errors, String(opened.sorted()))
  }

  @Test("A known function opens only its plugin, and neither opens nor probes the others")
  func known() throws {
    // Each new plugin is probed, and the one with the function is opened.
    #expect(try call("call_a") == ("1\n", "aab"))
    #expect(try call("call_a") == ("1\n", "a"))
    try add("c", number: 3)
    #expect(try call("call_b") == ("2\n", "b"))
    #expect(try call("9b1e0000-0000-4000-8000-000000000101") == ("1\n", "a"))
    #expect(try call("call_c") == ("3\n", "cc"))
  }

  @Test("A function that takes a resolver finds the factories of all plugins")
  func resolver() throws {
    for name in ["boxes", "resolving"] {
      try Repo.compile([Repo.fixture("healthy/\(name).c")], to: directory.file("plugins/\(name).so"))
    }
    for _ in 0..<2 { #expect(try call("box 1 5").text == "5 42\n") }
  }

  @Test("A function that takes a callback, also as a member, finds the functions of all plugins")
  func callback() throws {
    #expect(try call("apply_a call_b").text == "2\n")
    #expect(try call("apply_a call_b") == ("2\n", "ab"))
    #expect(try call(#"perform_a '{"function": "call_b"}'"#) == ("2\n", "ab"))
  }
}
