import Foundation
import TestSupport
import Testing

@Suite("troupe call")
struct CallTests {
  /// A plugin whose functions return their arguments: one function for every type that a signature can name, and a few more.
  private static let echo = Result {
    let directory = try TemporaryDirectory.untilExit()
    try directory.add(fixture: "commands/echo.c", as: "echo")
    return directory
  }

  /// The number of types in `commands/echo.c`.
  private static let typeCount = 31

  /// Runs `troupe call` with the plugin above.
  private static func call(_ words: [String], input: Data = Data()) throws -> Run {
    try run(unset() + [Repo.troupe, "call", "--plugins", try echo.get().path] + words, input: input)
  }

  // MARK: Values

  @Test(
    "The limits of the integer types are returned unchanged",
    arguments: [
      ("int8_t", "-128"), ("int8_t", "127"), ("uint8_t", "0"), ("uint8_t", "255"), ("int16_t", "-32768"), ("int16_t", "32767"),
      ("uint16_t", "65535"), ("int32_t", "-2147483648"), ("int32_t", "2147483647"), ("uint32_t", "4294967295"),
      ("int64_t", "-9223372036854775808"), ("int64_t", "9223372036854775807"), ("uint64_t", "18446744073709551615"),
      ("signed char", "-128"), ("unsigned char", "255"), ("short", "-32768"), ("unsigned short", "65535"),
      ("int", "-2147483648"), ("unsigned int", "4294967295"), ("long long", "-9223372036854775808"),
      ("unsigned long long", "18446744073709551615"), ("long", "2147483647"), ("unsigned long", "4294967295"),
      ("char", "127"), ("size_t", "4294967295"), ("ssize_t", "-2147483648"), ("ptrdiff_t", "-2147483648"),
      ("intptr_t", "-2147483648"), ("uintptr_t", "4294967295"), ("intmax_t", "-9223372036854775808"),
      ("uintmax_t", "18446744073709551615"),
    ])
  func integers(type: String, value: String) throws {
    #expect(try output(of: Self.call([type, value])) == value + "\n")
    #expect(try output(of: Self.call([type, value, "--json"])) == "{\n  \"result\" : \(value)\n}\n")
    #expect(try output(of: Self.call([type, "--arguments", "[\(value)]"])) == value + "\n")
  }

  @Test(
    "An integer outside its type's range ends the command with 65 and the range",
    arguments: [
      ("int8_t", "128", "-128 to 127"), ("int8_t", "-129", "-128 to 127"), ("uint8_t", "256", "0 to 255"),
      ("uint8_t", "-1", "0 to 255"), ("int16_t", "32768", "-32768 to 32767"), ("uint16_t", "65536", "0 to 65535"),
      ("int32_t", "2147483648", "-2147483648 to 2147483647"), ("uint32_t", "-1", "0 to 4294967295"),
      ("int64_t", "9223372036854775808", "-9223372036854775808 to 9223372036854775807"),
      ("int64_t", "-9223372036854775809", "-9223372036854775808 to 9223372036854775807"),
      ("uint64_t", "18446744073709551616", "0 to 18446744073709551615"),
      ("int64_t", "99999999999999999999999999999999999999999999999999", "-9223372036854775808 to 9223372036854775807"),
    ])
  func outOfRange(type: String, value: String, range: String) throws {
    expectFailure(try Self.call([type, value]), 65, "argument 1 \"x\"", "\(type) cannot hold ", value, range)
  }

  @Test(
    "Floating-point numbers are read and printed exactly, in the shortest form that is unique",
    arguments: [
      ("double", "0.1", "0.1"), ("double", "1e308", "1e+308"), ("double", "5e-324", "5e-324"), ("double", "-0.0", "-0.0"),
      ("double", "3", "3.0"), ("double", "-inf", "-inf"), ("double", "nan", "nan"), ("double", "0x1p-3", "0.125"),
      ("double", "-1e-5", "-1e-05"), ("double", "9007199254740993", "9007199254740992.0"), ("float", "0.1", "0.1"),
      ("float", "16777217", "16777216.0"), ("float", "-3.4028235e38", "-3.4028235e+38"), ("float", "inf", "inf"),
    ])
  func floatingPoint(type: String, given: String, printed: String) throws {
    #expect(try output(of: Self.call([type, given])) == printed + "\n")
  }

  @Test(
    "JSON writes infinities and NaN as strings, and whole floating-point numbers without a fraction",
    arguments: [
      ("double", "inf", "\"inf\""), ("double", "nan", "\"nan\""), ("double", "2.5", "2.5"),
      ("double", "9007199254740992", "9007199254740992"), ("bool", "true", "true"), ("string", "nan", "\"nan\""),
      ("pointer", "null", "null"),
    ])
  func jsonResult(type: String, given: String, printed: String) throws {
    #expect(try output(of: Self.call([type, given, "--json"])) == "{\n  \"result\" : \(printed)\n}\n")
  }

  @Test(
    "A number that overflows its type ends the command with 65", arguments: [("double", "1e309"), ("float", "1e39")])
  func overflow(type: String, value: String) throws {
    expectFailure(try Self.call([type, value]), 65, "cannot hold \"\(value)\"")
  }

  @Test("Booleans", arguments: [("true", "true"), ("false", "false"), ("1", "true"), ("0", "false")])
  func booleans(given: String, printed: String) throws {
    #expect(try output(of: Self.call(["bool", given])) == printed + "\n")
  }

  @Test("Strings pass unchanged", arguments: ["", " a  b ", "null", "Grüße 👋🏽", "\"quoted\\\"", "a\nb", "e\u{301}"])
  func strings(text: String) throws {
    #expect(try output(of: Self.call(["string", text])).utf8.elementsEqual((text + "\n").utf8))
  }

  @Test("A string in JSON is escaped and decodes to the original")
  func jsonString() throws {
    let result = try json([String: String].self, Self.call(["lines", "--json"]))
    #expect(result == ["result": "a\nb\t\"c\""])
  }

  @Test("A NULL string and a NULL pointer are null")
  func null() throws {
    #expect(try output(of: Self.call(["null_text"])) == "null\n")
    #expect(try output(of: Self.call(["null_text", "--json"])) == "{\n  \"result\" : null\n}\n")
    #expect(try output(of: Self.call(["string", "--arguments", "[null]"])) == "null\n")
    #expect(try output(of: Self.call(["pointer", "null"])) == "null\n")
  }

  @Test("A pointer is printed as its address")
  func pointer() throws {
    #expect(try output(of: Self.call(["address"])) == "0x7f01\n")
    #expect(try output(of: Self.call(["address", "--json"])) == "{\n  \"result\" : \"0x7f01\"\n}\n")
  }

  @Test("void prints nothing, and null in JSON")
  func void() throws {
    #expect(try output(of: Self.call(["nothing"])) == "")
    #expect(try output(of: Self.call(["nothing", "--json"])) == "{\n  \"result\" : null\n}\n")
  }

  @Test("More arguments of all kinds than there are registers arrive in order")
  func mixed() throws {
    // printf of a C program prints the same numbers.
    let words = [
      "mixed", "-128", "255", "-32768", "-1.5", "65535", "2.25", "-2147483648", "4294967295", "-9223372036854775808",
      "18446744073709551615", "true", "text", "0.125",
    ]
    #expect(
      try output(of: Self.call(words))
        == "-128 255 -32768 -1.500 65535 2.250 -2147483648 4294967295 -9223372036854775808 18446744073709551615 1 text 0.125\n")
  }

  @Test(
    "The examples return values computed by independent implementations",
    arguments: [
      // IEEE 754 products and square roots, computed with Python.
      (["area", "0.1", "0.2"], "0.020000000000000004"), (["area", "3", "-4.5"], "-13.5"),
      (["hypotenuse", "1", "1"], "1.4142135623730951"), (["hypotenuse", "-5e200", "12e200"], "1.3e+201"),
      // Kahan, "Miscalculating Area and Angles of a Needle-like Triangle": table 1.
      (["triangle_area", "10", "10", "10"], "43.30127018922193"), (["triangle_area", "1", "2", "4"], "nan"),
      (["compass", "-45"], "north-west"), (["compass", "inf"], "null"),
      // The check value of CRC-32/ISO-HDLC, and others from zlib.
      (["crc32_text", "123456789"], "3421780262"), (["crc32_text", ""], "0"), (["crc32_text", "é"], "235179326"),
      (["crc32_text", "The quick brown fox jumps over the lazy dog"], "1095738169"),
    ])
  func examples(words: [String], result: String) throws {
    let printed = try run(unset() + [Repo.troupe, "call", "--plugins", try Examples.directory()] + words)
    #expect(output(of: printed) == result + "\n")
  }

  // MARK: Arguments

  @Test("A negative operand is a number, not an option", arguments: ["-5", "-0x10", "-0b101", "-0X1F", "-0x8000000000000000"])
  func negativeOperands(operand: String) throws {
    let values = ["-5": "-5", "-0x10": "-16", "-0b101": "-5", "-0X1F": "-31", "-0x8000000000000000": "-9223372036854775808"]
    #expect(try output(of: Self.call(["int64_t", operand])) == (try #require(values[operand])) + "\n")
  }

  @Test("An operand that begins with a dash and is not a number is an option; behind -- it is an operand")
  func dashes() throws {
    expectFailure(try Self.call(["string", "-x"]), 64, " -x; ")
    #expect(try output(of: Self.call(["string", "--", "-x"])) == "-x\n")
    #expect(try output(of: Self.call(["string", "--", "--json"])) == "--json\n")
    #expect(try output(of: Self.call(["string", "-"])) == "-\n")
  }

  @Test("--arguments takes a JSON array")
  func jsonArguments() throws {
    let array = "[-128, 255, 1, 0.5, 65535, \"-inf\", 2, 3, -9223372036854775808, 18446744073709551615, false, \"é\\n\", 1e0]"
    #expect(
      try output(of: Self.call(["mixed", "--arguments", array]))
        == "-128 255 1 0.500 65535 -inf 2 3 -9223372036854775808 18446744073709551615 0 é\n 1.000\n")
    #expect(try output(of: Self.call(["fortytwo", "--arguments", "[]"])) == "42\n")
  }

  @Test(
    "--arguments that are not a JSON array of values end the command with 65",
    arguments: ["", "[1", "5", "{\"x\": 5}", "nonsense"])
  func badJSON(text: String) throws {
    expectFailure(try Self.call(["int", "--arguments", text]), 65, "is not a JSON array of arguments")
  }

  @Test(
    "A JSON value of another type ends the command with 65",
    arguments: [
      ("int", "[\"5\"]"), ("int", "[null]"), ("int", "[1.5]"), ("int8_t", "[128]"), ("string", "[5]"), ("bool", "[2]"),
      ("pointer", "[5]"), ("string", "[\"a\\u0000b\"]"),
    ])
  func badJSONValue(type: String, array: String) throws {
    expectFailure(try Self.call([type, "--arguments", array]), 65, "argument 1 \"x\"")
  }

  @Test("Empty --arguments are reported as empty")
  func emptyArguments() throws {
    let run = try Self.call(["int", "--arguments", ""])
    expectFailure(run, 65, "the text is empty; expected a value; write one")
    #expect(!run.errors.contains("remove the file"), "\(run.errors)")
  }

  @Test("@FILE is the text of a file, also above the system's limit of 128 KiB for an argument, and @- is standard input")
  func fileArgument() throws {
    let directory = try TemporaryDirectory()
    let long = String(repeating: "Grüße ", count: 100_000)
    let path = try directory.write("text", long.utf8)
    #expect(try output(of: Self.call(["string", "@" + path])) == long + "\n")
    #expect(try output(of: Self.call(["string", "@-"], input: Data(long.utf8))) == long + "\n")
    let number = try directory.write("number", "-7\n".utf8)
    #expect(try output(of: Self.call(["int", "@" + number])) == "-7\n")
    let text = try directory.write("line", "a\n".utf8)
    #expect(try output(of: Self.call(["string", "@" + text])) == "a\n\n")
    let json = try directory.write("arguments.json", "[5]\n".utf8)
    #expect(try output(of: Self.call(["int", "--arguments", "@" + json])) == "5\n")
    #expect(try output(of: Self.call(["int", "--arguments", "@-"], input: Data("[6]".utf8))) == "6\n")
  }

  @Test("A buffer of bytes and a pointer to bytes get the bytes of a file unchanged")
  func binaryArgument() throws {
    let directory = try TemporaryDirectory()
    for bytes in [[0xFF, 0, 0x80, 0x0A], Array("[1, 2]".utf8), []] as [[UInt8]] {
      let sum = bytes.reduce(0) { $0 + Int($1) }
      let file = try "@" + directory.write("bytes", bytes)
      #expect(try output(of: Self.call(["sum", file])) == "\(sum)\n")
      #expect(try output(of: Self.call(["sum_bytes", file, "\(bytes.count)"])) == "\(sum)\n")
    }
  }

  @Test("@@TEXT is the text @TEXT, and a single @ is the text @")
  func atSign() throws {
    #expect(try output(of: Self.call(["string", "@@home"])) == "@home\n")
    #expect(try output(of: Self.call(["string", "@@"])) == "@\n")
    #expect(try output(of: Self.call(["string", "@"])) == "@\n")
    #expect(try output(of: Self.call(["string", "a@b"])) == "a@b\n")
  }

  @Test("A file argument that cannot be read ends the command with an error that names the file")
  func badFileArgument() throws {
    let directory = try TemporaryDirectory()
    let binary = try directory.write("binary", [0xFF])
    expectFailure(try Self.call(["string", "@" + directory.file("none")]), 66, directory.file("none") + ": cannot be read: ")
    expectFailure(try Self.call(["string", "@" + directory.path]), 66, directory.path + ": ")
    expectFailure(try Self.call(["sum", "@/dev/zero"]), 66, "/dev/zero: is a device; ")
    try succeed(["truncate", "-s", "3G", directory.file("large")])
    expectFailure(try Self.call(["sum", "@" + directory.file("large")]), 65, "large: has more than 2147483648 bytes; ")
    expectFailure(try Self.call(["string", "@" + binary]), 65, binary + ": is not UTF-8, and the parameter \"x\" is no buffer")
    expectFailure(try Self.call(["string", "--arguments", "@" + binary]), 65, binary + ": ")
    expectFailure(try Self.call(["mixed", "@-", "@-"]), 64, "@- is given twice")
  }

  @Test("Operands together with --arguments end the command with 64")
  func bothForms() throws {
    expectFailure(try Self.call(["int", "5", "--arguments", "[5]"]), 64, "--arguments", "one of the two")
  }

  @Test(
    "A JSON number is exact for an integer type, in every spelling",
    arguments: [
      ("int64_t", "9007199254740993.0", "9007199254740993"), ("uint64_t", "1.8446744073709551615e19", "18446744073709551615"),
      ("int8_t", "1.2e2", "120"), ("int64_t", "-9223372036854775808", "-9223372036854775808"), ("int", "-0", "0"),
      ("double", "1e23", "1e+23"), ("double", "9007199254740993.0", "9007199254740992.0"), ("double", "-0", "-0.0"),
      ("float", "16777217.0", "16777216.0"), ("double", "18446744073709551616", "1.8446744073709552e+19"),
    ])
  func jsonNumber(type: String, given: String, printed: String) throws {
    #expect(try output(of: Self.call([type, "--arguments", "[\(given)]"])) == printed + "\n")
  }

  @Test(
    "A JSON number that would lose precision ends the command with 65 and names the argument",
    arguments: [
      ("int64_t", "9007199254740993.5"), ("double", "9007199254740993"), ("double", "18446744073709551617"),
      ("uint64_t", "18446744073709551616"), ("int64_t", "9223372036854775807.5"), ("int", "1e-1"), ("int", "1e400"),
      ("float", "16777217"), ("double", "1e400"), ("int", "1e99999999999999999999"),
      ("double", "340282366920938463463374607431768211457"),
    ])
  func lossyNumber(type: String, given: String) throws {
    expectFailure(try Self.call([type, "--arguments", "[\(given)]"]), 65, "argument 1 \"x\": \(type) cannot hold ", given)
  }

  @Test(
    "Malformed JSON ends the command with 65, the argument and the position",
    arguments: [
      (["shape", #"{"color": 1, "color": 2}"#], "line 1, column 14: color occurs twice"),
      (["shape", #"{"color": 1,}"#], "line 1, column 13: the text has } here"),
      (["shape", "--arguments", #"[{"tag": {"name": "a", "name": "b"}}]"#], "column 24: [0].tag.name occurs twice"),
      (["int", "--arguments", "[1,]"], "line 1, column 4: [1] has ] here"),
    ])
  func badJSONPlace(words: [String], place: String) throws {
    expectFailure(try Self.call(words), 65, place)
  }

  // MARK: Structures and enumerations

  @Test("A structure is printed as JSON that is a valid argument, an enumeration's value by its name")
  func structure() throws {
    let shape = #"{"color": "GREEN", "sides": [1.5, 1e-07], "tag": {"name": "a\"\\\u0007é", "next": null, "open": true}}"#
    #expect(try output(of: Self.call(["shape", shape])) == shape + "\n")
    #expect(try output(of: Self.call(["shape", "--arguments", "[\(shape)]"])) == shape + "\n")
    let printed = try output(of: Self.call(["shape", #"[5, [2, "inf"], [null, null, false]]"#]))
    #expect(printed == #"{"color": "GREEN", "sides": [2.0, "inf"], "tag": {"name": null, "next": null, "open": false}}"# + "\n")
    let text = try output(of: Self.call(["shape", shape, "--json"]))
    #expect(text.contains("\"color\" : \"GREEN\"") && text.contains("\"next\" : null"))
  }

  @Test("An unnamed enumeration value is printed as its number, and outputs use names as results do")
  func enumeration() throws {
    #expect(try output(of: Self.call(["color", "RED"])) == "{\"return\": \"RED\", \"other\": \"GREEN\"}\n")
    #expect(try output(of: Self.call(["color", "3"])) == "{\"return\": 3, \"other\": \"GREEN\"}\n")
    expectFailure(try Self.call(["color", "BLUE"]), 65, "argument 1 \"x\"", "give one of RED, GREEN, or its number")
  }

  @Test("Bytes are printed as JSON")
  func bytes() throws {
    #expect(try output(of: Self.call(["fill", "3"])) == "{\"bytes\": {\"base64\": \"+vv8\"}}\n")
    #expect(try output(of: Self.call(["fill", "3", "--bytes", "base64"])) == "{\"bytes\": {\"base64\": \"+vv8\"}}\n")
    #expect(try output(of: Self.call(["fill", "3", "--bytes", "hex"])) == "{\"bytes\": \"fafbfc\"}\n")
    let json = try output(of: Self.call(["fill", "3", "--bytes", "hex", "--json"]))
    #expect(json.filter { !$0.isWhitespace } == #"{"result":{"bytes":"fafbfc"}}"#)
    #expect(try output(of: Self.call(["fill", "3", "--bytes", "text"])) == "{\"bytes\": {\"base64\": \"+vv8\"}}\n")
    #expect(try output(of: Self.call(["fill", "0", "--bytes", "text"])) == "{\"bytes\": \"\"}\n")
    let hex = (0..<256).map { String(format: "%02x", UInt8(truncatingIfNeeded: 250 + $0)) }.joined()
    #expect(try output(of: Self.call(["fill", "256", "--bytes", "hex"])) == "{\"bytes\": \"\(hex)\"}\n")
    expectFailure(
      try Self.call(["fill", "3", "--bytes", "octal"]), 64, "--bytes: expected base64, hex or text, got \"octal\"")
  }

  // MARK: Callbacks

  @Test("A callback argument is the name or the UUID of a function, also within JSON")
  func callback() throws {
    #expect(try output(of: Self.call(["apply", "plus", "5", "3"])) == "8\n")
    #expect(try output(of: Self.call(["apply", "minus", "5", "3"])) == "2\n")
    #expect(try output(of: Self.call(["apply", "--arguments", #"["minus", 5, 3]"#])) == "2\n")
    #expect(try output(of: Self.call(["perform", #"{"function": "minus", "a": 5}"#])) == "4\n")
    // The index of "plus" in the table.
    let number = Self.typeCount + 5
    let uuid = "0b0e7c70-6f0a-4e53-9a51-5e2e6a3e" + String(format: "%04X", number)
    #expect(try output(of: Self.call(["apply", uuid, "5", "3"])) == "8\n")
  }

  @Test("null for a callback is passed as NULL")
  func nullCallback() throws {
    #expect(try output(of: Self.call(["apply", "null", "5", "3"])) == "-99\n")
    #expect(try output(of: Self.call(["apply", "--arguments", "[null, 5, 3]"])) == "-99\n")
  }

  @Test("A function of another type ends the command with 65 and both types")
  func wrongCallback() throws {
    for arguments in [["add_long", "5", "3"], ["--arguments", #"["add_long", 5, 3]"#]] {
      expectFailure(
        try Self.call(["apply"] + arguments), 65, "argument 1 \"function\": the function \"add_long\"",
        "\"int (int a, long b)\"", "\"int (int a, int b)\"")
    }
    expectFailure(
      try Self.call(["perform", #"{"function": "add_long", "a": 5}"#]), 65, "argument 1 \"operation\": member function: ")
  }

  @Test("An unknown function name ends the command with 65 and the functions of the callback's type")
  func unknownCallback() throws {
    expectFailure(
      try Self.call(["apply", "unknown", "5", "3"]), 65, "argument 1 \"function\": there is no function \"unknown\"",
      "those of that type are plus, minus")
  }

  @Test("Too few or too many arguments end the command with 64 and the signature", arguments: [false, true])
  func argumentCount(isJSON: Bool) throws {
    let arguments = { (values: [String]) in isJSON ? ["--arguments", "[\(values.joined(separator: ","))]"] : values }
    expectFailure(try Self.call(["int"] + arguments([])), 64, "0 arguments", "\"int (int x)\"")
    expectFailure(try Self.call(["int"] + arguments(["1", "2"])), 64, "2 arguments")
    expectFailure(try Self.call(["fortytwo"] + arguments(["1"])), 64, "1 argument ")
  }

  @Test(
    "Text that does not parse ends the command with 65",
    arguments: [
      ("int", "five"), ("int", ""), ("int", " 5"), ("int", "5.0"), ("int", "0x"), ("uint8_t", "1_0"), ("bool", "yes"),
      ("double", "1,5"), ("double", ""), ("pointer", "0x7f01"), ("pointer", ""),
    ])
  func badText(type: String, text: String) throws {
    expectFailure(try Self.call([type, text]), 65, "argument 1 \"x\"", "\"\(text)\"")
  }

  @Test("A C string that is not UTF-8 is the plugin's failure and ends the command with 69")
  func resultIsNotUTF8() throws {
    expectFailure(try Self.call(["invalid"]), 69, "not UTF-8")
  }

  @Test("A failure that a function reports by errno ends the command with 69 and the system's text")
  func systemError() throws {
    #expect(try output(of: Self.call(["fail", "0"])) == "0\n")
    expectFailure(try Self.call(["fail", "2"]), 69, "fail of org.example.echo", "No such file or directory (errno 2)")
  }

  // MARK: Names

  @Test("A function is found by its UUID in either case")
  func byUUID() throws {
    let directory = try Examples.directory()
    for uuid in ["f5e07a66-2458-483c-8415-8bead275f039", "F5E07A66-2458-483C-8415-8BEAD275F039"] {
      #expect(try output(of: troupe("call", uuid, "3", "4", plugins: directory)) == "12.0\n")
    }
  }

  @Test("An ambiguous name ends the command with 64 and the UUIDs, each of which calls its function")
  func ambiguousName() throws {
    let directory = try TemporaryDirectory()
    let uuids = ["0b0e7c70-6f0a-4e53-9a51-5e2e6a3f0001", "0b0e7c70-6f0a-4e53-9a51-5e2e6a3f0002"]
    for (number, uuid) in zip(["one", "two"], uuids) {
      try directory.add(fixture: "commands/which.c", as: number, ["NAME": "\"\(number)\"", "UUID": "\"\(uuid)\""])
    }
    expectFailure(
      try troupe("call", "which", plugins: directory.path), 64, "\"which\"", "\(uuids[0]) (org.example.one)",
      "\(uuids[1]) (org.example.two)")
    #expect(try output(of: troupe("call", uuids[1], plugins: directory.path)) == "two\n")
  }

  @Test("A malformed negative number is not an option either")
  func badNegativeOperand() throws {
    expectFailure(try Self.call(["int", "-5x"]), 65, "argument 1 \"x\"", "\"-5x\"")
  }

  @Test(
    "An unknown name or UUID ends the command with 69 and the known ones",
    arguments: [
      "unknown", "00000000-0000-4000-8000-000000000000",
    ])
  func unknown(name: String) throws {
    let directory = try Examples.copies("base64", "geometry")
    expectFailure(
      try troupe("call", name, plugins: directory.path), 69, "\"\(name)\"",
      "known functions: area, \(name == "unknown" ? "compass, crc32, hypotenuse, " : "")")
    expectFailure(
      try troupe("call", "aera", "3", "4", plugins: directory.path), 69, "no function \"aera\"; did you mean \"area\"?")
  }

  @Test("Without plugins the command ends with 69 and the directories that were searched")
  func noPlugins() throws {
    let directory = try TemporaryDirectory()
    let environment = ["TROUPE_PLUGIN_PATH": "/no/such"]
    for words in [["call", "abs"], ["resolve", "--tag", "abs"]] {
      expectFailure(
        try run(unset(except: environment.keys) + [Repo.troupe] + words, environment: environment), 69,
        "\"abs\"; ", " /no/such; ")
      expectFailure(try run(unset() + [Repo.troupe] + words + ["--plugins", directory.path]), 69, directory.path)
    }
  }

  @Test("A factory of instances is not called; the command ends with 64 and names the command to use")
  func factory() throws {
    let directory = try Examples.copies("base64")
    let result = try troupe("call", "base64-encode", plugins: directory.path)
    expectFailure(result, 64, "base64-encode of org.example.base64: a factory of instances", "; use troupe run --tag ")
    let command = try #require(result.errors.components(separatedBy: "; use troupe ").last).split(
      whereSeparator: \.isWhitespace)
    let run = try run(unset() + [Repo.troupe] + command.map(String.init), input: Data("hello".utf8))
    #expect(output(of: run) == "aGVsbG8=\n")
  }

  @Test("Without an operand the command ends with 64")
  func missingOperand() throws {
    expectFailure(try troupe("call"), 64, "missing UUID|NAME")
  }

  @Test("--then passes the result of a call to the next, and each handle is released once")
  func sequence() throws {
    let libc = Repo.root + "/plugins/libc"
    let directory = try TemporaryDirectory()
    let file = try directory.write("text", Data("one\ntwo\n".utf8))
    func call(_ words: String...) throws -> Run {
      try run(unset() + [Repo.troupe, "call", "fopen", file, "r", "--then"] + words + ["--plugins", libc])
    }
    let lines = try output(of: call("fgets", "80", "$1", "--then", "ftell", "$1", "--then", "strlen", "$2.line"))
      .split(separator: "\n")
    #expect(lines.dropFirst() == [#"{"return": "one\n", "line": "one\n"}"#, "4", "4"])
    #expect(try output(of: call("ftell", "$1", "--then", "fclose", "$1", "--json")).hasSuffix(",\n    0,\n    0\n  ]\n}\n"))
    expectFailure(try call("fclose", "$1", "--then", "ftell", "$1"), 69, "released", showing: ["0x"])
    expectFailure(try call("strlen", "$1"), 65, "argument 1 \"text\"", showing: ["0x"])
    expectFailure(try call("ftell", "$2"), 64, "$2", showing: ["0x"])
    expectFailure(try call("ftell", "$1.x"), 64, "x", showing: ["0x"])
    expectFailure(try call("ftell", "null"), 65, "struct _IO_FILE", showing: ["0x"])
    expectFailure(try call(), 64, "UUID|NAME")
    expectFailure(try call("strlen", "--arguments", "[]"), 64, "--then")
    #expect(try output(of: call("strlen", "$$12")).hasSuffix("\n3\n"))
    withExtendedLifetime(directory) {}
  }
}
