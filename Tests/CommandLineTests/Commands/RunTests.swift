import Foundation
import TestSupport
import Testing

@Suite("troupe run", .timeLimit(.minutes(60)))
struct RunTests {
  /// Bytes of every value, longer than one piece, without a period that equals a piece.
  private static let bytes = Data((0..<400_000).map { UInt8(truncatingIfNeeded: $0 &* $0 / 7 &+ $0 >> 8) })

  /// Lines, some empty, some long, some not UTF-8.
  private static let lines = Data(
    (0..<3000).flatMap { number -> [UInt8] in
      Array("line \(number) \(String(repeating: "ab", count: number % 50))".utf8) + (number % 7 == 0 ? [0xFF, 10, 10] : [10])
    })

  /// The output of a shell line that must succeed.
  private func result(_ line: String, input: Data, sourceLocation: SourceLocation = #_sourceLocation) throws -> Data {
    let result = try shell(line, input: input)
    #expect(result.status == 0, "\(result.errors)", sourceLocation: sourceLocation)
    #expect(result.errors == "", sourceLocation: sourceLocation)
    return result.output
  }

  @Test("base64-encode writes what base64 writes", arguments: [0, 1, 2, 3, 56, 57, 58, 400_000])
  func encode(count: Int) throws {
    let input = Self.bytes.prefix(count)
    #expect(
      try result(#""$troupe" run --tag base64-encode --plugins "$plugins""#, input: input) == result("base64", input: input))
  }

  @Test("base64-decode writes what base64 -d writes", arguments: [0, 1, 2, 3, 56, 57, 58, 400_000])
  func decode(count: Int) throws {
    let text = try result("base64", input: Self.bytes.prefix(count))
    let decoded = try result(#""$troupe" run --tag base64-decode --plugins "$plugins""#, input: text)
    #expect(decoded == Self.bytes.prefix(count))
    #expect(try decoded == result("base64 -d", input: text))
  }

  @Test("number-lines writes what cat -n writes, with and without a newline at the end", arguments: [true, false])
  func numberLines(endsWithNewline: Bool) throws {
    let input = endsWithNewline ? Self.lines : Self.lines.dropLast()
    #expect(
      try result(#""$troupe" run --tag number-lines --plugins "$plugins""#, input: input) == result("cat -n", input: input))
  }

  @Test(
    "grep-for writes what grep -E writes", arguments: ["", "7", "^line 1", "(ab){3}$", "[[:digit:]]{4}", "^$", "x|9 ", "never"])
  func grep(pattern: String) throws {
    let environment = ["pattern": pattern, "LC_ALL": "C"]
    let ours = try shell(
      #""$troupe" run --tag grep-for --arg "$pattern" --plugins "$plugins""#, input: Self.lines, environment: environment)
    let theirs = try shell(#"grep -a -E -e "$pattern""#, input: Self.lines, environment: environment)
    #expect(ours.status == 0, "\(ours.errors)")
    #expect(ours.output == theirs.output)
  }

  @Test("A --set for an unknown plugin ends every command that loads plugins with 64 and the nearest id")
  func unknownConfiguration() throws {
    let directory = try Examples.directory()
    for words in [["run", "--tag", "grep"], ["call", "abs", "-7"], ["graph"], ["inspect", "org.example.grep"]] {
      let set = ["--set", "org.example.gerp:pattern=x", "--plugins", directory]
      expectFailure(
        try run(unset() + [Repo.troupe] + words + set), 64,
        "--set: no plugin \"org.example.gerp\"; did you mean \"org.example.grep\"?")
    }
    expectFailure(try troupe("graph", "--set", "x:a=b", plugins: directory), 64, "\"x\"; troupe list --plugins")
  }

  @Test("A plugin's configuration comes from --set and is invisible to other plugins")
  func configuration() throws {
    let input = Data("one\ntwo\nthree\n".utf8)
    let grep = #""$troupe" run --tag grep --plugins "$plugins" --set "#
    #expect(try result(grep + "org.example.grep:pattern=^t", input: input) == Data("two\nthree\n".utf8))
    #expect(try result(grep + "org.example.counter:pattern=^t", input: input) == input)
    #expect(
      try result(#""$troupe" run --tag base64-encode --plugins "$plugins" --set org.example.base64:wrap=4"#, input: input)
        == result("base64 -w 4", input: input))
  }

  @Test("word-count counts words")
  func wordCount() throws {
    let text = Data("the cat and the dog and The end\n".utf8)
    let run = #""$troupe" run --tag word-count --plugins "$plugins" --set org.example.wordcount:top="#
    #expect(try result(run + "3", input: text) == Data("3\tthe\n2\tand\n1\tcat\n".utf8))
  }

  @Test("data-url, a plugin in Swift, uses the encoder of a plugin in C")
  func dataURL() throws {
    let run = #""$troupe" run --tag data-url --plugins "$plugins""#
    #expect(try result(run, input: Data("hello".utf8)) == Data("data:application/octet-stream;base64,aGVsbG8=".utf8))
    #expect(
      try result(run + " --set org.example.dataurl:media-type=image/png", input: Self.bytes)
        == Data("data:image/png;base64,".utf8) + result("base64 -w 0", input: Self.bytes))
  }

  @Test("data-url without an encoder ends the command with 69 and names the missing encoder")
  func dataURLAlone() throws {
    let directory = try Examples.copies("dataurl", "counter")
    expectFailure(
      try troupe("run", "--tag", "data-url", plugins: directory.path, input: Data("hello".utf8)), 69,
      "data-url of org.example.dataurl", "no plugin offers a transform with the tag base64-encode", "org.example.base64")
  }

  @Test("Several transforms run in the order of registration")
  func row() throws {
    let directory = try Examples.copies("counter", "grep")
    let result = try troupe(
      "run", "--tag", "text", "--set", "org.example.grep:pattern=2", plugins: directory.path, input: Data("a\nb\nc\n".utf8))
    #expect(output(of: result) == "     2\tb\n")
  }

  @Test("Input that a stage rejects ends the command with 65 and names the stage", arguments: ["====", "aGVs*", "aGVsb"])
  func badInput(text: String) throws {
    let directory = try Examples.directory()
    let result = try troupe("run", "--tag", "base64-decode", plugins: directory, input: Data(text.utf8))
    #expect(result.status == 65)
    #expect(result.errorLines.count == 1)
    #expect(result.errors.hasPrefix("troupe: base64-decode of org.example.base64: "))
    #expect(result.errors.contains("byte offset"))
  }

  @Test("If a later stage fails, the message names that stage")
  func laterStageFails() throws {
    let directory = try Examples.copies("base64")
    let upper = try TemporaryDirectory()
    try upper.add("faulty/throwing-transform")
    let result = try troupe("run", "--tag", "base64-encode", plugins: directory.path, upper.path, input: Data("hello".utf8))
    expectFailure(result, 65, "picky of org.example.picky: a byte that it does not like: 97")
  }

  @Test("200 MB pass unchanged and in bounded memory", arguments: ["--tag base64", "--tag grep-for --arg ''"])
  func longStream(options: String) throws {
    let tools = try TemporaryDirectory()
    try succeed(["cc", "-O2", "-o", tools.file("stream"), Repo.fixture("tools/stream.c")])
    /// The peak resident memory in KiB.
    func peak(_ count: Int) throws -> Int {
      let line = """
        cd '\(tools.path)' && ./stream write \(count) | ./stream measure report "$troupe" run --plugins "$plugins" \(options) \
        | ./stream check \(count) && cat report
        """
      let result = try shell(line)
      #expect(result.errors == "")
      let numbers = result.text.split(separator: " ").compactMap { Int($0) }
      try #require(result.status == 0 && numbers.count == 2)
      #expect(numbers[0] == 0)
      return numbers[1]
    }
    let (start, end) = (try peak(0), try peak(200_000_000))
    #expect(end - start < 64 * 1024, "\(start) KiB without input, \(end) KiB with it")
  }

  @Test("Files are read in order, each with new transforms, and - is standard input")
  func files() throws {
    let directory = try TemporaryDirectory()
    try directory.write("one", "a\nb\n".utf8)
    try directory.write("-two", "c".utf8)
    let enter = "cd '\(directory.path)' && "
    let run = enter + #""$troupe" run --tag number-lines --plugins "$plugins" one - -- -two"#
    let expected = try result(enter + #"cat -n one && cat -n && cat -n ./-two"#, input: Data("d\n".utf8))
    #expect(try result(run, input: Data("d\n".utf8)) == expected)
  }

  @Test("Each file has a scope of its own, shared by its stages")
  func scopes() throws {
    let directory = try TemporaryDirectory()
    try directory.write("one", "See https://a.example/x, (https://b.example) and https://a.example/x!".utf8)
    try directory.write("two", "<https://c.example>\n".utf8)
    try directory.write("none", "nothing".utf8)
    let run = try troupe(
      "run", "--tag", "footnotes", directory.file("one"), directory.file("none"), directory.file("two"),
      plugins: Examples.directory())
    #expect(
      output(of: run) == """
        See [1], ([2]) and [1]!
        [1] https://a.example/x
        [2] https://b.example
        nothing<[1]>
        [1] https://c.example

        """)
  }

  @Test("A missing, unreadable or directory input is reported before any output")
  func unreadableFiles() throws {
    let directory = try TemporaryDirectory()
    try directory.write("one", "a\n".utf8)
    let plugins = try Examples.directory()
    func run(_ path: String) throws -> Run {
      try troupe("run", "--tag", "number-lines", directory.file("one"), path, plugins: plugins)
    }
    expectFailure(try run(directory.file("missing")), 66, "\(directory.file("missing")): ")
    expectFailure(try run(directory.path), 66, "\(directory.path): ")
  }

  @Test("Input that a stage rejects is reported with its file")
  func badFile() throws {
    let directory = try TemporaryDirectory()
    try directory.write("bad", "====".utf8)
    let run = try troupe("run", "--tag", "base64-decode", directory.file("bad"), plugins: Examples.directory())
    expectFailure(run, 65, "\(directory.file("bad")): base64-decode of org.example.base64: ")
  }

  @Test("An input file that is also the output is refused and stays unchanged", arguments: ["run big >>big", "run <big >>big"])
  func inputIsOutput(line: String) throws {
    let directory = try TemporaryDirectory()
    try directory.write("big", "a\n".utf8)
    let options = #" --tag number-lines --plugins "$plugins""#
    let result = try shell("cd '\(directory.path)'; \"$troupe\" \(line)" + options)
    #expect(result.status == 64)
    #expect(result.errors.contains("is the output, too"))
    #expect(try String(contentsOfFile: directory.file("big"), encoding: .utf8) == "a\n")
    // An empty file that is written from the start cannot grow.
    #expect(try shell("cd '\(directory.path)'; : >other; \"$troupe\" run other >other" + options).status == 0)
  }

  @Test("Without input there is no output")
  func emptyInput() throws {
    for tag in ["base64-encode", "base64-decode", "number-lines", "grep", "word-count"] {
      #expect(try result("\"$troupe\" run --tag \(tag) --plugins \"$plugins\"", input: Data()) == Data(), "\(tag)")
    }
  }

  @Test("A closed standard output ends the command")
  func closedOutput() throws {
    let directory = try TemporaryDirectory()
    try succeed(["cc", "-O2", "-o", directory.file("stream"), Repo.fixture("tools/stream.c")])
    // The status of SIGPIPE or, if that signal is ignored, of a failed output.
    let result = try shell(
      """
      cd '\(directory.path)'
      ./stream write 100000000 | { "$troupe" run --tag base64-encode --plugins "$plugins"; echo $? >status; } | head -c 10
      """)
    #expect(result.output.count == 10)
    let status = try String(contentsOfFile: directory.file("status"), encoding: .utf8)
    #expect(["141\n", "74\n"].contains(status))
  }

  @Test(
    "An output that cannot be written ends the command with 74",
    arguments: ["run --tag base64-encode", "list", "version --json"])
  func fullOutput(command: String) throws {
    let result = try shell(
      "\"$troupe\" \(command) >/dev/full", input: Self.bytes,
      environment: [
        "TROUPE_PLUGIN_PATH": try Examples.directory()
      ])
    expectFailure(result, 74, "standard output")
  }

  @Test("A closed standard stream is not replaced by a file that is opened later")
  func closedStreams() throws {
    let environment = ["TROUPE_PLUGIN_PATH": try Examples.directory()]
    let output = try shell(#""$troupe" list >&-"#, environment: environment)
    expectFailure(output, 74, "standard output")
    let input = try shell(#""$troupe" run --tag base64-encode <&-"#, environment: environment)
    expectFailure(input, 74, "standard input")
    let errors = try shell(#""$troupe" list --nonsense 2>&-"#, environment: environment)
    #expect(errors.status == 64)
    #expect(errors.text == "")
  }

  @Test("An input that cannot be read ends the command with 74")
  func unreadableInput() throws {
    expectFailure(try shell(#""$troupe" run --tag base64-encode --plugins "$plugins" </"#), 74, "standard input")
  }

  @Test("A tag without transforms ends the command with 69, and a missing tag with 64")
  func nothingToRun() throws {
    let directory = try Examples.directory()
    expectFailure(try troupe("run", "--tag", "geometry", plugins: directory), 69, "troupe.transform/1", "\"geometry\"")
    expectFailure(try troupe("run", plugins: directory), 64, "missing --tag TAG; see troupe run --help")
  }
}
