/// An example of the documentation: a signature, a function `f` of that type in C, and a call of it.
struct SignatureExample {
  let signature: String
  let c: String
  /// The arguments as a JSON array. A callback is the name of a function.
  let arguments: String
  /// The outcome in JSON with its members sorted, or the code of the error.
  let outcome: String

  init(_ signature: String, _ c: String, _ arguments: String, _ outcome: String) {
    (self.signature, self.c, self.arguments, self.outcome) = (signature, c, arguments, outcome)
  }

  static let all = scalars + records + outputs + buffers + callbacks + others + header

  private static let scalars = [
    Self("int (int number)", "int f(int number) { return -number; }", "[5]", "-5"),
    Self("double (double x, double y)", "double f(double x, double y) { return x - y; }", "[2, 0.5]", "1.5"),
    Self("void (void)", "void f(void) {}", "[]", "null"),
    Self(
      "unsigned long long (const char *text, size_t)",
      "unsigned long long f(const char *text, size_t count) { return strlen(text) + count; }",
      #"["abc", 18446744073709551000]"#, "18446744073709551003"),
    Self("size_t (string text)", "size_t f(const char *text) { return text ? strlen(text) : 99; }", "[null]", "99"),
    Self("string (double degrees)", #"const char *f(double d) { return d > 20 ? "warm" : NULL; }"#, "[25]", #""warm""#),
    Self("owned(free) char *(string text)", "char *f(const char *text) { return strdup(text); }", #"["own"]"#, #""own""#),
  ]

  private static let records = [
    Self(
      "struct div { int quot, rem; } (int numerator, int denominator)",
      "div_t f(int numerator, int denominator) { return div(numerator, denominator); }", "[17, 5]", #"{"quot":3,"rem":2}"#),
    Self(
      "struct point { double x, y; }; double (struct point from, struct point to)",
      """
      struct point { double x, y; };
      double f(struct point from, struct point to) { return to.x - from.x + 10 * (to.y - from.y); }
      """, #"[{"x": 1, "y": 2}, [4, 3]]"#, "13"),
    Self(
      "struct { uint8_t kind; union { int64_t i; double d; } value; } packed (uint8_t kind)",
      """
      struct tagged { uint8_t kind; union { int64_t i; double d; } value; } __attribute__((packed));
      struct tagged f(uint8_t kind) { return (struct tagged){kind, {.d = 1}}; }
      """, "[7]", #"{"kind":7,"value":{"d":1,"i":4607182418800017408}}"#),
    Self(
      "enum color { RED, GREEN = 5 }; enum color (enum color mixed, enum color with)",
      "enum color { RED, GREEN = 5 }; enum color f(enum color mixed, enum color with) { return mixed + with; }",
      #"["RED", 5]"#, #""GREEN""#),
    Self(
      "struct suite { void *(*allocate)(size_t size); void (*release)(void *block); }; int (struct suite suite)",
      """
      struct suite { void *(*allocate)(size_t size); void (*release)(void *block); };
      int f(struct suite suite) {
        void *block = suite.allocate ? suite.allocate(8) : NULL;
        if (block && suite.release) suite.release(block);
        return block != NULL;
      }
      """, #"[{"allocate": "malloc", "release": "free"}]"#, "1"),
    Self("int (struct stream *stream)", "struct stream; int f(struct stream *s) { return s == NULL; }", "[null]", "1"),
  ]

  private static let outputs = [
    Self(
      "double (double x, out int *exponent)", "double f(double x, int *exponent) { *exponent = 4; return x / 16; }", "[8]",
      #"{"exponent":4,"return":0.5}"#),
    Self(
      "int (string path, out owned(free) char **message)",
      "int f(const char *path, char **message) { *message = strdup(path); return 2; }", #"["ab"]"#,
      #"{"message":"ab","return":2}"#),
    Self(
      "void (inout struct { double x, y; } *point)",
      "struct p { double x, y; }; void f(struct p *p) { *p = (struct p){p->y, p->x}; }", "[[1, 2.5]]",
      #"{"point":{"x":2.5,"y":1}}"#),
  ]

  private static let buffers = [
    Self(
      "unsigned long (unsigned long crc, const void bytes[count], unsigned int count)",
      """
      unsigned long f(unsigned long crc, const void *bytes, unsigned count) {
        for (unsigned i = 0; i < count; i++) crc = crc * 10 + ((const unsigned char *)bytes)[i];
        return crc;
      }
      """, #"[9, {"base64": "AQID"}]"#, "9123"),
    Self(
      "void (int32_t numbers[count], size_t count)",
      "void f(int32_t *numbers, size_t count) { for (size_t i = 0; i < count; i++) numbers[i] *= 2; }", "[[1, -2]]",
      #"{"numbers":[2,-4]}"#),
    Self(
      "void (const double from[3], out double to[3])",
      "void f(const double *from, double *to) { for (int i = 0; i < 3; i++) to[i] = from[2 - i]; }", "[[1, 2, 3]]",
      #"{"to":[3,2,1]}"#),
    Self(
      "void (const float from[count], out float to[count], size_t count)",
      "void f(const float *from, float *to, size_t count) { for (size_t i = 0; i < count; i++) to[i] = from[i] / 2; }",
      "[[1, 2, 3]]", #"{"to":[0.5,1,1.5]}"#),
    Self(
      "int (out char name[size], size_t size)",
      #"int f(char *name, size_t size) { return snprintf(name, size, "troupe"); }"#, "[4]", #"{"name":"tro","return":6}"#),
    Self(
      "int (out void bytes[count], inout unsigned long *count)",
      "int f(void *bytes, unsigned long *count) { memset(bytes, 1, 3); *count = 3; return 0; }", "[8]",
      #"{"bytes":{"base64":"AQEB"},"count":3,"return":0}"#),
    Self(
      "const char *[count] (out size_t *count)",
      #"const char **f(size_t *count) { static const char *names[] = {"a", "b"}; *count = 2; return names; }"#, "[]",
      #"{"count":2,"return":["a","b"]}"#),
    Self(
      "owned(free) uint8_t[count] (string text, out size_t *count)",
      "uint8_t *f(const char *text, size_t *count) { *count = strlen(text); return (uint8_t *)strdup(text); }",
      #"["\u0001\u0002"]"#, #"{"count":2,"return":{"base64":"AQI="}}"#),
  ]

  private static let callbacks = [
    Self(
      "void (int32_t numbers[count], size_t count, size_t size, int (*compare)(const void *a, const void *b))",
      "void f(void *numbers, size_t count, size_t size, int (*compare)(const void *, const void *)) "
        + "{ qsort(numbers, count, size, compare); }",
      #"[[3, -1, 2], 4, "ascending"]"#, #"{"numbers":[-1,2,3]}"#),
    Self(
      "int (int (*visit)(string name, void *context), void *context)",
      #"int f(int (*visit)(const char *name, void *context), void *context) { return visit("three", context); }"#,
      #"["name_length", null]"#, "5"),
  ]

  private static let others = [
    Self(
      "int (string path, int mode) errno", "int f(const char *path, int mode) { errno = 2; return *path ? mode : -1; }",
      #"["a", 4]"#, "4"),
    Self(
      "int (string path, int mode) errno", "int f(const char *path, int mode) { errno = 2; return *path ? mode : -1; }",
      #"["", 4]"#, "system(2)"),
    Self("double (double x) errno(any)", "double f(double x) { if (x < 0) errno = 33; return x; }", "[1]", "1"),
    Self("double (double x) errno(any)", "double f(double x) { if (x < 0) errno = 33; return x; }", "[-1]", "system(33)"),
    Self(
      "int (out char text[size], size_t size, string format, ..., double number)",
      """
      int f(char *text, size_t size, const char *format, ...) {
        va_list list;
        va_start(list, format);
        int count = vsnprintf(text, size, format, list);
        va_end(list);
        return count;
      }
      """, #"[32, "%.2f", 2.5]"#, #"{"return":4,"text":"2.50"}"#),
    Self(
      "int (string format, ...)",
      """
      int f(const char *format, ...) {
        va_list list;
        va_start(list, format);
        int count = vsnprintf(NULL, 0, format, list);
        va_end(list);
        return count;
      }
      """, #"["%d-%s-%.1f", 5, "text", 0.5]"#, "10"),
    Self("void *(resolver)", "void *f(void *resolver) { return (char *)resolver + 1; }", "[]", #""0x7001""#),
  ]

  /// The examples of `troupe.h`.
  private static let header = [
    Self("double (double width, double height)", "double f(double w, double h) { return w * h; }", "[3, 1.5]", "4.5"),
    Self(
      "struct point { double x, y; }; double (const struct point corners[count], size_t count)",
      """
      struct corner { double x, y; };
      double f(const struct corner *corners, size_t count) { return corners[count - 1].x - corners[0].y; }
      """, "[[[0, 1], [2, 3], [7, 0]]]", "6"),
    Self(
      "int (const void data[count], size_t count, out owned(free) char **message) errno",
      """
      int f(const void *data, size_t count, char **message) {
        (void)data;
        *message = strdup("short");
        if (count > 1) return (int)count;
        errno = 22;
        return -1;
      }
      """, #"["abc"]"#, #"{"message":"short","return":3}"#),
    Self(
      "void (int numbers[count], size_t count, int (*compare)(int a, int b))",
      """
      void f(int *numbers, size_t count, int (*compare)(int a, int b)) {
        for (size_t i = 1; i < count; i++)
          for (size_t j = i; j > 0 && compare(numbers[j - 1], numbers[j]) > 0; j--) {
            int number = numbers[j];
            numbers[j] = numbers[j - 1];
            numbers[j - 1] = number;
          }
      }
      """, #"[[1, 3, 2], "descending"]"#, #"{"numbers":[3,2,1]}"#),
  ]
}
