import Foundation
import TestSupport
import Testing
import TroupeCall

@Suite("The guide to signatures")
struct SignatureGuideTests {
  private static let library = Result {
    try CLibrary(
      source: """
        #define _DEFAULT_SOURCE
        #include <errno.h>
        #include <stdbool.h>
        #include <stdarg.h>
        #include <stddef.h>
        #include <stdint.h>
        #include <stdio.h>
        #include <stdlib.h>
        #include <string.h>
        #include <wchar.h>
        \(SignatureExample.all.enumerated().map { "#define f f\($0)\n\($1.c)\n#undef f" }.joined(separator: "\n"))
        int ascending(const void *a, const void *b) { return *(const int32_t *)a - *(const int32_t *)b; }
        int descending(int a, int b) { return b - a; }
        size_t product(const char *data, size_t a, size_t b, void *context) { return data && !context ? a * b : 0; }
        int name_length(const char *name, void *context) { return context ? -1 : (int)strlen(name); }
        """)
  }

  private static func text(_ path: String) throws -> String {
    try String(contentsOfFile: Repo.root + "/" + path, encoding: .utf8)
  }

  /// The examples in the guide and in the header's comment about signatures.
  private static func documented() throws -> Set<String> {
    let blocks = try text("Sources/TroupeSignature/TroupeSignature.docc/Signatures.md").components(
      separatedBy: "```signature\n")
    let guide = blocks.dropFirst().compactMap { $0.components(separatedBy: "```").first }
    let paragraphs = try text("include/troupe/plugin.h").components(separatedBy: "\n *\n")
    let header = paragraphs.filter { $0.contains(" *     double (double width, double height)\n") }
    #expect(guide.count > 8 && header.count == 1)
    let lines = (guide + header.map { $0.replacing(" *     ", with: "") }).flatMap { $0.split(separator: "\n") }
    return Set(lines.map(String.init))
  }

  @Test("Every example of the guide and of the header is called by a test")
  func complete() throws {
    #expect(try Self.documented() == Set(SignatureExample.all.map(\.signature)))
  }

  @Test("Every example calls a C function of its type and returns the function's result")
  func calls() throws {
    let library = try Self.library.get()
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    for (index, example) in SignatureExample.all.enumerated() {
      let signature = try Signature(parsing: example.signature)
      #expect(try Signature(parsing: signature.description) == signature, "\(example.signature)")
      let call = try PreparedCall(signature: signature, function: library.function("f\(index)"))
      let arguments = try signature.arguments(json: example.arguments) { name, _ in
        (try? library.function(name)).map { .pointer(Value.Pointer($0)) }
      }
      do {
        let outcome = try call.call(arguments, resolver: UnsafeRawPointer(bitPattern: 0x7000))
        let json = String(decoding: try encoder.encode(signature.named(outcome)), as: UTF8.self)
        #expect(json == example.outcome, "\(example.signature)")
      } catch let error as CallError {
        #expect("\(error.code)" == example.outcome, "\(example.signature): \(error)")
      }
    }
  }

  @Test("The examples within the guide's text are called")
  func inlineExamples() throws {
    let guide = try Self.text("Sources/TroupeSignature/TroupeSignature.docc/Signatures.md")
    #expect(guide.contains("`string (const struct tm *time)`") && guide.contains("`enum : size_t { int32 = 4 } size`"))
    let asctime = try Fixture.systemCall(
      "asctime",
      """
      struct tm {
        int tm_sec, tm_min, tm_hour, tm_mday, tm_mon, tm_year, tm_wday, tm_yday, tm_isdst;
        long tm_gmtoff; const char *tm_zone;
      };
      string (const struct tm *time)
      """)
    let time = try asctime.signature.arguments(json: "[[5, 4, 3, 2, 0, 70, 5, 1, 0, 0, null]]")
    #expect(try asctime.call(time) == .string("Fri Jan  2 03:04:05 1970\n"))
    let sort = try Fixture.systemCall(
      "qsort",
      "void (int32_t numbers[n], size_t n, enum : size_t { int32 = 4 } size, int (*compare)(const void *, const void *))")
    let ascending = Value.pointer(Value.Pointer(try Self.library.get().function("ascending")))
    let numbers = try sort.signature.arguments(json: #"[[3, 1, 2], "int32", "ascending"]"#) { _, _ in ascending }
    #expect(try sort.call(numbers)["numbers"] == .array([.integer(1), .integer(2), .integer(3)]))
  }

  @Test("The program of the overview prints 5")
  func overview() throws {
    let abs = try CLibrary.systemFunction("abs")
    let call = try PreparedCall(signature: Signature(parsing: "int (int number)"), function: abs)
    #expect("\(try call.call([.integer(-5)]))" == "5")
    let page = try Self.text("Sources/TroupeCall/TroupeCall.docc/TroupeCall.md")
    #expect(page.contains("print(try call.call([.integer(-5)]))  // 5"))
  }
}
