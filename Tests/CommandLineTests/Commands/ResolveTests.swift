import Foundation
import TestSupport
import Testing

@Suite("troupe resolve")
struct ResolveTests {
  @Test("Instances made in C and in Swift are in one array, in the order of registration")
  func oneArray() throws {
    let instances = try json([ListedInstance].self, troupe("resolve", "--tag", "text", "--json", plugins: Examples.directory()))
    try #require(instances.count == 2)
    #expect(
      instances[0]
        == ListedInstance(
          plugin: "org.example.counter", uuid: "d24d70ee-da90-4184-9c35-b03f1179666e", name: "number-lines",
          contract: "troupe.transform/1", tags: ["number-lines", "text"], instance: instances[0].instance))
    // An instance made in C is shown by its address, one made in Swift by its type.
    #expect(instances[0].instance.hasPrefix("0x"))
    #expect(
      instances[1]
        == ListedInstance(
          plugin: "org.example.grep", uuid: "6d9a5a0e-5a57-4d0f-8a55-3f5a1f6f0c01", name: "grep",
          contract: "troupe.transform/1", tags: ["filter", "grep", "text"], instance: "LineFilter"))
  }

  @Test("The order of the directories is the order of the array")
  func order() throws {
    let (swift, c) = (try Examples.copies("grep"), try Examples.copies("counter"))
    let result = try troupe("resolve", "--tag", "text", "--json", plugins: swift.path, c.path)
    #expect(try json([ListedInstance].self, result).map(\.name) == ["grep", "number-lines"])
  }

  @Test("Several tags match the factories that carry all of them, and a UUID is a tag")
  func severalTags() throws {
    let directory = try Examples.directory()
    let both = try troupe("resolve", "--tag", "text", "--tag", "filter", "--json", plugins: directory)
    #expect(try json([ListedInstance].self, both).map(\.name) == ["grep"])
    let uuid = try troupe(
      "resolve", "--tag", "D24D70EE-da90-4184-9c35-b03f1179666e", "--tag", "text", "--json", plugins: directory)
    #expect(try json([ListedInstance].self, uuid).map(\.name) == ["number-lines"])
  }

  @Test("The table shows plugin, name, contract, tags and instance")
  func table() throws {
    #expect(
      try output(of: troupe("resolve", "--tag", "grep", plugins: Examples.directory())) == """
        PLUGIN            NAME  CONTRACT            TAGS                INSTANCE
        org.example.grep  grep  troupe.transform/1  filter, grep, text  LineFilter

        """)
  }

  @Test("--contract matches only factories with that contract")
  func contract() throws {
    let directory = try Examples.copies("base64")
    try directory.add(fixture: "healthy/mixed.c", as: "mixed")
    let names = { (contract: [String]) in
      let words = ["--tag", "base64", "--json"] + contract
      let result = try run(unset() + [Repo.troupe, "resolve", "--plugins", directory.path] + words)
      return try json([ListedInstance].self, result).map(\.name)
    }
    #expect(try names([]) == ["base64-encode", "base64-decode", "make", "one"])
    #expect(try names(["--contract", "troupe.transform/1"]) == ["base64-encode", "base64-decode"])
    #expect(try names(["--contract=org.example.thing/1"]) == ["make"])
    let none = try troupe("resolve", "--tag", "base64", "--contract", "org.example.other/1", plugins: directory.path)
    expectFailure(none, 69, "org.example.other/1", "\"base64\"")
  }

  @Test("--arg is passed to a factory in Swift")
  func swiftArgument() throws {
    let result = try troupe("resolve", "--tag", "grep-for", "--arg", "^a", "--json", plugins: Examples.directory())
    #expect(try json([ListedInstance].self, result).map(\.instance) == ["LineFilter"])
  }

  @Test("Arguments are parsed as the parameter types of a Swift factory, including negative numbers")
  func swiftArguments() throws {
    let directory = try TemporaryDirectory()
    try directory.add("healthy/arguments")
    let result = try troupe(
      "resolve", "--tag", "describe", "--arg", "-7", "--arg=-2.5", "--arg", "true", "--arg", "--json", "--json",
      plugins: directory.path)
    #expect(try json([ListedInstance].self, result).map(\.instance) == ["-7 -2.5 true --json"])
    let diagnosis = try troupe("resolve", "--tag", "byte", "--arg", "256", plugins: directory.path)
    expectFailure(diagnosis, 65, "argument 1", "\"256\"", "UInt8")
    // Two registrations of a plugin under one key, which differ in their argument types.
    let both = try troupe("resolve", "--tag", "either", "--arg", "3", "--json", plugins: directory.path)
    #expect(try json([ListedInstance].self, both).map(\.instance) == ["number 3", "text 3"])
  }

  @Test("--arg is passed to a factory in C")
  func cArguments() throws {
    let result = try troupe(
      "resolve", "--tag", "counter", "--arg", "10", "--arg", "-5", "--json", plugins: Examples.directory())
    let instances = try json([ListedInstance].self, result)
    #expect(instances.map(\.contract) == ["org.example.counter/1"])
    #expect(instances.allSatisfy { $0.instance.hasPrefix("0x") })
  }

  @Test("A C factory that returns NULL ends the command with 69 and the factory's message")
  func factoryFails() throws {
    let result = try troupe("resolve", "--tag", "counter", "--arg", "1", "--arg", "0", "--json", plugins: Examples.directory())
    expectFailure(result, 69, "counter of org.example.counter", "the step of a counter must not be 0")
  }

  @Test("A Swift factory that throws ends the command with 69 and the factory's message")
  func factoryThrows() throws {
    let result = try troupe("resolve", "--tag", "grep-for", "--arg", "(", plugins: Examples.directory())
    expectFailure(result, 69, "grep-for of org.example.grep", "the pattern \"(\" is not a regular expression")
  }

  @Test("A plain function shows its signature, and with --arg its result")
  func function() throws {
    let directory = try Examples.directory()
    let tag = "f5e07a66-2458-483c-8415-8bead275f039"
    let shown = try json([ListedInstance].self, troupe("resolve", "--tag", tag, "--json", plugins: directory))
    #expect(shown.map(\.instance) == ["double (double width, double height)"])
    let result = try troupe("resolve", "--tag", tag, "--arg", "3", "--arg", "4.5", "--json", plugins: directory)
    let text = output(of: result)
    #expect(text.contains("\"instance\" : 13.5,"))
    let table = try output(of: troupe("resolve", "--tag", tag, "--arg", "3", "--arg", "4.5", plugins: directory))
    #expect(table.hasSuffix("area  -         geometry  13.5\n"))
  }

  @Test("An unknown tag ends the command with 69 and the known tags")
  func unknownTag() throws {
    let directory = try Examples.copies("base64", "wordcount")
    expectFailure(
      try troupe("resolve", "--tag", "nothing", "--json", plugins: directory.path), 69, "\"nothing\"",
      "known tags: encoding, base64, report, word-count, base64-encode, base64-decode")
    let empty = try TemporaryDirectory()
    expectFailure(
      try troupe("resolve", "--tag", "a", "--tag", "b", plugins: empty.path), 69, "\"a\", \"b\"",
      empty.path)
  }

  @Test("An unknown contract ends the command with 69 and the known contracts, with and without a tag")
  func unknownContract() throws {
    let directory = try Examples.copies("base64", "counter")
    for tags in [[], ["--tag", "text"]] {
      let options = ["resolve", "--contract", "org.example.none/1", "--plugins", directory.path] + tags
      expectFailure(
        try run(unset() + [Repo.troupe] + options), 69, "no registration of the contract org.example.none/1",
        tags.isEmpty ? "; " : " with the tag \"text\"",
        "known contracts: org.example.counter/1, troupe.transform/1")
    }
  }

  @Test(
    "A missing or surplus argument ends the command with 64",
    arguments: [
      ("counter", ["10"]), ("counter", ["10", "5", "1"]), ("counter", []), ("grep-for", []), ("grep-for", ["a", "b"]),
      ("grep", ["a"]), ("f5e07a66-2458-483c-8415-8bead275f039", ["3"]),
    ])
  func argumentCount(tag: String, arguments: [String]) throws {
    let options = ["--plugins", try Examples.directory(), "--tag", tag] + arguments.flatMap { ["--arg", $0] }
    let result = try run(unset() + [Repo.troupe, "resolve"] + options)
    expectFailure(result, 64, "\(arguments.count) argument")
  }

  @Test(
    "An argument that is not of the parameter's type ends the command with 65",
    arguments: [
      ("ten", "expected int64_t, got"), ("9223372036854775808", "cannot hold"), ("1.5", "\"1.5\""), ("", "\"\""),
    ])
  func argumentType(argument: String, message: String) throws {
    let result = try troupe("resolve", "--tag", "counter", "--arg", "1", "--arg", argument, plugins: Examples.directory())
    expectFailure(result, 65, "argument 2 \"step\"", message)
  }

  @Test("Without --tag and --contract the command ends with 64")
  func missingTag() throws {
    expectFailure(
      try troupe("resolve", "--json", plugins: Examples.directory()), 64, "missing --tag TAG or --contract NAME")
  }

  @Test("--contract alone returns all instances of the contract")
  func contractAlone() throws {
    let directory = try Examples.copies("base64", "geometry")
    let result = try troupe("resolve", "--contract", "troupe.transform/1", "--json", plugins: directory.path)
    #expect(try json([ListedInstance].self, result).map(\.name) == ["base64-encode", "base64-decode"])
    expectFailure(try troupe("resolve", "--contract", "org.example.none/1", plugins: directory.path), 69, "org.example.none/1")
  }

  @Test("An unusable plugin is named on standard error, and the rest is resolved")
  func rejectedPlugin() throws {
    let directory = try Examples.copies("grep")
    let broken = try directory.write("broken.so", [])
    let result = try troupe("resolve", "--tag", "grep", "--json", plugins: directory.path)
    #expect(result.status == 0)
    #expect(result.errorLines.count == 1)
    #expect(result.errors.hasPrefix("troupe: \(broken): "))
    #expect(try JSONDecoder().decode([ListedInstance].self, from: result.output).map(\.name) == ["grep"])
  }

  @Test("Plugins whose files are refused are named in one line, and one that fails to load in its own line")
  func rejectedPlugins() throws {
    let directory = try Examples.copies("base64")
    let broken = [try directory.write("a.so", []), try directory.write("b.troupe.json", "{}".utf8)]
    try directory.add(fixture: "healthy/empty.c", as: "unwilling", ["ENTRY": "return TROUPE_FAILED;"])
    let result = try troupe("resolve", "--tag", "base64", "--json", plugins: directory.path)
    #expect(result.status == 0)
    #expect(
      result.errorLines.first
        == "troupe: 2 plugins are rejected: \(broken.joined(separator: ", ")); troupe list --plugins \(directory.path) shows the reasons"
    )
    #expect(result.errorLines.count == 2)
    #expect(result.errorLines.last?.hasPrefix("troupe: \(directory.path)/unwilling.so: ") == true)
  }

  @Test("Of many plugins whose files are refused a few are named and the others counted")
  func manyRejectedPlugins() throws {
    let directory = try Examples.copies("base64")
    for number in 1...7 { try directory.write("broken-\(number).so", []) }
    let result = try troupe("resolve", "--tag", "base64", "--json", plugins: directory.path)
    #expect(result.errorLines.count == 1)
    #expect(result.errors.contains("7 plugins") && result.errors.contains("\(directory.path)/broken-1.so, "))
    #expect(result.errors.contains("broken-5.so and 2 more; "))
  }
}
