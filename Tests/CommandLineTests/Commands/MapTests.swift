import Foundation
import TestSupport
import Testing

@Suite("troupe map", .timeLimit(.minutes(60)))
struct MapTests {
  /// A directory with the plugins of the tests of calls.
  private static func plugins() throws -> TemporaryDirectory {
    let directory = try TemporaryDirectory()
    for name in ["columns", "values"] {
      try Repo.compile([Repo.fixture("host-api/plugins/\(name).c")], to: directory.file(name + ".so"))
    }
    return directory
  }

  /// Maps a text.
  private func map(_ words: String..., input: String) throws -> Run {
    let directory = try Self.plugins()
    return try run(
      unset() + [Repo.troupe, "map", "--plugins", directory.path] + words, input: Data(input.utf8), directory: directory.path)
  }

  @Test("The results are a column behind the others, for the columns with the names of the parameters")
  func names() throws {
    let table = "name,b,a\nx,2,3\ny,0.5,1e3\n"
    #expect(
      try output(of: map("column_sum", input: table)) == "name,b,a,column_sum\nx,2,3,5.0\ny,0.5,1e3,1000.5\n")
    #expect(try output(of: map("column_scaled", input: "b,a\n1.5,-2\n")) == "b,a,column_scaled\n1.5,-2,-3\n")
  }

  @Test("Columns are chosen by position, and by a list of names or positions")
  func columns() throws {
    let table = "x,y,z\n1,2,10\n"
    let sum = { (words: [String]) in
      let directory = try Self.plugins()
      return try run(
        unset() + [Repo.troupe, "map", "column_sum", "--plugins", directory.path, "--only-results"] + words,
        input: Data(table.utf8))
    }
    #expect(try output(of: sum([])) == "column_sum\n3.0\n")
    #expect(try output(of: sum(["--columns", "z,2"])) == "column_sum\n12.0\n")
    expectFailure(try sum(["--columns", "z"]), 64, "--columns: expected 2 columns, got 1")
    expectFailure(try sum(["--columns", "x,w"]), 64, "no column \"w\"; the columns are x, y, z")
    expectFailure(try sum(["--columns", "x,4"]), 64, "no column \"4\"")
  }

  @Test("Without a header every record is a row, and cells are separated by any character")
  func withoutHeader() throws {
    #expect(try output(of: map("column_sum", "--no-header", "--delimiter", ";", input: "1;2\n3;4")) == "1;2;3.0\n3;4;7.0\n")
    #expect(try output(of: map("column_sum", "--no-header", "--delimiter", "tab", input: "1\t2\n")) == "1\t2\t3.0\n")
    #expect(try output(of: map("column_sum", input: "")) == "")
    for delimiter in ["", ",,", "\"", "é"] {
      expectFailure(try map("column_sum", "--delimiter", delimiter, input: "1"), 64, "--delimiter")
    }
  }

  @Test("Names that fit some parameters only, equal names and callbacks are refused before the output is emptied")
  func unclearColumns() throws {
    let directory = try Self.plugins()
    for (table, problem) in [
      ("id,b\n1,10\n", "has the column b and no a"), ("a,a,b\n1,5,2\n", "has several columns \"a\""), ("a\n1\n", "and no b"),
    ] {
      try directory.write("out.csv", "before".utf8)
      let result = try run(
        unset() + [Repo.troupe, "map", "column_sum", "--plugins", directory.path, "-o", directory.file("out.csv")],
        input: Data(table.utf8))
      expectFailure(result, 65, problem)
      #expect(try String(contentsOfFile: directory.file("out.csv"), encoding: .utf8) == "before")
    }
    try directory.write("in.csv", "a,b\n1,2\n".utf8)
    let line = "\(Repo.troupe) map column_sum --plugins . -o in.csv < in.csv"
    let result = try run(unset() + ["sh", "-c", line], directory: directory.path)
    expectFailure(result, 64, "standard input: is the output, too")
    #expect(try String(contentsOfFile: directory.file("in.csv"), encoding: .utf8) == "a,b\n1,2\n")
    expectFailure(try map("each", input: "a,b\n1,2\n"), 64, "which no cell can contain")
  }

  @Test("Records of many cells are refused, large records are computed in parts, and a mark may come in pieces")
  func sizes() throws {
    expectFailure(try map("column_sum", input: String(repeating: ",", count: 100_000)), 65, ":1: the record has more than")
    let text = String(repeating: "x", count: 900_000)
    let table = "a,b,text\n" + (0..<30).map { "\($0),1,\(text)\n" }.joined()
    let lines = try output(of: map("column_sum", "--only-results", input: table)).split(separator: "\n")
    #expect(lines.count == 31 && lines.last == "30.0")
    let directory = try Self.plugins()
    let line = "(printf '\\357'; printf '\\273\\277a,b\\n1,2\\n') | \(Repo.troupe) map column_sum --plugins ."
    #expect(output(of: try run(unset() + ["sh", "-c", line], directory: directory.path)) == "a,b,column_sum\n1,2,3.0\n")
  }

  @Test("Quotes are read and written as RFC 4180 says, with any line ends and a byte-order mark")
  func quotes() throws {
    let table = "\u{FEFF}\"a, first\",\"b\"\"\",note\r\n1,\"2\",\"two\r\nlines\"\r\n3,4,\"\"\n"
    #expect(
      try output(of: map("column_sum", input: table))
        == "\"a, first\",\"b\"\"\",note,column_sum\n1,2,\"two\r\nlines\",3.0\n3,4,\"\",7.0\n")
  }

  @Test("A row with an empty cell has empty results, and an empty text is in quotes")
  func nulls() throws {
    #expect(
      try output(of: map("column_sum", input: "a,b\n1,\n,2\n1,2\n")) == "a,b,column_sum\n1,,\n,2,\n1,2,3.0\n")
    #expect(
      try output(of: map("greeting", input: "name,other\nann,1\n,2\n\"\",3\n"))
        == "name,other,greeting\nann,1,ann\n,2,\n\"\",3,\"\"\n")
  }

  @Test("Enumerations, booleans, structs and several outputs are columns")
  func types() throws {
    #expect(try output(of: map("next_color", input: "color\nred\n5\n")) == "color,next_color\nred,green\n5,blue\n")
    #expect(try output(of: map("both", input: "a,b\ntrue,1\nfalse,true\n")) == "a,b,both\ntrue,1,true\nfalse,true,false\n")
    #expect(try output(of: map("column_divided", input: "a,b\n7,2\n")) == "a,b,column_divided,rest\n7,2,3,1\n")
    #expect(
      try output(of: map("column_turned", "--only-results", input: "point\n\"{\"\"x\"\": 1, \"\"y\"\": 2}\"\n"))
        == "column_turned\n\"{\"\"x\"\": 2.0, \"\"y\"\": -1.0}\"\n")
  }

  @Test("A failing row ends the command behind the rows before it, with the file and the line")
  func stop() throws {
    let directory = try Self.plugins()
    try directory.write("table.csv", "a,b\n7,2\n8,0\n9,4\n".utf8)
    func map(_ words: String...) throws -> Run {
      try run(unset() + [Repo.troupe, "map", "--plugins", directory.path] + words, directory: directory.path)
    }
    expectFailure(
      try map("column_divided", "table.csv"), 69, "table.csv:3: the function failed: EDOM",
      showing: ["a,b,column_divided,rest\n7,2,3,1\n"])
    try directory.write("text.csv", "a,b\n1,2\n\"multi\nline\",x\n1,x\n".utf8)
    expectFailure(
      try map("column_sum", "text.csv"), 65, "text.csv:3: argument 1 \"a\": ", showing: ["a,b,column_sum\n1,2,3.0\n"])
    for (text, problem) in [
      ("a,b\n1\n", ":2: expected 2 cells, got 1"), ("a,b\n\"1,2\n", ":2: a quote is not closed"),
      ("a,b\n1,2\"\n", ":2: a quote is not at the edge"), ("a,b\n\"1\"x,2\n", ":2: a quote is not at the edge"),
      ("a,b\n1,2\0\n", ":2: a cell contains a NUL"),
    ] {
      try directory.write("wrong.csv", text.utf8)
      let result = try map("column_sum", "wrong.csv")
      #expect(result.status == 65)
      #expect(result.errors.hasPrefix("troupe: wrong.csv" + problem), "\(result.errors)")
    }
    expectFailure(try map("column_sum", "missing.csv"), 66, "missing.csv")
    expectFailure(try map("missing", "table.csv"), 69, "no function \"missing\"")
  }

  @Test("Failing rows are empty on request, and reported on standard error")
  func null() throws {
    let result = try map("column_divided", "--on-error", "null", input: "a,b\n7,2\n8,0\nx,1\n9,4\n")
    #expect(result.status == 0)
    #expect(result.text == "a,b,column_divided,rest\n7,2,3,1\n8,0,,\nx,1,,\n9,4,2,1\n")
    #expect(result.errorLines.count == 2)
    #expect(result.errors.contains("standard input:3: ") && result.errors.contains("standard input:4: argument 1 \"a\""))
    let many = try map("column_divided", "--on-error", "null", input: "a,b\n" + String(repeating: "1,0\n", count: 5000))
    #expect(many.status == 0)
    #expect(many.errorLines.count == 11)
    #expect(many.errors.hasSuffix("troupe: 4990 more rows failed\n"))
  }

  @Test("Several files make one table, which -o writes to a file that is no input")
  func files() throws {
    let directory = try Self.plugins()
    try directory.write("one.csv", "a,b\n1,2\n".utf8)
    try directory.write("two.csv", "a,b\n3,4\n".utf8)
    try directory.write("other.csv", "b,a\n3,4\n".utf8)
    try directory.write("out.csv", String(repeating: "old", count: 100).utf8)
    func map(_ words: String...) throws -> Run {
      try run(unset() + [Repo.troupe, "map", "column_sum", "--plugins", directory.path] + words, directory: directory.path)
    }
    #expect(try output(of: map("one.csv", "two.csv", "-o", "out.csv")) == "")
    #expect(
      try String(contentsOfFile: directory.file("out.csv"), encoding: .utf8) == "a,b,column_sum\n1,2,3.0\n3,4,7.0\n")
    expectFailure(
      try map("one.csv", "other.csv"), 65, "other.csv:1: the header differs", showing: ["a,b,column_sum\n1,2,3.0\n"])
    expectFailure(try map("one.csv", "-o", "one.csv"), 64, "one.csv: is the output, too")
    #expect(try String(contentsOfFile: directory.file("one.csv"), encoding: .utf8) == "a,b\n1,2\n")
    expectFailure(try map("one.csv", "-o", "missing/out.csv"), 74, "missing/out.csv: cannot be written")
  }

  @Test("Threads share the rows of a function of numbers that allows them, and the order stays")
  func threads() throws {
    let rows = (0..<20_000).map { "\($0),1\n" }.joined()
    let result = try output(of: map("column_sum", "--jobs", "4", "--only-results", input: "a,b\n" + rows))
    #expect(result == "column_sum\n" + (1...20_000).map { "\($0).0\n" }.joined())
    expectFailure(
      try map("greeting", "--jobs", "2", input: "name\nx\n"), 64, "--jobs: greeting is no function of numbers alone")
    for count in ["0", "x", "1025"] { expectFailure(try map("column_sum", "--jobs", count, input: ""), 64, "--jobs") }
    let directory = try TemporaryDirectory()
    let adopted = try shell(
      #"""
      sed '/"threads"/d' "$plugins/math.troupe.json" > "$directory/math.troupe.json"
      printf '3,4\n' | "$troupe" map hypot --no-header --jobs 2 --plugins "$directory"
      """#, environment: ["directory": directory.path])
    expectFailure(adopted, 64, "--jobs: hypot is not declared callable on any thread", #""threads": "any""#)
  }

  @Test("300,000 rows pass in bounded memory")
  func memory() throws {
    let directory = try Self.plugins()
    let tools = try TemporaryDirectory()
    try succeed(["cc", "-O2", "-o", tools.file("stream"), Repo.fixture("tools/stream.c")])
    /// The peak resident memory in KiB.
    func peak(_ rows: Int) throws -> Int {
      let line = """
        cd '\(tools.path)' && yes '12345,678910' | head -n \(rows) | ./stream measure report "$troupe" map column_sum --no-header \
        --only-results --plugins '\(directory.path)' | sort | uniq -c && cat report
        """
      let words = try output(of: shell(line)).split { $0 == " " || $0 == "\n" }
      #expect(words.prefix(2) == ["\(rows)", "691255.0"])
      return try #require(words.last.flatMap { Int($0) })
    }
    let (start, end) = (try peak(1000), try peak(300_000))
    #expect(end - start < 64 * 1024, "\(start) KiB for 1,000 rows, \(end) KiB for 300,000")
  }
}
