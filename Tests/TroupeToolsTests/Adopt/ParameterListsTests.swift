import TestSupport
import Testing

@testable import TroupeTools

@Suite("Parameters as headers write them") struct ParameterListsTests {
  @Test("Lists are found at the outer level only, with commas and parentheses within them")
  func lists() {
    let text = """
      # 1 "a.h"
      struct s { int (*m)(int x); };
      __attribute__((nonnull(1))) extern int first(const char *a, int (*f)(int, int), int x[static 4]) __asm__("name");
      static inline int second(void) { return third(1, 2); }
      """
    let lists = ParameterLists(preprocessed: text)
    #expect(lists["first"] == ["const char *a", " int (*f)(int, int)", " int x[static 4]"])
    #expect(lists["second"] == ["void"])
    #expect(lists["third"].isEmpty && lists["m"].isEmpty)
  }

  @Test(
    "The attribute nonnull names parameters by their numbers, or all pointers, in front of the declaration or behind it",
    arguments: [
      ("int f(int *a, int *b) __attribute__ ((__nothrow__ , __leaf__)) __attribute__ ((__nonnull__ (1, 2)));", [0, 1]),
      ("__attribute__((nonnull(2))) extern int f(int *a, int *b);", [1]),
      ("int f(int *a, int *b) __attribute__((nonnull(1))) __attribute__((nonnull(2)));", [0, 1]),
      ("int f(int *a, int *b) __attribute__((nonnull, alloc_size(2)));", [0, 1, 2]),
      ("int f(int *a, int *b __attribute__((nonnull)));", [1]),
      ("int f(int *a, int *b); int f(int *, int *) __attribute__((nonnull(1)));", [0]),
      ("static inline int f(int *a) __attribute__((nonnull(1))) { return g(a); }", [0]),
      ("int g(int *a) __attribute__((nonnull)); int f(int *a, int x[static 2]) __attribute__((returns_nonnull));", []),
    ])
  func nonnull(text: String, indices: [Int]) {
    let isNonnull = ParameterLists(preprocessed: text).nonnullParameters(of: "f")
    #expect((0..<3).filter(isNonnull) == indices)
  }

  @Test("Static lengths and typedefs of arrays are lengths; other brackets are not")
  func lengths() throws {
    let directory = try TemporaryDirectory()
    let text = """
      typedef unsigned char id_t16[16]; typedef id_t16 other; typedef struct { int x; } object[1]; typedef int *pointer;
      void f(double x[static 4], id_t16 id, const other second, object o, pointer p, int plain[8], int m[static 2][3], int n);
      """
    let path = try directory.write("test.h", text.utf8)
    var header = try Header(json: Clang().syntaxTree(of: [path], options: []))
    header.add(ParameterLists(preprocessed: text))
    #expect(header.functions.last?.arrayLengths == [4, 16, 16, nil, nil, nil, nil, nil])
    var writer = SignatureWriter(header, Header.Handles(header.functions, in: header), .definitions)
    #expect(
      try writer.type(of: try #require(header.functions.last)).hasPrefix(
        "void (double x[4], unsigned char id[16], const unsigned char second[16], "))
  }
}
