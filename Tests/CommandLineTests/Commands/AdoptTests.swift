import Foundation
import TestSupport
import Testing

@Suite("troupe adopt")
struct AdoptTests {
  private struct Report: Decodable {
    struct Function: Decodable, Equatable {
      let name, symbol, uuid, signature: String
    }

    struct Variable: Decodable {
      let name: String
    }

    struct RefusedFunction: Decodable {
      let name, reason: String
    }

    let id, library: String
    let file: String?
    let count: Int
    let functions: [Function]
    let variables: [Variable]
    let refused: [RefusedFunction]
  }

  private static let header = Repo.fixture("adopt/rules.h")

  /// A directory with the library of `rules.h`.
  private func library() throws -> TemporaryDirectory {
    let directory = try TemporaryDirectory()
    let sources = ["rules", "rules-types"].map { Repo.fixture("adopt/\($0).c") }
    try succeed(["cc", "-std=gnu17", "-w", "-fPIC", "-shared", "-o", directory.file("librules.so")] + sources)
    return directory
  }

  private func report(_ arguments: String..., in directory: TemporaryDirectory) throws -> Report {
    let words = ["adopt", Self.header, "--library", directory.file("librules.so"), "--json"] + arguments
    return try json(Report.self, run(unset() + [Repo.troupe] + words))
  }

  // MARK: Signatures

  @Test("The file has a signature for each rule, and equals the golden file at each run")
  func golden() throws {
    let directory = try library()
    let path = directory.file("rules.troupe.json")
    let golden = Repo.fixture("golden/adopt-rules.troupe.json")
    for _ in 0..<2 {
      let result = try troupe(
        "adopt", Self.header, "--library", directory.file("librules.so"), "--guess-buffers", "-o", path)
      #expect(result.status == 0 && result.text.isEmpty, "\(result.errors)")
      if ProcessInfo.processInfo.environment["TROUPE_RENEW_GOLDEN"] != nil {
        try Data(contentsOf: URL(filePath: path)).write(to: URL(filePath: golden))
      }
      let difference = try run(["diff", "-u", golden, path])
      #expect(difference.status == 0, "\(difference.text)")
    }
    let inspection = try json(Inspection.self, troupe("inspect", path, "--json"))
    #expect(inspection.plugin.state == "admitted")
    #expect(inspection.plugin.refused.isEmpty)
    #expect(inspection.factories.count == 39)
    let text = try troupe("inspect", path).text
    #expect(text.contains("\n  RULES_FLAG = 8\n  RULES_NAME = \"rules\"\n"))
    #expect(text.contains("\n  HUGE = 8589934591\n"))
  }

  @Test("Without guesses, a pointer with a length is a plain pointer")
  func plainPointers() throws {
    let report = try report(in: library())
    let signatures = Dictionary(uniqueKeysWithValues: report.functions.map { ($0.name, $0.signature) })
    #expect(signatures["rules_sum"] == "int (const int *numbers, int count)")
    #expect(signatures["rules_fill"] == "void (void *buffer, size_t size, int byte)")
    #expect(signatures["rules_find"] == "struct object; int (const char *name, struct object **object)")
  }

  @Test("Functions that no signature describes are listed with the reason, and the share is shown")
  func refusals() throws {
    let directory = try library()
    let report = try report(in: directory)
    let reasons = [
      "rules_bit_field": "a bit-field in struct flags", "rules_aligned": "the alignment of a member of struct aligned",
      "rules_packed_array": "GCC and Clang pass struct packets by value in different ways",
      "rules_wide": "__int128",
      "rules_aligned_type": "aligned", "rules_vector": "__vector_size__", "rules_list_of_arguments": "a va_list",
      "rules_unknown": "(void)", "rules_leaves": "does not return", "rules_leaves_too": "does not return",
    ]
    #expect(Set(report.refused.map(\.name)) == Set(reasons.keys))
    for refusal in report.refused { #expect(refusal.reason.contains(reasons[refusal.name] ?? "-"), "\(refusal)") }
    #expect((report.count, report.functions.count) == (49, 39))
    #expect(report.file == nil)
    let result = try troupe("adopt", Self.header, "--library", directory.file("librules.so"))
    #expect(result.errorLines.count == 11)
    #expect(result.errorLines.last == "troupe: adopted 39 of 49 exported functions (79 %)")
    for name in reasons.keys { #expect(result.errors.contains("troupe: \(name): "), "\(name)") }
  }

  @Test("Functions that are local to the header, hidden, or not exported are left out, and so are macros")
  func exported() throws {
    let names = try report(in: library()).functions.map(\.name)
    #expect(Set(names).count == names.count)
    #expect(names.contains("rules_twice") && names.contains("rules_renamed"))
    #expect(!names.contains("rules_inline") && !names.contains("rules_macro") && !names.contains("rules_hidden"))
  }

  @Test("--prefix and --only select functions, whose UUIDs stay the same")
  func selection() throws {
    let directory = try library()
    let all = try report(in: directory).functions
    #expect(try report("--prefix", "other_", in: directory).functions == all.filter { $0.name == "other_prefix" })
    let some = try report("--only", "^rules_(open|sum)$", in: directory).functions
    #expect(some == all.filter { ["rules_open", "rules_sum"].contains($0.name) })
    #expect(try report("--prefix", "rules_", "--only", "prefix|sum", in: directory).functions.map(\.name) == ["rules_sum"])
  }

  @Test("-I and -D reach the compiler, with and without a space")
  func preprocessor() throws {
    let directory = try library()
    try directory.write("part.h", "#if COUNT == 2\nint rules_sum(const int *numbers, int count);\n#endif\n".utf8)
    let header = try directory.write("whole.h", "#include <part.h>\n".utf8)
    for options in [["-I", directory.path, "-D", "COUNT=2"], ["-I\(directory.path)", "-DCOUNT=2"]] {
      let words = ["adopt", header, "--library", directory.file("librules.so"), "--json"] + options
      #expect(try json(Report.self, run(unset() + [Repo.troupe] + words)).functions.map(\.name) == ["rules_sum"])
    }
  }

  @Test("Words behind -- reach the compiler, after other options")
  func flags() throws {
    let directory = try library()
    let header = try directory.write(
      "flags.h", "#if COUNT == 3 && __STDC_VERSION__ < 200000\nint rules_sum(const int *numbers, int count);\n#endif\n".utf8)
    let words = ["adopt", header, "--library", directory.file("librules.so"), "--json", "-D", "COUNT=2"]
    let result = try run(unset() + [Repo.troupe] + words + ["--", "-UCOUNT", "-DCOUNT=3", "-std=c99"])
    #expect(try json(Report.self, result).functions.map(\.name) == ["rules_sum"])
  }

  @Test("--pkg takes the directories of headers and the library from pkg-config")
  func packageConfiguration() throws {
    let directory = try library()
    try setMode(
      0o755,
      of: directory.write(
        "pkg-config",
        #"""
        #!/bin/sh
        [ "$2" = rules ] || exit 1
        case $1 in
        --cflags) echo "-DCOUNT=2 -I$DIRECTORY/with\ space " ;;
        --libs) echo "-L$DIRECTORY -lrules -lm" ;;
        --variable=libdir) echo "/absent" ;;
        esac
        """#.utf8))
    try FileManager.default.createDirectory(atPath: directory.file("with space"), withIntermediateDirectories: false)
    try directory.write("with space/part.h", "#if COUNT == 2\nint rules_sum(const int *numbers, int count);\n#endif\n".utf8)
    func adopt(_ package: String) throws -> Run {
      try shell(
        #"PATH="$DIRECTORY:$PATH" "$troupe" adopt part.h --json --pkg "# + package, environment: ["DIRECTORY": directory.path])
    }
    let report = try json(Report.self, adopt("rules"))
    #expect(report.functions.map(\.name) == ["rules_sum"])
    #expect(report.library == directory.file("librules.so"))
    expectFailure(try adopt("other"), 66, #"pkg-config has no package "other""#)
    expectFailure(try adopt("''"), 64, "--pkg")
  }

  @Test(
    "Adopted functions take and return structs, handles, enumerations, text and buffers",
    arguments: [
      (#"rules_constant '{"x": 1, "y": 2}'"#, #"{"x": 2.0, "y": 1.0}"#),
      ("rules_open abc --then rules_append '$1' def --then rules_made_text", "abcdef"),
      ("rules_append null text --then rules_made_text", "text"),
      ("rules_find name --then rules_append '$1.object' d --then rules_made_text", "named"),
      ("rules_enumeration GREEN HUGE null", "BLUE"),
      (
        #"rules_by_value '[1, 2]' '{"kind": 3, "halves": {"low": 9, "high": 4}, "size": "LARGE", "name": "1234567a", "text": "xy", "next": null}'"#,
        #"{"x": 11.0, "y": 103.0}"#
      ),
      (#"rules_packed '{"kind": 2, "length": 100000}'"#, "99998"), ("rules_numbers true 1 -5 3 0.5 '[0, -1]'", "8"),
      ("rules_renamed 41", "42"), ("rules_renamed RULES_COUNT", "5"), ("rules_renamed 'RULES_FLAG|RULES_COUNT|RED'", "13"),
      (#"rules_table '{"first": 97, "rows": [null, null], "level": "HIGH"}'"#, "1"), ("rules_sum '[1, 2, 3]'", "6"),
      ("rules_fill abc 65", #"{"buffer": {"base64": "QUFB"}}"#), ("rules_write abcdef 2 3", "6"),
      ("rules_pack 10 abc", #"{"return": 0, "dest": {"base64": "Y2Jh"}, "destLen": 3}"#),
      (#"rules_points '[[1, 2], [3, 4]]'"#, "4"), (#"rules_words '["a", "bcd"]'"#, "3"),
    ])
  func calls(_ operands: String, _ result: String) throws {
    let directory = try library()
    let adopted = try shell(
      #""$troupe" adopt "$header" --library "$directory/librules.so" --guess-buffers -o "$directory/rules.troupe.json""#,
      environment: ["header": Self.header, "directory": directory.path])
    #expect(adopted.status == 0, "\(adopted.errors)")
    let call = try shell(#""$troupe" call --plugins "$directory" "# + operands, environment: ["directory": directory.path])
    #expect(call.status == 0, "\(call.errors)")
    #expect(call.text.split(separator: "\n").last.map(String.init) == result, "\(call.errors)")
  }

  @Test("A pointer that the header declares as never null refuses null")
  func nonnull() throws {
    let directory = try library()
    let adopted = try troupe(
      "adopt", Self.header, "--library", directory.file("librules.so"), "-o", directory.file("rules.troupe.json"))
    #expect(adopted.status == 0, "\(adopted.errors)")
    #expect(try output(of: troupe("call", "rules_nonnull", "abc", "null", plugins: directory.path)) == "3\n")
    expectFailure(
      try troupe("call", "rules_nonnull", "null", "abc", plugins: directory.path), 65,
      "expected const char * that is not null, got null")
  }

  @Test(
    "Libraries of other people's kinds are used as they are, by plain adoption and with guesses",
    arguments: [
      ("opaque", "widget_new 7 --then widget_set '$1' 8 --then widget_value '$1'", "8"),
      ("opaque", #"box_new '{"a": 1, "b": 2}' --then box_sum '$1'"#, "3"),
      ("opaque", "box_open 4 --then box_sum '$1.out'", "4"), ("opaque", "cell_new 5 --then cell_value '$1'", "5"),
      ("sizes", "sizes_put key hallo", "305"), ("sizes", "sizes_sum abc null", "294"),
      ("sizes", #"sizes_draw '{"seed": 7}' '[0, 0]'"#, #"{"return": 2, "x": [7.0, 7.0]}"#),
    ])
  func cases(_ name: String, _ operands: String, _ result: String) throws {
    let directory = try TemporaryDirectory()
    let adopted = try shell(
      #"cc -w -fPIC -shared -o "$directory/lib$name.so" "$fixtures/$name.c" && "$troupe" adopt "$fixtures/$name.h" "#
        + #"--library "$directory/lib$name.so" --guess-buffers -o "$directory/$name.troupe.json""#,
      environment: ["fixtures": Repo.fixture("adopt"), "directory": directory.path, "name": name])
    #expect(adopted.status == 0, "\(adopted.errors)")
    let call = try shell(#""$troupe" call --plugins "$directory" "# + operands, environment: ["directory": directory.path])
    #expect(call.status == 0, "\(call.errors)")
    #expect(call.text.split(separator: "\n").last.map(String.init) == result)
  }

  // MARK: Starts, variables, other names, inline functions and owners

  private struct Counters: Decodable {
    struct Function: Decodable { let name, symbol, uuid, signature: String }
    struct Variable: Decodable { let name, symbol, type: String }

    let library: String
    let functions: [Function]
    let variables: [Variable]
    let owners: [String: [String]]
    let refused: [Refusal]

    struct Refusal: Decodable { let name, reason: String }
  }

  /// Adopts `counters.h` into a directory with its library.
  private func adoptCounters(_ directory: TemporaryDirectory, _ options: String...) throws -> Run {
    try succeed(
      ["cc", "-w", "-fPIC", "-shared", "-o", directory.file("libcounters.so"), Repo.fixture("adopt/counters.c")])
    return try run(
      unset() + [Repo.troupe, "adopt", Repo.fixture("adopt/counters.h"), "--library", directory.file("libcounters.so")]
        + options)
  }

  @Test("Variables, macros that are other names, and pairs of functions are part of the file and the report")
  func counters() throws {
    let directory = try TemporaryDirectory()
    let report = try json(
      Counters.self, adoptCounters(directory, "--json", "--guess-owners", "-o", directory.file("c.troupe.json")))
    let functions = Dictionary(uniqueKeysWithValues: report.functions.map { ($0.name, $0) })
    #expect(report.library == "./libcounters.so")
    #expect(functions["counter_add"]?.symbol == "__counter_add" && functions["__counter_add"] == nil)
    #expect(functions["counter_scale"]?.symbol == "__counter_scale")
    #expect(functions["counter_total"]?.symbol == "counter_value" && functions["counter_value"]?.symbol == "counter_value")
    #expect(Set(report.functions.map(\.uuid)).count == report.functions.count)
    #expect(functions["counter_twice"] == nil)
    #expect(functions["counters_hash"]?.signature == "int (const unsigned char key[4], const double weights[2])")
    #expect(functions["counter_new"]?.signature == "struct counter; owned(counter_free) struct counter *(int value)")
    #expect(report.owners == ["counter_free": ["counter_new", "counter_open"]])
    let names = ["counters_version", "counters_limits", "counters_table", "counters_name", "counters_words"]
    #expect(report.variables.map(\.name) == names + ["counters_live"])
    let types = ["const char *", "struct counter_limits", "const int[3]", "const char[]", "const char *[2]", "int"]
    #expect(report.variables.map(\.type) == types)
    #expect(report.variables.map(\.symbol) == names + ["__counters_live"])
    #expect(
      report.refused.map { "\($0.name): \($0.reason)" }
        == ["counters_unknown: an array without a length", "counters_letters: an array of texts"])
  }

  @Test(
    "Other names, variables, constants, owned objects and functions that the header defines are called",
    arguments: [
      ("counters_version", "2.1"), ("counters_table", "[1, 2, 3]"), ("counters_name", "counters of all kinds"),
      ("counters_words", #"["one", "two"]"#), ("counters_limits", #"{"least": 6, "greatest": 100, "mode": "COUNTERS_STOP"}"#),
      ("counter_new 5 --then counter_add '$1' 2 --then counter_scale '$1' 3 --then counter_twice '$1'", "42"),
      ("counter_open 5 --then counter_total '$1.result'", "5"),
      ("counter_new 5 --then counter_free '$1' --then counters_live", "0"),
      ("counters_apply counters_double 4", "8"), ("counters_hash '[1, 0, 0, 2]' '[0, 2]'", "6"),
      ("counters_length COUNTERS_NAME", "8"), ("counters_length counters", "8"), ("counters_length COUNTERS", "8"),
      (#"counters_length --arguments '["COUNTERS_NAME"]'"#, "13"),
      ("counters_flags 'COUNTERS_WRAP|COUNTERS_STOP' COUNTERS_BLUE", "34"),
      ("counters_flags COUNTERS_STOP 'COUNTERS_RED|COUNTERS_BLUE'", "25"),
    ])
  func counterCalls(_ operands: String, _ result: String) throws {
    let directory = try TemporaryDirectory()
    let overlay = try directory.write(
      "overlay.json",
      #"""
      {"functions": {"counters_init": {"signature": "int (int least, const char *name) error(negative)"}}}
      """#.utf8)
    let adopted = try adoptCounters(
      directory, "--guess-owners", "--compile-inline", "--start", "counters_init(5, null)", "--stop", "counters_end",
      "--overlay",
      overlay, "-o", directory.file("counters.troupe.json"))
    #expect(adopted.status == 0, "\(adopted.errors)")
    #expect(adopted.errors.contains("troupe: counter_free releases the results of counter_new, counter_open\n"))
    try directory.write("double.c", "int counters_double(int number) { return 2 * number; }\n".utf8)
    try succeed(["cc", "-fPIC", "-shared", "-o", directory.file("libdouble.so"), directory.file("double.c")])
    try directory.write(
      "double.troupe.json",
      #"""
      {"id": "org.example.double", "name": "Double", "version": "1.0.0", "library": "./libdouble.so", "functions": [
        {"uuid": "5b1a7c52-6f0a-4b3e-8f0e-3c9b1a2d4e77", "name": "counters_double", "symbol": "counters_double",
         "signature": "int (int number)"}]}
      """#.utf8)
    let call = try shell(#""$troupe" call --plugins "$directory" "# + operands, environment: ["directory": directory.path])
    #expect(call.status == 0, "\(call.errors)")
    #expect(call.text.split(separator: "\n").last.map(String.init) == result, "\(call.errors)")
  }

  @Test("The library of inline functions stands beside the file, links the adopted one, and is pinned")
  func inlineLibrary() throws {
    let directory = try TemporaryDirectory()
    let file = directory.file("counters.troupe.json")
    #expect(try adoptCounters(directory, "--compile-inline", "-o", file).status == 0)
    let inspection = try json(Inspection.self, troupe("inspect", file, "--json"))
    #expect(inspection.plugin.library == directory.file("counters-inline.so"))
    #expect(inspection.plugin.state == "admitted" && inspection.plugin.refused.isEmpty)
    let listed = try json([ListedPlugin].self, troupe("list", "--json", plugins: directory.path))
    #expect(listed.map(\.path) == [file])
    // Moved together, both still find the library.
    let moved = directory.file("moved")
    try FileManager.default.createDirectory(atPath: moved, withIntermediateDirectories: false)
    for name in ["counters.troupe.json", "counters-inline.so", "libcounters.so"] {
      try FileManager.default.moveItem(atPath: directory.file(name), toPath: "\(moved)/\(name)")
    }
    let call = try troupe("call", "counter_new", "4", "--then", "counter_twice", "$1", plugins: moved)
    #expect(call.text.hasSuffix("\n8\n"), "\(call.errors)")
    expectFailure(try adoptCounters(directory, "--compile-inline"), 64, "--compile-inline: writes a library beside the file")
  }

  @Test(
    "A wrong start or stop is reported before the file is written",
    arguments: [
      ("--start", "counter_init", "--start: calls \"counter_init\", which is no function of the file; write \"counters_init\""),
      ("--start", "counters_init(1)", "--start: passes 1 arguments; \"counters_init\" takes 2"),
      ("--stop", "counters_end(", "--stop: is \"counters_end(\", whose parenthesis is open"),
    ])
  func wrongCalls(option: String, call: String, message: String) throws {
    let directory = try TemporaryDirectory()
    let file = directory.file("counters.troupe.json")
    expectFailure(try adoptCounters(directory, option, call, "-o", file), 64, message)
    #expect(!FileManager.default.fileExists(atPath: file))
  }

  @Test("The functions of start and stop are adopted although they are not selected")
  func selectedCalls() throws {
    let directory = try TemporaryDirectory()
    let report = try json(
      Counters.self,
      adoptCounters(directory, "--json", "--only", "hash", "--start", "counters_init(1, null)", "--stop", "counters_end"))
    #expect(report.functions.map(\.name) == ["counters_init", "counters_end", "counters_hash"])
  }

  @Test("Files of one library with ids of their own are loaded side by side")
  func twoFiles() throws {
    let directory = try TemporaryDirectory()
    var uuids: Set<String> = []
    for id in ["org.example.one", "org.example.two"] {
      let report = try json(
        Counters.self, adoptCounters(directory, "--json", "--id", id, "-o", directory.file("\(id).troupe.json")))
      uuids.insert(try #require(report.functions.first { $0.name == "counters_length" }).uuid)
    }
    #expect(uuids.count == 2)
    for uuid in uuids {
      #expect(try output(of: troupe("call", "--eager", uuid, "four", plugins: directory.path)) == "4\n")
    }
  }

  // MARK: Libraries of the system

  static let libraries = [
    ("zlib.h", "libz.so.1"), ("math.h", "libm.so.6"), ("sqlite3.h", "libsqlite3.so.0"), ("png.h", "libpng16.so.16"),
    ("expat.h", "libexpat.so.1"), ("curl/curl.h", "libcurl.so.4"),
  ]

  /// Adopts a library of the system into a directory.
  private func adopt(_ header: String, _ library: String, into directory: TemporaryDirectory) throws -> Report {
    try json(
      Report.self,
      troupe(
        "adopt", header, "--library", library, "--guess-buffers", "-D_GNU_SOURCE", "--json", "-o",
        directory.file("\(library).troupe.json")))
  }

  @Test("At least 90 % of the functions that a library exports and its header declares are adopted", arguments: libraries)
  func share(_ header: String, _ library: String) throws {
    let directory = try TemporaryDirectory()
    let report = try adopt(header, library, into: directory)
    #expect(report.count >= 60)
    #expect(Double(report.functions.count) >= 0.9 * Double(report.count), "\(report.refused)")
    #expect(report.library == library)
    let inspection = try json(Inspection.self, troupe("inspect", try #require(report.file), "--json"))
    #expect(inspection.plugin.refused.isEmpty)
    #expect(inspection.factories.count == report.functions.count + report.variables.count)
  }

  private struct Call: Decodable {
    let library, function, type, result: String
    let arguments: [String]
  }

  @Test("Hundreds of adopted functions return the same results to Troupe and to ctypes")
  func agreement() throws {
    let names = Self.libraries.map { $0.1 }
    let table = try succeed(
      ["python3", Repo.fixture("adopt/compare.py"), Repo.fixture("calls/system-libraries.txt")] + names)
    let calls = try JSONDecoder().decode([Call].self, from: table.output)
    #expect(Set(calls.map(\.function)).count >= 200)
    #expect(Set(calls.map(\.library)) == Set(names))
    for (header, library) in Self.libraries {
      let directory = try TemporaryDirectory()
      _ = try adopt(header, library, into: directory)
      let own = calls.filter { $0.library == library }
      let words = own.map { [$0.function] + $0.arguments }.joined(separator: ["--then"])
      let result = try run(unset() + [Repo.troupe, "call", "--plugins", directory.path] + words)
      let lines = output(of: result).split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
      try #require(lines.count == own.count + 1)
      for (call, line) in zip(own, lines) {
        #expect(isEqual(line, call), "\(call.function)\(call.arguments): \(line) and \(call.result)")
      }
    }
  }

  /// Whether a line is the result of a call. Numbers with a fraction have several texts.
  private func isEqual(_ line: String, _ call: Call) -> Bool {
    guard ["float", "double", "long double"].contains(call.type) else { return line == call.result }
    guard let one = Double(line), let other = Double(call.result) else { return false }
    return one == other || one.isNaN && other.isNaN || call.type == "float" && Float(one) == Float(other)
  }

  // MARK: Bad input

  @Test(
    "A command line, a header or a library that cannot be used ends with one line, and nothing is written",
    arguments: [
      ("rules.h", 64, "missing --library"), ("--library ./librules.so", 64, "missing HEADER"),
      ("rules.h --library ./librules.so --only '('", 64, "--only"),
      ("rules.h --library ./librules.so --id x", 64, "--id"),
      ("rules.h --library ./librules.so --json -o x.json", 64, "x.json: does not end in .troupe.json"),
      ("rules.h --library ./librules.so -x", 64, "no option -x"),
      ("absent.h --library ./librules.so", 66, "absent.h: "), (". --library ./librules.so", 66, ".: "),
      ("faulty.h --library ./librules.so", 65, "faulty.h: does not compile at line 2, column 5: "),
      ("incomplete.h --library ./librules.so", 65, "incomplete.h: does not compile at line 1, column 10: 'absent.h'"),
      ("rules.h --library ./absent.so", 66, "absent.so"), ("rules.h --library libabsent.so.1", 66, "libabsent.so.1"),
      ("rules.h --library rules.h", 66, "rules.h"), ("rules.h --library ./rules.h", 65, "rules.h: is not an ELF file"),
      ("rules.h --library .", 66, "."), ("rules.h --library ./librules.so --prefix none_", 65, "librules.so: "),
      ("rules.h --library ./librules.so --only va_list\\|leaves", 65, "librules.so: "),
      ("rules.h --library libz.so.1", 65, "libz.so.1: "),
      ("unfinished.h --library ./librules.so", 65, "unfinished.h: does not compile at its end: "),
      ("faulty:1.h --library ./librules.so", 65, "faulty:1.h: does not compile at line 1, column 7: "),
      ("pipe.h --library ./librules.so", 66, "pipe.h: "), ("'' --library ./librules.so", 64, "HEADER is empty"),
      ("rules.h --library ''", 64, "--library is empty"), ("rules.h --library ./librules.so -D ''", 64, "-D: macro name"),
      ("rules.h --library ./librules.so -D -o", 64, "-D: macro name"),
    ])
  func failures(_ operands: String, _ status: Int, _ message: String) throws {
    let directory = try library()
    try copyFile(Self.header, to: directory.file("rules.h"))
    try directory.write("faulty.h", "int good(void);\nint 1bad(void);\n".utf8)
    try directory.write("faulty:1.h", "int f(;\n".utf8)
    try directory.write("incomplete.h", "#include <absent.h>\n".utf8)
    try directory.write("unfinished.h", "int f(int x".utf8)
    try succeed(["mkfifo", directory.file("pipe.h")])
    let before = try FileManager.default.contentsOfDirectory(atPath: directory.path)
    let line = #"cd "$directory" && "$troupe" adopt -o out.troupe.json "# + operands
    let result = try shell(
      operands.contains("-o ") ? line.replacing(" -o out.troupe.json", with: "") : line,
      environment: ["directory": directory.path])
    expectFailure(result, Int32(status), message)
    #expect(try Set(FileManager.default.contentsOfDirectory(atPath: directory.path)) == Set(before))
  }

  @Test("Without clang in PATH, the command says where it searched")
  func noCompiler() throws {
    let directory = try library()
    let result = try troupe(
      "adopt", Self.header, "--library", directory.file("librules.so"), environment: ["PATH": directory.path])
    expectFailure(result, 69, "clang: is neither beside swiftc nor in PATH")
  }

  @Test(
    "The end of a failed compiler is named",
    arguments: [("exit 3", "clang: ended with status 3"), ("kill -KILL $$", "clang: was ended by SIGKILL")])
  func failedCompiler(line: String, message: String) throws {
    let directory = try library()
    let clang = try directory.write("clang", "#!/bin/sh\n\(line)\n".utf8)
    try setMode(0o755, of: clang)
    let result = try troupe(
      "adopt", Self.header, "--library", directory.file("librules.so"), environment: ["PATH": directory.path])
    expectFailure(result, 69, message)
  }

  @Test("An existing file stays as it is if the header does not compile")
  func keepsFile() throws {
    let directory = try library()
    let file = try directory.write("rules.troupe.json", "old".utf8)
    let header = try directory.write("faulty.h", "int f(;\n".utf8)
    expectFailure(
      try troupe("adopt", header, "--library", directory.file("librules.so"), "-o", file), 65, "faulty.h: does not compile")
    #expect(try String(contentsOfFile: file, encoding: .utf8) == "old")
  }
}
