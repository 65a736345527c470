import Foundation
import TestSupport
import Testing

@Suite("troupe flags", .timeLimit(.minutes(60)))
struct FlagsTests {
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  /// Runs a shell line in the test's directory. `troupe` in it is the command of a tree.
  private func shell(_ line: String, _ place: Place) throws -> Run {
    try run(
      unset() + ["sh", "-c", line], environment: ["troupe": try place.troupe(), "plugins": try Examples.directory()],
      directory: directory.path)
  }

  @Test("A program that embeds the host compiles with one compiler call and runs", arguments: Place.allCases)
  func program(place: Place) throws {
    try directory.write(
      "main.swift",
      """
      import TroupeCall
      import TroupeHost

      // Stored by value, so the compiler must know its layout.
      struct Calls {
        let call: PreparedCall
        let count: Int
      }

      @Resolvable final class Reader {
        let number: Int
      }

      let host = PluginHost(directories: [CommandLine.arguments[1]])
      await host.start()
      let stages: [any Transform] = try host.container.resolve(tags: "text")
      let area = try host.function(host.functions("area")[0])
      let signature = try Signature(parsing: "double (double x)")
      let absolute: @convention(c) (Double) -> Double = { abs($0) }
      let calls = Calls(
        call: try PreparedCall(signature: signature, function: unsafeBitCast(absolute, to: UnsafeRawPointer.self)), count: 3)
      let typed = try calls.call.typed(as: ((Double) -> Double).self)
      print(stages.count, try area(3.0, 4.5), typed(-2), try calls.call.call([.double(-5)]), calls.count)
      host.shutdown()

      """.utf8)
    let built = try shell("swiftc -swift-version 6 $($troupe flags --swift) -o program main.swift", place)
    #expect(built.status == 0, "\(built.errors)")
    #expect(built.errors == "")
    #expect(output(of: try shell(#"./program "$plugins""#, place)) == "2 13.5 2.0 5.0 3\n")
  }

  @Test("A Swift plugin and a C plugin compile with one compiler call and load", arguments: Place.allCases)
  func plugins(place: Place) throws {
    try succeed(["mkdir", directory.file("plugins")])
    try succeed(["cp", Repo.fixture("healthy/upper.swift"), directory.file("upper.swift")])
    try succeed(["cp", Repo.fixture("healthy/settings.c"), directory.file("settings.c")])
    for line in [
      "swiftc -O -swift-version 6 $($troupe flags --plugin) -o plugins/upper.so upper.swift",
      "cc -std=c11 $($troupe flags --c) -o plugins/settings.so settings.c",
    ] {
      let built = try shell(line, place)
      #expect(built.status == 0, "\(built.errors)")
    }
    #expect(output(of: try shell("printf abc | $troupe run --tag case --plugins plugins", place)) == "ABC")
    #expect(output(of: try shell("$troupe call --plugins plugins integer width", place)) == "76\n")
  }

  @Test("JSON is an array of the same options, and --swift is the default")
  func json() throws {
    for kind in ["--swift", "--plugin", "--c"] {
      let words = try output(of: troupe("flags", kind)).split(whereSeparator: \.isWhitespace).map(String.init)
      #expect(try CommandLineTests.json([String].self, troupe("flags", kind, "--json")) == words)
      #expect(words.contains("-I"))
    }
    #expect(try output(of: troupe("flags")) == output(of: troupe("flags", "--swift")))
  }

  @Test("Two kinds of options at once are wrong usage")
  func two() throws {
    expectFailure(try troupe("flags", "--c", "--plugin"), 64, "--plugin and --c exclude each other")
  }

  @Test("If the files for a compiler are absent, the error names the first missing one")
  func missing() throws {
    let prefix = try TemporaryDirectory()
    for name in ["bin", "lib"] { try succeed(["mkdir", prefix.file(name)]) }
    try succeed(["cp", Repo.troupe, prefix.file("bin/troupe")])
    try succeed(["cp", Repo.products + "/libTroupe.so", prefix.file("lib")])
    let result = try run(unset() + [prefix.file("bin/troupe"), "flags"])
    expectFailure(result, 69, "lib/troupe/modules/TroupeHost.swiftmodule: is missing", "make install")
  }

  @Test("A path with white space, at which the shell would split, is an error without --json")
  func whiteSpace() throws {
    let prefix = try TemporaryDirectory()
    let link = prefix.file("with space")
    try succeed([
      "cp", "-r", URL(filePath: try Place.installed.troupe()).deletingLastPathComponent().deletingLastPathComponent().path,
      link,
    ])
    let troupe = link + "/bin/troupe"
    expectFailure(try run(unset() + [troupe, "flags"]), 69, "contains white space")
    #expect(try CommandLineTests.json([String].self, run(unset() + [troupe, "flags", "--json"])).contains(link + "/lib"))
  }
}
