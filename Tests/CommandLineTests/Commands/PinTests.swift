import Foundation
import TestSupport
import Testing

@Suite("troupe pin", .timeLimit(.minutes(60)))
struct PinTests {
  /// A pin as the command prints it in JSON.
  private struct ListedPin: Decodable, Equatable {
    let plugin, hash: String
    let file: String?
  }

  /// The hash of a file by sha256sum(1).
  private static func hash(_ path: String) throws -> String { String(try succeed(["sha256sum", path]).text.prefix(64)) }

  private static func text(_ path: String) throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

  @Test("Admitted plugins are pinned with the hash of sha256sum, and the output is a valid pin file")
  func all() throws {
    let directory = try Examples.copies("base64", "grep")
    try directory.write("broken.so", "no library at all".utf8)
    let pins = directory.file("pins")
    let lines = try ["base64", "grep"].map { "\(try Self.hash(directory.file($0 + ".so"))) org.example.\($0)\n" }.joined()
    let printed = try output(of: troupe("pin", "--pins", pins, plugins: directory.path))
    #expect(printed == lines + "# 2 pins written to \(pins), used with --pins FILE or TROUPE_PINS=FILE\n")
    #expect(try Self.text(pins) == lines)
    let states = try json([ListedPlugin].self, troupe("list", "--json", "--pins", pins, plugins: directory.path)).map(\.state)
    #expect(states == ["admitted", "rejected", "admitted"])
    try directory.write("printed", printed.utf8)
    #expect(
      try json([ListedPlugin].self, troupe("list", "--json", "--pins", directory.file("printed"), plugins: directory.path)).map(
        \.state)
        == states)
  }

  @Test("A plugin is named by its id or its file, and JSON lists the pinned files, both for an adopted library")
  func named() throws {
    let directory = try Examples.copies("base64", "grep")
    try succeed(["cp", try Examples.directory() + "/zlib.troupe.json", directory.path])
    let (pins, file) = (directory.file("pins"), directory.file("zlib.troupe.json"))
    let result = try troupe("pin", "org.example.grep", file, "--pins", pins, "--json", plugins: directory.path)
    let listed = try json([ListedPin].self, result)
    #expect(listed.map(\.plugin) == ["org.example.grep", "org.example.zlib", "org.example.zlib"])
    #expect(listed[0].file == directory.file("grep.so"))
    #expect(listed[1].file == file)
    for pin in listed { #expect(try pin.hash == Self.hash(#require(pin.file))) }
    #expect(try Self.text(pins) == listed.map { "\($0.hash) \($0.plugin)\n" }.joined())
    let states = try json([ListedPlugin].self, troupe("list", "--json", "--pins", pins, plugins: directory.path)).map(\.state)
    #expect(states == ["rejected", "admitted", "admitted"])
    // The system library matches its pin and is called through its copy.
    let call = try troupe("call", "compress_bound", "100", "--pins", pins, plugins: directory.path)
    #expect(call.status == 0)
    #expect(try call.text == output(of: troupe("call", "compress_bound", "100", plugins: directory.path)))
  }

  @Test("Unpinned and changed plugins are listed as rejected with the reason, and commands that need one end with 77")
  func rejected() throws {
    let directory = try Examples.copies("base64", "grep")
    let pins = directory.file("pins")
    _ = try output(of: troupe("pin", "org.example.base64", "--pins", pins, plugins: directory.path))
    let old = try Self.hash(directory.file("base64.so"))
    try succeed(["strip", directory.file("base64.so")])
    let new = try Self.hash(directory.file("base64.so"))
    for environment in [["TROUPE_PINS": pins], [:]] {
      let words = environment.isEmpty ? ["--pins", pins] : []
      let result = try run(
        unset(except: environment.keys) + [Repo.troupe, "list", "--json", "--plugins", directory.path] + words,
        environment: environment)
      let plugins = try json([ListedPlugin].self, result)
      #expect(plugins.map(\.state) == ["rejected", "rejected"])
      for hash in [new, old] { #expect(plugins.first?.reason?.contains(hash.prefix(12)) == true) }
      #expect(try plugins.last?.reason?.contains(Self.hash(directory.file("grep.so"))) == true)
      #expect(plugins.last?.reason?.hasSuffix("troupe pin \(directory.file("grep.so")) --pins \(pins)") == true)
    }
    for operand in ["org.example.grep", directory.file("base64.so")] {
      expectFailure(
        try troupe("inspect", operand, "--pins", pins, plugins: directory.path), 77, "troupe pin",
        showing: ["state     rejected"])
    }
    // Without pins the plugin is accepted; the user's own pin file does not apply.
    #expect(
      try json([ListedPlugin].self, troupe("list", "--json", plugins: directory.path)).map(\.state) == ["admitted", "admitted"])
  }

  @Test("A Swift plugin works under pins from a copy, and its types are the host's")
  func swift() throws {
    let directory = try Examples.copies("counter")
    try directory.add("healthy/chain")
    try directory.add("healthy/upper")
    let pins = directory.file("pins")
    _ = try output(of: troupe("pin", "--pins", pins, plugins: directory.path))
    let result = try troupe("run", "--tag", "chain", "--pins", pins, plugins: directory.path, input: Data("a\nb\n".utf8))
    #expect(output(of: result) == "     1\tA\n     2\tB\n")
    let census = try troupe("resolve", "--tag", "census", "--json", "--pins", pins, plugins: directory.path)
    #expect(try json([ListedInstance].self, census).map(\.instance) == ["2 transforms, 2 after a cast"])
    // All examples, in C, C++ and Swift, and the adopted libraries, including the C library.
    let everything = try Examples.directory()
    _ = try output(of: troupe("pin", "--pins", pins, plugins: everything))
    let grep = try troupe("run", "--tag", "grep", "--pins", pins, plugins: everything, input: Data("a\n".utf8))
    #expect(output(of: grep) == "a\n")
  }

  @Test(
    "Pins are written to the user's configuration unless a file is named, and apply only if an option or a variable names them")
  func conventional() throws {
    let home = try TemporaryDirectory()
    let directory = try Examples.copies("base64", "grep")
    for (environment, place) in [
      (["HOME": home.path], "/.config/troupe/pins"),
      (["HOME": home.path, "XDG_CONFIG_HOME": home.file("configuration")], "/configuration/troupe/pins"),
      (["HOME": home.path, "TROUPE_PINS": home.file("mine")], "/mine"),
    ] {
      let result = try troupe("pin", "org.example.base64", plugins: directory.path, environment: environment)
      #expect(
        output(of: result).contains("# 1 pin written to \(home.path)\(place), "))
      #expect(try Self.text(home.path + place).hasSuffix(" org.example.base64\n"))
      let list = try troupe("list", "--json", plugins: directory.path, environment: environment)
      let isOn = environment["TROUPE_PINS"] != nil
      #expect(try json([ListedPlugin].self, list).map(\.state) == ["admitted", isOn ? "rejected" : "admitted"])
    }
    expectFailure(
      try troupe("pin", plugins: directory.path), 64,
      "no directory for the pins: neither XDG_CONFIG_HOME nor HOME is set; name a file with --pins FILE")
  }

  @Test("--dry-run only prints, --add keeps existing pins, --remove deletes them, and comments stay")
  func options() throws {
    let directory = try Examples.copies("base64")
    let pins = directory.file("pins")
    _ = try output(of: troupe("pin", "--dry-run", "--pins", pins, plugins: directory.path))
    #expect(!FileManager.default.fileExists(atPath: pins))
    let one = try Self.hash(directory.file("base64.so"))
    try directory.write("pins", "# mine\n".utf8)
    try succeed(["chmod", "600", pins])
    _ = try output(of: troupe("pin", "--pins", pins, plugins: directory.path))
    try succeed(["strip", directory.file("base64.so")])
    let two = try Self.hash(directory.file("base64.so"))
    _ = try output(of: troupe("pin", "--add", "--pins", pins, plugins: directory.path))
    #expect(try Self.text(pins) == "# mine\n\(one) org.example.base64\n\(two) org.example.base64\n")
    _ = try output(of: troupe("pin", "--pins", pins, plugins: directory.path))
    #expect(try Self.text(pins) == "# mine\n\(two) org.example.base64\n")
    // A deleted plugin can still be unpinned.
    let removed = try troupe("pin", "--remove", "org.example.base64", "--pins", pins, "--json")
    #expect(try json([ListedPin].self, removed) == [ListedPin(plugin: "org.example.base64", hash: two, file: nil)])
    #expect(try Self.text(pins) == "# mine\n")
    expectFailure(
      try troupe("pin", "--remove", "org.example.base64", "--pins", pins), 69, "no pin of \"org.example.base64\"")
    expectFailure(try troupe("pin", "--remove", "--pins", pins), 64, "--remove: missing plugin")
    expectFailure(try troupe("pin", "--remove", "--add", "a.b", "--pins", pins), 64, "exclude each other")
  }

  @Test("Plugins that cannot be pinned and unusable pin files end the command with the reason")
  func failures() throws {
    let directory = try Examples.copies("base64")
    let pins = directory.file("pins")
    expectFailure(try troupe("pin", "org.example.none", "--pins", pins, plugins: directory.path), 69, "no plugin \"")
    let broken = try directory.write("broken.so", "no library at all".utf8)
    expectFailure(try troupe("pin", broken, "--pins", pins), 65, broken)
    let empty = try TemporaryDirectory()
    expectFailure(try troupe("pin", plugins: empty.path, environment: ["TROUPE_PINS": pins]), 69, "no admitted plugins to pin")
    #expect(!FileManager.default.fileExists(atPath: pins))
    for command in ["list", "pin"] {
      try directory.write("pins", "# fine\nfaulty\n".utf8)
      try succeed(["chmod", "600", pins])
      expectFailure(try troupe(command, "--pins", pins, plugins: directory.path), 65, "\(pins):2: ")
      try succeed(["chmod", "666", pins])
      expectFailure(try troupe(command, "--pins", pins, plugins: directory.path), 77, "\(pins): ")
      expectFailure(try troupe(command, "--pins=", plugins: directory.path), 64, "--pins is empty")
    }
    expectFailure(try troupe("list", "--pins", directory.file("none"), plugins: directory.path), 66, directory.file("none"))
    expectFailure(
      try troupe("resolve", "--tag", "grep", plugins: directory.path, environment: ["TROUPE_PINS": directory.file("none")]), 66,
      directory.file("none"))
    // A parent directory that is not a directory.
    expectFailure(try troupe("pin", "--pins", broken + "/pins", plugins: directory.path), 74, "cannot be written")
  }
}
