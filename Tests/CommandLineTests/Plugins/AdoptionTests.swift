import Foundation
import TestSupport
import Testing

@Suite("Adopted C libraries")
struct AdoptionTests {
  /// The faulty files with the expected status of inspect and the expected parts of its message.
  static let faulty: [(file: String, status: Int32, place: String, remedy: String)] = [
    ("empty", 65, "line 2, column 1: the text is empty", "write one"),
    ("not-json", 65, "line 1, column 1: the text has i ", "correct it there"),
    ("array", 65, "line 1, column 1: the text is an array; expected an object", "correct it"),
    ("truncated", 65, "line 3, column 15: name has the end of the line ", "correct it there"),
    ("trailing-comma", 65, "line 8, column 3: functions[1] has ] ", "correct it there"),
    ("trailing-text", 65, "line 10, column 1: the text has } ", "correct it there"),
    ("single-quotes", 65, "line 1, column 2: the text has ' ", "correct it there"),
    ("comment", 65, "line 2, column 3: the text has / ", "correct it there"),
    ("bad-escape", 65, "functions[0].name has \\ here; expected an escape sequence", "correct it there"),
    ("lone-surrogate", 65, "functions[0].name has \\ here; expected a character", "correct it there"),
    ("control-character", 65, "line 2, column 22: id has a control character here", "correct it there"),
    ("byte-order-mark", 65, "line 1, column 1: ", "save it as UTF-8 without one"),
    ("utf-16", 65, "line 1, column 1: ", "without one"),
    ("invalid-utf-8", 65, "line 3, column 14: the text is not UTF-8", "save it as UTF-8"),
    ("deep-nesting", 65, "line 2, column 75: ", "make it flatter"),
    ("leading-zero", 65, "line 2, column 13: the text has 0 ", "correct it there"),
    ("not-a-number", 65, "line 2, column 12: notes has N ", "correct it there"),
    ("duplicate-member", 65, "line 6, column 3: id occurs twice", "remove one of the two"),
    ("duplicate-function-member", 65, "functions[0].symbol occurs twice", "remove one of the two"),
    ("missing-id", 65, "line 1, column 1: id is missing; expected a string such as \"org.example.zlib\"", "add it"),
    ("bad-id", 65, "id \"faulty\" ", "write one such as \"org.example.zlib\""),
    ("name-number", 65, "line 3, column 11: name is a number; expected a string", "correct it"),
    ("bad-version", 65, "version is \"1\", ", "write one such as \"1.0.0\""),
    ("missing-library", 65, "library is missing; expected a string such as \"libz.so.1\"", "add it"),
    ("empty-library", 65, "library is empty; expected a string such as", "write a value"),
    (
      "unknown-library", 69, "library \"libno-such-library.so.7\" is in none of the loader's directories (",
      "install it, or write"
    ),
    ("unknown-path", 69, "library \"./lib/no-such-library.so\" does not exist: ", "correct the path, or install"),
    ("library-is-text", 65, "library-is-text.troupe.json, which is ", "name a shared library for "),
    ("library-is-directory", 66, "library \"./\" is ", "name a shared"),
    ("missing-functions", 65, "functions is missing; expected an array of objects", "add it"),
    ("functions-object", 65, "line 6, column 16: functions is an object; expected an array of objects", "correct it"),
    ("function-string", 65, "functions[0] is a string; expected an object", "correct it"),
    (
      "unknown-member", 65, "functions[0].signatur is not known; expected one of uuid, name, symbol,",
      "rename it to \"signature\", or remove it"
    ),
    (
      "unknown-outer-member", 65, "line 6, column 12: stict is not known; expected one of id, name, version, description,",
      "rename it to \"strict\", or remove it"
    ),
    ("missing-uuid", 65, "functions[0].uuid is missing; expected a UUID", "add it"),
    ("bad-uuid", 65, "functions[0].uuid is \"0d6a7f10\", which is not a UUID", "make one with uuidgen"),
    (
      "duplicate-uuid", 65, "line 8, column 14: functions[1].uuid is the UUID of functions[0] as well",
      "make another with uuidgen"
    ),
    ("empty-name", 65, "functions[0].name is empty", "write a value"),
    ("long-name", 65, "functions[0].name is refused: ", "1 to 255"),
    ("missing-symbol-member", 65, "line 7, column 5: functions[0].symbol is missing", "add it"),
    ("symbol-with-nul", 65, "functions[0].symbol has control characters", "write it without them"),
    ("missing-signature", 65, "functions[0].signature is missing; expected a C function type", "add it"),
    (
      "bad-signature", 65,
      "functions[1].signature is refused: the function \"hypot\": signature \"double (dubble x)\": column 9", "correct it"
    ),
    ("tags-string", 65, "functions[0].tags is a string; expected an array of strings", "correct it"),
    ("tag-number", 65, "functions[0].tags[1] is a number; expected a string", "correct it"),
    ("empty-tag", 65, "functions[0].tags[0] is empty", "write a value"),
    ("tag-uuid", 65, "functions[0].tags[0] is refused: the function \"abs\": has the tag ", "its own UUID is a tag by itself"),
    ("bad-contract", 65, "functions[0].contract is refused: the function \"abs\": has the contract \"box\"", "write a name"),
    ("contract-without-pointer", 65, "functions[0].contract is refused: ", "it has to return a pointer"),
    ("destroy-without-contract", 65, "functions[0].destroy is refused: ", "a plain function makes nothing to destroy"),
    ("singleton-function", 65, "functions[0].lifetime is refused: ", "a plain function is transient"),
    (
      "bad-lifetime", 65, "functions[0].lifetime is \"eternal\"; expected \"transient\", \"singleton\" or \"scoped\"",
      "write one of the three"
    ),
    ("metadata-array", 65, "functions[0].metadata is an array; expected an object of strings", "correct it"),
    ("metadata-number", 65, "functions[0].metadata.year is a number; expected a string", "correct it"),
    // Shown once the library has been opened.
    ("missing-symbol", 69, "functions[1].symbol is \"no_such_function\", and /", "correct the name, or install"),
    ("symbol-is-data", 69, "functions[0].symbol is \"environ\", a variable and no function of /", "name a function"),
    (
      "contract-with-table", 69, "\"abs\": is for the contract troupe.transform/1, which needs a table of functions",
      "write a plugin in C"
    ),
  ]

  @Test("A faulty file is refused with one line that names it, the member and the remedy", arguments: faulty)
  func faults(_ file: String, _ status: Int32, _ place: String, _ remedy: String) throws {
    let directory = try TemporaryDirectory()
    let path = try directory.copy(fixture: file)
    // inspect shows the parts that it read before the fault.
    let result = try troupe("inspect", path)
    expectFailure(result, status, "troupe: \(path): ", place, remedy, showing: [])
    #expect(result.text.isEmpty || result.text.contains("state     rejected\n"), "\(result.text)")
    let report = try JSONDecoder().decode(Inspection.self, from: troupe("inspect", path, "--json").output)
    #expect(report.plugin.state == "rejected")
    #expect(report.factories.isEmpty)
  }

  @Test("All faults of a file are reported at once, each with its location, its function and its remedy")
  func allFaults() throws {
    let directory = try TemporaryDirectory()
    let path = try directory.write(
      "many.troupe.json",
      #"""
      {
        "id": "many",
        "libary": "libz.so.1",
        "version": "1",
        "library": "libz.so.1",
        "name": "Many",
        "functions": [
          {"uuid": "1", "name": "crc32", "symbol": "crc32", "signature": "dubble (int)"},
          {"uuid": "5d2c8a44-3f0e-4b53-9a57-6f5a1f6f0c11", "name": "adler32", "signature": "int (int number)"}
        ]
      }
      """#.utf8)
    let result = try troupe("inspect", path)
    #expect(result.status == 65)
    #expect(result.errors.hasPrefix("troupe: \(path): is malformed at line 2, column 9: id \"many\" "), "\(result.errors)")
    for part in [
      "; at line 3, column 13: libary is not known; expected one of id, ", " (rename it to \"library\", or remove it); ",
      "; at line 4, column 14: version is \"1\", which is not a semantic version (write one such as \"1.0.0\"); ",
      "; at line 8, column 14, in \"crc32\": functions[0].uuid is \"1\", which is not a UUID (make one with uuidgen); ",
      "; at line 8, column 68, in \"crc32\": functions[0].signature is refused: ",
      "; at line 9, column 5, in \"adler32\": functions[1].symbol is missing; expected the name of a function, ",
    ] { #expect(result.errors.contains(part), "\(part): \(result.errors)") }
    #expect(result.errors.hasSuffix(" (add it); correct each of them\n"), "\(result.errors)")
  }

  @Test("A function that cannot be called is skipped, with the reason in inspect, and the others work")
  func faultyFunctions() throws {
    let directory = try TemporaryDirectory()
    func uuid(_ number: Int) -> String { "0d6a7f10-5e0b-4c8e-9d6c-6a1f0b7c1e0\(number)" }
    let functions = [
      #"{"uuid": "\#(uuid(0))", "name": "abs", "symbol": "abs", "signature": "int (int number)"}"#,
      #"{"uuid": "\#(uuid(1))", "name": "hypot", "symbol": "hypot", "signature": "double (dubble x)"}"#,
      #"{"uuid": "\#(uuid(2))", "name": "absent", "symbol": "no_such_function", "signature": "int (int number)"}"#,
      #"{"uuid": "\#(uuid(3))", "name": "environ", "symbol": "environ", "signature": "int ()"}"#,
      #"{"uuid": "\#(uuid(0))", "name": "again", "symbol": "abs", "signature": "int (int number)"}"#,
      #"{"uuid": "\#(uuid(4))", "name": "labs", "symbol": "labs", "signatur": "long (long number)"}"#,
      #"{"uuid": "\#(uuid(5))", "name": "strlen", "symbol": "strlen", "signature": "size_t (string text)"}"#,
    ]
    let reasons = [
      "line 1, column ", "functions[1].signature", "functions[4].uuid", "functions[5].signatur ", "functions[2].symbol",
      "functions[3].symbol",
    ]
    func file(strict: String) -> String {
      #"{"id":"org.example.part","name":"Part","version":"1.0.0","library":"libc.so.6",\#(strict)"functions":["#
        + functions.joined(separator: ",") + "]}"
    }
    let path = try directory.write("part.troupe.json", file(strict: "").utf8)
    let inspection = try json(Inspection.self, troupe("inspect", path, "--json"))
    #expect(inspection.plugin.state == "admitted")
    #expect(inspection.factories.map(\.name) == ["abs", "strlen"])
    #expect(inspection.plugin.refused.count == 5)
    let text = try output(of: troupe("inspect", path))
    for reason in reasons { #expect(text.contains(reason), "\(text)") }
    let call = try troupe("call", "abs", "-7", plugins: directory.path)
    #expect(call.text == "7\n")
    #expect(call.errorLines.count == 1)
    #expect(call.errors.contains("5 of 7 registrations"))
    for (name, reason) in [
      ("hypot", ": is malformed at line 1, "), ("absent", ": functions[2].symbol "),
    ] {
      expectFailure(
        try troupe("call", name, plugins: directory.path), 69, "troupe: \(path): the function \"\(name)\"\(reason)")
    }
    let environment = ["XDG_CACHE_HOME": directory.file("cache")]
    func list() throws -> String { try output(of: troupe("list", plugins: directory.path, environment: environment)) }
    #expect(
      try list().hasSuffix(
        "\n    3 of 7 registrations are refused; troupe inspect org.example.part --plugins \(directory.path) shows the reasons\n"
      ))
    for _ in 0..<2 {
      #expect(try json(Inspection.self, troupe("inspect", path, "--json", environment: environment)).plugin.refused.count == 5)
    }
    #expect(try list().contains("\n    5 of 7 "))

    try directory.write("part.troupe.json", file(strict: #""strict":false,"#).utf8)
    #expect(try json([ListedPlugin].self, troupe("list", "--json", plugins: directory.path)).map(\.refused.count) == [3])
    try directory.write("part.troupe.json", file(strict: #""strict":true,"#).utf8)
    expectFailure(try troupe("inspect", path), 65, "functions[1].signature", showing: ["state     rejected\n"])
    try directory.write("part.troupe.json", file(strict: #""strict":1,"#).utf8)
    expectFailure(
      try troupe("inspect", path), 65, "strict is a number; expected true or false", showing: ["state     rejected\n"])
  }

  @Test("--set for an adopted library is wrong usage, since an adopted library reads no configuration")
  func configuration() throws {
    expectFailure(
      try troupe("call", "abs", "-7", "--set", "org.example.libc:a=b", plugins: Examples.directory()), 64,
      "--set: org.example.libc is configured, and an adopted library reads no configuration; remove")
  }

  @Test("Every faulty fixture file is in the table")
  func allFixtures() throws {
    let files = try FileManager.default.contentsOfDirectory(atPath: Repo.fixture("adoption"))
    #expect(Set(files) == Set(Self.faulty.map { $0.file + ".troupe.json" }))
  }

  @Test("inspect shows the library and its functions with their signatures")
  func inspect() throws {
    let text = try output(of: troupe("inspect", "org.example.zlib", plugins: Examples.directory()))
    #expect(text.contains("\nlanguage  c\nabi       1.2\npath      \(try Examples.directory())/zlib.troupe.json\nlibrary   /"))
    #expect(
      text.contains("\n  signature unsigned long (unsigned long crc, const unsigned char bytes[count], unsigned int count)\n"))
    let inspection = try json(Inspection.self, troupe("inspect", "math.troupe.json", "--json", directory: Examples.directory()))
    #expect(inspection.plugin.library?.contains("/libm.so") == true)
    #expect(inspection.factories.map(\.name) == ["hypot", "cbrt", "fma"])
  }

  @Test(
    "Functions of the system's C library, math library and zlib are called",
    arguments: [
      (["zlib_crc32", "0", "123456789"], "3421780262"), (["compress_bound", "1000"], "1013"),
      (["hypot", "3", "4"], "5.0"), (["cbrt", "8"], "2.0"), (["fma", "2", "3", "4"], "10.0"), (["abs", "-7"], "7"),
      (["strlen", "grün"], "5"), (["div", "17", "5"], "{\"quot\": 3, \"rem\": 2}"),
      (["div", "-17", "5"], "{\"quot\": -3, \"rem\": -2}"), (["zlib_crc32", "0", "[0, 255]"], "1826356594"),
      (["qsort", "[3, -1, 2]", "int32", "compare_int32"], "{\"numbers\": [-1, 2, 3]}"),
      (["qsort", "[3, -1, 2]", "int32", "compare_int32_descending"], "{\"numbers\": [3, 2, -1]}"),
      (["qsort", "[]", "int32", "compare_int32"], "{\"numbers\": []}"),
    ])
  func call(_ words: [String], _ result: String) throws {
    let run = try run(unset() + [Repo.troupe, "call", "--plugins", try Examples.directory()] + words)
    #expect(output(of: run) == result + "\n")
  }

  @Test("Functions of adopted libraries are resolved by tag together with those of other plugins")
  func resolve() throws {
    let instances = try json(
      [ListedInstance].self, troupe("resolve", "--tag", "checksum", "--json", plugins: Examples.directory()))
    #expect(instances.map(\.name) == ["crc32", "crc32_text", "zlib_crc32"])
  }

  @Test("Text that a function prints precedes its result")
  func printing() throws {
    let directory = try TemporaryDirectory()
    try directory.write(
      "print.troupe.json",
      #"{"id":"org.example.print","name":"Print","version":"1.0.0","library":"libc.so.6","functions":[{"uuid":"7d6a7f10-5e0b-4c8e-9d6c-6a1f0b7c1e02","name":"print","symbol":"printf","signature":"int (string format, ...)"}]}"#
        .utf8)
    #expect(try output(of: troupe("call", "print", "%s, ", "hello", plugins: directory.path)) == "hello, 7\n")
  }

  @Test("list runs no code of the library and does not open it")
  func list() throws {
    let directory = try TemporaryDirectory()
    let trace = directory.file("trace")
    let library = try directory.add(fixture: "commands/trace-library.c", as: "libtrace", ["TRACE": "\"\(trace)\""])
    try directory.write(
      "trace.troupe.json",
      #"{"id":"org.example.trace","name":"Trace","version":"1.0.0","library":"./libtrace.so","functions":[{"uuid":"7d6a7f10-5e0b-4c8e-9d6c-6a1f0b7c1e01","name":"seven","symbol":"seven","signature":"int ()"}]}"#
        .utf8)
    let plugins = try json([ListedPlugin].self, troupe("list", "--json", plugins: directory.path))
    #expect(plugins.map(\.state) == ["admitted"])
    #expect(plugins.map(\.library) == [library])
    #expect(!FileManager.default.fileExists(atPath: trace))
    #expect(try output(of: troupe("call", "seven", plugins: directory.path)) == "7\n")
    #expect(FileManager.default.fileExists(atPath: trace))
  }
}

extension TemporaryDirectory {
  /// Copies an adoption file from the fixtures and returns its path.
  fileprivate func copy(fixture name: String) throws -> String {
    let bytes = try Data(contentsOf: URL(filePath: Repo.fixture("adoption/\(name).troupe.json")))
    return try write(name + ".troupe.json", bytes)
  }
}
