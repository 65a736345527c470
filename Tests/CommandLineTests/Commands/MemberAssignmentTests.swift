import Foundation
import TestSupport
import Testing

@Suite("Assignments between the calls of a chain")
struct MemberAssignmentTests {
  private static let header = """
    #define SHAPE_FILLED 4
    #define SHAPE_ROUND 8
    enum color { RED, GREEN = 5 };
    struct shape {
      int sides;
      double size;
      enum color color;
      const char *name;
      unsigned marks[3];
      struct shape *next;
      int (*count)(int);
      const unsigned char *bytes;
    };
    struct opaque;
    struct options { unsigned flags; struct { int level; } inner; };
    struct shape *shape_get(int index);
    struct opaque *opaque_get(void);
    const char *shape_text(const struct shape *shape);
    int shape_flags(const struct options *options, int count);
    int shape_sum(int *numbers, int count);
    int twice(int number);

    """

  private static let source = """
    #include "shapes.h"
    #include <stdio.h>
    static struct shape shapes[2];
    struct shape *shape_get(int index) { shapes[0].next = &shapes[1]; return &shapes[index]; }
    struct opaque *opaque_get(void) { return (struct opaque *)shapes; }
    const char *shape_text(const struct shape *s) {
      static char text[200];
      snprintf(text, sizeof text, "%d %g %d %s %u,%u,%u %s %d", s->sides, s->size, s->color, s->name ? s->name : "-", s->marks[0],
        s->marks[1], s->marks[2], s->bytes ? (const char *)s->bytes : "-", s->count ? s->count(21) : 0);
      return text;
    }
    int shape_flags(const struct options *options, int count) {
      int sum = 0;
      while (count--) sum = sum * 100 + options[count].flags + options[count].inner.level;
      return sum;
    }
    int shape_sum(int *numbers, int count) { int sum = 0; while (count--) sum += numbers[count]; return sum; }
    int twice(int number) { return 2 * number; }
    """

  private static let plugins = Result {
    let directory = try TemporaryDirectory()
    let header = try directory.write("shapes.h", Self.header.utf8)
    let source = try directory.write("shapes.c", Self.source.utf8)
    try succeed(["cc", "-fPIC", "-shared", "-o", directory.file("libshapes.so"), source])
    let adopted = try troupe(
      "adopt", header, "--library", directory.file("libshapes.so"), "-o", directory.file("s.troupe.json"))
    try #require(adopted.status == 0, "\(adopted.errors)")
    return directory
  }

  private func call(_ operands: String) throws -> Run {
    try shell(#""$troupe" call --plugins "$directory" "# + operands, environment: ["directory": Self.plugins.get().path])
  }

  @Test(
    "A member of a library's struct is written as the library then reads it",
    arguments: [
      ("'$1.sides' = 3 --then '$1.size' = -0.5", "3 -0.5 0 - 0,0,0 - 0"),
      ("'$1.color' = GREEN --then '$1.sides' = 'SHAPE_FILLED|SHAPE_ROUND'", "12 0 5 - 0,0,0 - 0"),
      ("'$1.name' = 7 --then '$1.marks[1]' = 0xff", "0 0 0 7 0,255,0 - 0"), ("'$1.marks' = '[1, 2, 3]'", "0 0 0 - 1,2,3 - 0"),
      (#"'$1.bytes' = '{"base64": "YWIA"}'"#, "0 0 0 - 0,0,0 ab 0"),
      ("'$1.next.sides' = 9 --then '$1.sides' = '$1.next.sides'", "9 0 0 - 0,0,0 - 0"),
      ("'$1.name' = a --then '$1.name' = null", "0 0 0 - 0,0,0 - 0"),
    ])
  func members(_ assignments: String, _ text: String) throws {
    let steps = assignments.split(separator: " --then ").count
    let run = try call("shape_get 0 --then \(assignments) --then shape_text '$1' --json")
    #expect(run.status == 0, "\(run.errors)")
    struct Report: Decodable { let results: [JSONResult] }
    enum JSONResult: Decodable, Equatable {
      case text(String)
      case none
      case other

      init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        self = container.decodeNil() ? .none : (try? container.decode(String.self)).map(Self.text) ?? .other
      }
    }
    // An assignment has a number, and no result.
    let results = try json(Report.self, run).results
    #expect(results == [.other] + Array(repeating: .none, count: steps) + [.text(text)])
  }

  @Test("An assignment writes to the memory of an earlier call, too")
  func memory() throws {
    let run = try call("shape_sum '[1, 2, 3]' 3 --then '$1.numbers[1]' = 40 --then shape_sum '$1.numbers' 3")
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.text.split(separator: "\n").last == #"44"#)
  }

  @Test("Members of literals take the names of constants")
  func constants() throws {
    for (operands, result) in [
      (#"shape_flags '{"flags": "SHAPE_FILLED|SHAPE_ROUND", "inner": {"level": "SHAPE_FILLED"}}' 1"#, "16"),
      (#"shape_flags '[{"flags": "SHAPE_ROUND"}, {"flags": 1, "inner": ["GREEN"]}]' 2"#, "608"),
    ] {
      let run = try call(operands)
      #expect(run.status == 0, "\(run.errors)")
      #expect(run.text == result + "\n")
    }
    expectFailure(try call(#"shape_flags '{"flags": "SHAPE_FLAT"}' 1"#), 65, "SHAPE_FLAT")
  }

  @Test(
    "A wrong assignment ends with the place, the reason and a remedy",
    arguments: [
      ("shape_get 0 --then '$1.sides' 3", #""$1.sides 3" is no assignment"#),
      ("shape_get 0 --then '$1.sides' =", "is no assignment"),
      ("shape_get 0 --then '$2.sides' = 3", "result of no earlier call"),
      ("shape_get 0 --then '$1.side' = 3", #""$1.side""#), ("shape_get 0 --then '$1.sides' = many", "expected int"),
      ("shape_get 0 --then '$1.sides' = 3000000000", "int"), ("shape_get 0 --then '$1.marks[3]' = 1", "marks[3]"),
      ("opaque_get --then '$1.sides' = 1", "does not define it"), ("twice 4 --then '$1' = 5", "is no memory of C"),
      ("shape_get 1 --then '$1.next.sides' = 1", "null"),
      ("--isolate all shape_get 0 --then '$1.sides' = 3", "since it is in a worker"),
    ])
  func failures(_ operands: String, _ message: String) throws {
    expectFailure(try call(operands + " --json"), 64, message, "$")
  }
}
