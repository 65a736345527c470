internal import TroupeSignature

extension HelpTopic {
  /// `troupe help signatures`. Its signatures stand in the guide Signatures.md, too, whose tests call them.
  package static let signatures = HelpTopic(
    name: "signatures", subject: "the types of C functions",
    summary:
      "A signature is the type of a C function, with what a caller must know besides. A plugin registers each function with one.",
    sections: [
      Section(
        "Types",
        "The result comes first, then the parameters, as in C but without the function's name. Names of parameters are optional; errors and results use them.",
        "Integers are \(integerNames).",
        "Others are void, bool, float, double, long double and, behind one of the last three, _Complex.",
        "string is const char *, pointer is void *, and pointers to constant wchar_t, char16_t and char32_t are text, too. A resolver is passed by the host.",
        examples: [
          "double (double x, double y)", "void (void)", "unsigned long long (const char *text, size_t)",
          "size_t (const wchar_t *text)", "int (string format, ...)", "void *(resolver)",
        ]),
      Section(
        "Structs, unions, enumerations and typedefs",
        "Define a struct, union, enum or typedef in front of the result, or where it is first used; then its tag is enough. Behind the members, packed removes the padding.",
        examples: [
          "struct div { int quot, rem; } (int numerator, int denominator)",
          "struct point { double x, y; }; double (struct point from, struct point to)",
          "enum color { RED, GREEN = 5 }; enum color (enum color mixed, enum color with)",
          "typedef long time_t; typedef struct { double x, y; } point; double (point at, time_t time)",
        ]),
      Section(
        "References",
        "A pointer to a struct is a reference: an address with a type. It takes a result of an earlier call, null, or, if the signature defines the struct, a literal.",
        "_Nonnull behind the star refuses null.",
        examples: [
          "struct node { int value; struct node *next; }; struct node *(struct node *next, int value)",
          "typedef struct store store; int (const store *_Nonnull store)",
        ]),
      Section(
        "Results behind pointers",
        "out marks a pointer to which the function writes a result; the caller gives no argument. inout marks one that it reads and writes.",
        "For a pointer without a marker and a length, the call allocates what the argument says, and returns it unless the pointer is const.",
        examples: [
          "double (double x, out int *exponent)", "void (inout struct { double x, y; } *point)",
          "double (double x, int *exponent)",
        ]),
      Section(
        "Lengths",
        "Brackets hold the length of a buffer: a number, an integer parameter, or sums of products of these, in elements or with bytes behind them. Empty brackets mean up to the first zero.",
        "The caller leaves out a length of one parameter that a given buffer has. result is the function's result, and a second length counts the elements that were written.",
        "Brackets behind the result are the length of a returned array.",
        examples: [
          "void (int32_t numbers[count], size_t count)", "int (out char name[size], size_t size)",
          "int (out void bytes[count], inout unsigned long *count)", "ssize_t (out void bytes[result], size_t size)",
          "double (const double matrix[rows * columns], size_t rows, size_t columns)",
          "size_t (const float samples[size bytes], size_t size)", "int (char *const words[])",
          "const char *[count] (out size_t *count)",
        ]),
      Section(
        "Owners and lifetimes",
        "owned(FUNCTION) marks a text, buffer or reference that the caller releases with that function: the host calls it once. consumed marks a reference that the function itself releases.",
        "borrows(NAME) marks a reference that needs the object of that parameter. kept marks a pointer that the library uses after the call.",
        examples: [
          "owned(free) char *(string text)", "struct store; owned(free) struct store *(int rows) error(null)",
          "struct store; void (consumed struct store *store)",
          "struct store; struct cursor; int (struct store *store, out owned(free) borrows(store) struct cursor **cursor)",
          "struct options { int level; }; struct store; struct store *(kept const struct options *options)",
        ]),
      Section(
        "Callbacks",
        "A pointer to a function is a callback. troupe call takes the name of a function of the same type for it.",
        examples: [
          "int (int (*visit)(string name, void *context), void *context)",
          "typedef int order(const void *a, const void *b); void (int32_t numbers[count], size_t count, size_t size, order *compare)",
        ]),
      Section(
        "Failures",
        "Behind the parameters, errno(any) is a set errno with any result, errno(result) an error number, and errno alone needs a result of -1, null or false.",
        "error(CONDITION) is a result that is \(conditions), except the results behind except. A function behind the colon returns the text.",
        examples: [
          "int (string path, int mode) errno", "int (int code) error(negative)",
          "int (int code) error(nonzero except 100, 101: strerror)", "void *(string name) error(null: dlerror())",
        ]),
      Section(
        "Arguments of troupe call",
        "A struct takes a literal such as {\"x\": 3, \"y\": 4}, an array [1, 2, 3], and a pointer also {\"bytes\": 64}, which is that many zero bytes. Bytes take text or {\"base64\": \"…\"}.",
        "$1 is the result of the first call of --then, $1.NAME a member, an output or the memory of the parameter NAME, $1.2 that of the second argument, and $1[0] an element.",
        "'$1.NAME' = VALUE as a step writes a member of a struct of the library, or an element of memory.",
        examples: [
          "troupe call div 17 5 --then abs '$1.rem'", "troupe call fopen notes.txt r --then fgets 80 '$1' --then ftell '$1'",
          "troupe call zlib_crc32 0 '{\"base64\": \"dHJvdXBl\"}'",
        ]),
    ])

  /// The integers that are no `char`, `short`, `int` or `long` are named by C's headers.
  private static var integerNames: String {
    (["char, short, int, long and long long, signed or unsigned"] + CType.Integer.typedefs.map(\.name)).joined(separator: ", ")
  }

  private static var conditions: String { Signature.FailureRule.Condition.allCases.map(\.rawValue).alternatives }
}
