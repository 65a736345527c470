import Foundation
import TestSupport
import Testing

@Suite("Large buffers")
struct LargeBufferTests {
  /// A plugin that writes the peak memory of the process in KiB to standard error at exit.
  private static let plugins = Result {
    let folder = try TemporaryDirectory.untilExit()
    try folder.add(c: source, as: "numbers")
    return folder
  }

  private static let source = """
    #include <stdint.h>
    #include <stdio.h>
    #include <string.h>
    #include <troupe.h>
    TROUPE_PLUGIN("org.example.numbers", "Numbers", "1.0.0")

    __attribute__((destructor)) static void peak(void) {
      char line[256];
      FILE *status = fopen("/proc/self/status", "r");
      while (status && fgets(line, sizeof line, status)) if (!strncmp(line, "VmHWM:", 6)) fputs(line, stderr);
    }

    static void count_up(double *values, size_t n) { for (size_t i = 0; i < n; i++) values[i] = (double)i / 4; }
    struct point { double x, y; };
    static void points(struct point *points, size_t n) { for (size_t i = 0; i < n; i++) points[i] = (struct point){(double)i, 0.5}; }
    static double *result(int64_t claimed, int64_t *length) {
      static double values[] = {1, 2.5};
      *length = claimed;
      return values;
    }
    static const char *const tags[] = {"numbers"};
    static const troupe_factory factories[] = {
      {.struct_size = sizeof(troupe_factory), .uuid = "9b1e0000-0000-4000-8000-000000000011", .name = "count_up",
       .tags = tags, .tag_count = 1, .signature = "void (out double values[n], size_t n)", .function = TROUPE_FUNCTION(count_up)},
      {.struct_size = sizeof(troupe_factory), .uuid = "9b1e0000-0000-4000-8000-000000000012", .name = "result",
       .tags = tags, .tag_count = 1, .signature = "double[length] (int64_t claimed, out int64_t *length)",
       .function = TROUPE_FUNCTION(result)},
      {.struct_size = sizeof(troupe_factory), .uuid = "9b1e0000-0000-4000-8000-000000000013", .name = "points",
       .tags = tags, .tag_count = 1, .signature = "void (out struct point { double x; double y; } points[n], size_t n)",
       .function = TROUPE_FUNCTION(points)},
    };
    TROUPE_EXPORT troupe_status troupe_plugin_main(const troupe_registrar *registrar) {
      for (size_t i = 0; i < 3; i++) {
        troupe_status status = registrar->register_factory(registrar, &factories[i]);
        if (status != TROUPE_OK) return status;
      }
      return TROUPE_OK;
    }
    """

  /// Calls a function and returns its output and the command's peak memory in bytes.
  private func fill(_ name: String, _ count: Int, _ options: [String]) throws -> (text: String, peak: Int) {
    let result = try run(
      unset() + [Tree.troupe, "call", name, "\(count)", "--plugins", Self.plugins.get().path] + options)
    #expect(result.status == 0, "\(result.errors)")
    let peak = result.errors.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) }
    return (result.text, try #require(peak) * 1024)
  }

  @Test(
    "An output of numbers or structs costs at most 1.2 times its size, including its text", arguments: [[], ["--json"]],
    [("count_up", 2_000_000), ("points", 1_000_000)])
  func memory(options: [String], function: (name: String, count: Int)) throws {
    let numbers = 2_000_000
    let (text, peak) = try fill(function.name, function.count, options)
    #expect(text.utf8.count { $0 == UInt8(ascii: ",") } == numbers - 1)
    let least = try fill(function.name, 1, options).peak
    #expect(Double(peak - least) <= 1.2 * Double(8 * numbers))
  }

  @Test("The text of an output is JSON", arguments: [[], ["--json"]])
  func text(options: [String]) throws {
    let object = try JSONSerialization.jsonObject(with: Data(fill("count_up", 1000, options).text.utf8)) as? [String: Any]
    let outputs = options.isEmpty ? object : object?["result"] as? [String: Any]
    #expect(outputs?["values"] as? [Double] == (0..<1000).map { Double($0) / 4 })
  }

  @Test(
    "A buffer above the limit is refused before its memory is touched",
    arguments: [
      ["count_up", "2305843009213693952"], ["count_up", "134217729"], ["count_up", "9", "--max-buffer-size", "64"],
      ["result", "2305843009213693952"], ["result", "134217729"], ["result", "2", "--max-buffer-size", "8"],
    ])
  func limit(words: [String]) throws {
    let result = try run(unset() + [Tree.troupe, "call"] + words + ["--plugins", Self.plugins.get().path])
    #expect(result.status == (words[0] == "result" ? 69 : 65))
    #expect(result.text == "")
    #expect(result.errors.contains("--max-buffer-size"))
  }

  @Test("The buffer limit is a number of bytes", arguments: ["0", "-1", "1G", ""])
  func invalidLimit(text: String) throws {
    expectFailure(
      try run(unset() + [Tree.troupe, "call", "result", "1", "--max-buffer-size", text, "--plugins", Self.plugins.get().path]),
      64,
      "--max-buffer-size")
  }
}
