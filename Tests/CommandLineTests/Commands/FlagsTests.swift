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

  @Test("A library of protocols has a SONAME and says that it was built with library evolution", arguments: Place.allCases)
  func interface(place: Place) throws {
    try directory.write("Greetings.swift", "public struct Person { public var name = 1 }\n".utf8)
    let built = try shell("swiftc -O $($troupe flags --interface Greetings) -o libGreetings.so Greetings.swift", place)
    #expect(built.status == 0 && built.errors == "", "\(built.errors)")
    #expect(try succeed(["readelf", "-d", directory.file("libGreetings.so")]).text.contains("soname: [libGreetings.so]"))
    #expect(try succeed(["nm", "-D", directory.file("libGreetings.so")]).text.contains(" A _troupe_resilient_Greetings\n"))
  }

  @Test(
    "A client of a marked library records the mark without an option of its own, also one that only calls",
    arguments: Place.allCases)
  func fixed(place: Place) throws {
    try directory.write("Greetings.swift", "public protocol Greeter { func greet() -> Int }\n".utf8)
    try directory.write(
      "call.swift", "import Greetings\npublic func call(_ greeter: any Greeter) -> Int { greeter.greet() }\n".utf8)
    for line in [
      "swiftc -O $($troupe flags --interface Greetings --fixed . Greetings.swift) -o libGreetings.so Greetings.swift",
      "swiftc -O -emit-library -parse-as-library -I . -L . -o call.so call.swift",
    ] {
      let built = try shell(line, place)
      #expect(built.status == 0 && built.errors == "", "\(built.errors)")
    }
    let script = try String(contentsOfFile: directory.file("Greetings.map"), encoding: .utf8)
    let mark = try #require(script.wholeMatch(of: /(Greetings_[0-9a-f]{16}) \{ global: \*; \};\n/)).output.1
    let library = try succeed(["nm", "-D", "--defined-only", directory.file("libGreetings.so")]).text
    #expect(library.split(separator: "\n").allSatisfy { $0.hasSuffix("@@\(mark)") || $0.hasSuffix(" A \(mark)") }, "\(library)")
    #expect(library.contains(" T _swift_FORCE_LOAD_$_\(mark)@@\(mark)\n"))
    let client = try succeed(["nm", "-D", directory.file("call.so")]).text
    #expect(client.contains(" w _swift_FORCE_LOAD_$_\(mark)@\(mark)\n"), "\(client)")
    #expect(try succeed(["readelf", "-d", directory.file("call.so")]).text.contains("Shared library: [libGreetings.so]"))
  }

  @Test("The compiler's options behind -- apply to the mark")
  func markOptions() throws {
    try directory.write("Greetings.swift", "#if LONG\npublic func long() {}\n#endif\n".utf8)
    let words = try ["", "-- -D LONG"].map { options in
      output(of: try shell("$troupe flags --interface Greetings --fixed . Greetings.swift \(options)", .built))
    }
    #expect(words[0] != words[1])
  }

  @Test(
    "Sources and options that belong to no marked library are wrong usage",
    arguments: [
      (["a.swift"], "unexpected argument \"a.swift\""), (["--interface", "A", "a.swift"], "unexpected argument \"a.swift\""),
      (["--interface", "A", "--", "-DX"], "unexpected argument \"-DX\""), (["--fixed", "."], "--fixed without --interface"),
      (["--interface", "A", "--fixed", "."], "--fixed without FILE"),
      (["--interface", "a-b"], "expected the name of a Swift module"),
      (["--plugin", "--interface", "A"], "--plugin and --interface MODULE exclude each other"),
    ])
  func wrongInterface(words: [String], message: String) throws {
    expectFailure(try run(unset() + [Repo.troupe, "flags"] + words, directory: directory.path), 64, message)
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
