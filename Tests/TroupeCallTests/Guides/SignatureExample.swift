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

  static let all =
    scalars + records + typedefs + outputs + buffers + lengths + references + memory + callbacks + failures + others + header

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
    Self("size_t (const wchar_t *text)", "size_t f(const wchar_t *text) { return wcslen(text); }", #"["a€🙂"]"#, "3"),
    Self(
      "const char16_t *(void)",
      "const uint_least16_t *f(void) { static const uint_least16_t text[] = {0x20ac, 0}; return text; }",
      "[]", #""€""#),
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
    Self(
      "struct shape { int kind; union { double radius; int side; }; }; double (struct shape shape)",
      """
      struct shape { int kind; union { double radius; int side; }; };
      double f(struct shape shape) { return shape.kind == 0 ? shape.radius : shape.side; }
      """, #"[{"kind": 0, "radius": 2.5}]"#, "2.5"),
    Self(
      "struct part { const void (*bytes)[size]; size_t size; }; size_t (const struct part parts[count], int count)",
      """
      struct part { const void *bytes; size_t size; };
      size_t f(const struct part *parts, int count) {
        size_t sum = 0;
        for (int i = 0; i < count; i++) sum = sum * 10 + parts[i].size;
        return sum;
      }
      """, #"[[{"bytes": "abc"}, {"bytes": {"base64": "AQI="}, "size": 1}]]"#, "31"),
    Self(
      "const struct message { int count; short values[count]; } *(int count)",
      """
      struct message { int count; short values[]; };
      const struct message *f(int count) {
        static union { struct message message; char room[64]; } memory;
        memory.message.count = count;
        for (int i = 0; i < count; i++) memory.message.values[i] = i * i;
        return &memory.message;
      }
      """, "[4]", #"{"count":4,"values":[0,1,4,9]}"#),
  ]

  private static let typedefs = [
    Self(
      "typedef long time_t; typedef struct { double x, y; } point; double (point at, time_t time)",
      "typedef struct { double x, y; } place; double f(place at, long time) { return at.x + at.y * time; }",
      "[[1, 2], 10]", "21"),
    Self(
      """
      typedef int order(const void *a, const void *b); \
      void (int32_t numbers[count], size_t count, size_t size, order *compare)
      """,
      "void f(void *numbers, size_t count, size_t size, int (*compare)(const void *, const void *)) "
        + "{ qsort(numbers, count, size, compare); }",
      #"[[2, 1], 4, "ascending"]"#, #"{"numbers":[1,2]}"#),
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
    Self(
      "struct size { int width, height; }; const struct size *(const struct size *size)",
      """
      struct size { int width, height; };
      const struct size *f(const struct size *size) {
        static struct size turned;
        turned = (struct size){size->height, size->width};
        return &turned;
      }
      """, #"[{"width": 2, "height": 3}]"#, #"{"height":2,"width":3}"#),
    Self("int[3] (void)", "int *f(void) { static int numbers[] = {1, 2, 3}; return numbers; }", "[]", "[1,2,3]"),
    Self(
      "owned(free) double[rows * columns] (size_t rows, size_t columns)",
      "double *f(size_t rows, size_t columns) { return calloc(rows * columns, sizeof(double)); }", "[2, 2]", "[0,0,0,0]"),
    Self(
      "const char *[] (void)",
      #"const char **f(void) { static const char *names[] = {"a", "b", NULL}; return names; }"#, "[]", #"["a","b"]"#),
    Self(
      "int (out owned(free) uint8_t (**data)[size], out size_t *size)",
      #"int f(uint8_t **data, size_t *size) { *data = (uint8_t *)strdup("\1\2"); *size = 2; return 0; }"#, "[]",
      #"{"data":{"base64":"AQI="},"return":0,"size":2}"#),
    Self("void (*(int signal))(int)", "typedef void handler(int); handler *f(int n) { (void)n; return NULL; }", "[2]", "null"),
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

  private static let lengths = [
    Self(
      "double (const double matrix[rows * columns], size_t rows, size_t columns)",
      "double f(const double *matrix, size_t rows, size_t columns) { return matrix[rows * columns - 1]; }",
      "[[1, 2, 3, 4, 5, 6], 2, 3]", "6"),
    Self(
      "double (const double matrix[rows * columns], size_t rows, size_t columns)",
      "double f(const double *matrix, size_t rows, size_t columns) { return matrix[rows * columns - 1]; }",
      "[[1, 2, 3, 4, 5], 2, 3]", "argumentRange"),
    Self(
      "int (const int pairs[2 * count + 1], int count)",
      "int f(const int *pairs, int count) { return pairs[2 * count]; }", "[[1, 2, 3], 1]", "3"),
    Self(
      "size_t (const float samples[size bytes], size_t size)",
      "size_t f(const float *s, size_t size) { (void)s; return size; }",
      "[[1, 2, 3]]", "12"),
    Self(
      "ssize_t (out void bytes[result], size_t size)",
      "long f(void *bytes, size_t size) { (void)size; memset(bytes, 1, 2); return 2; }", "[8]",
      #"{"bytes":{"base64":"AQE="},"return":2}"#),
    Self(
      "size_t (out void bytes[size * count, size * result], size_t size, size_t count)",
      "size_t f(void *bytes, size_t size, size_t count) { (void)count; memset(bytes, 1, size * 2); return 2; }", "[3, 4]",
      #"{"bytes":{"base64":"AQEBAQEB"},"return":2}"#),
    Self(
      "int (char *const words[])", "int f(char *const *words) { int n = 0; while (words[n]) n++; return n; }",
      #"[["a", "b"]]"#, "2"),
  ]

  private static let memory = [
    Self(
      "double (double x, int *exponent)", "double f(double x, int *exponent) { *exponent = 4; return x / 16; }", "[8, [0]]",
      #"{"exponent":[4],"result":0.5}"#),
    Self(
      "void (unsigned char *bytes, size_t count)", "void f(unsigned char *bytes, size_t count) { memset(bytes, 'x', count); }",
      #"[{"bytes": 3}, 3]"#, #"{"base64":"eHh4"}"#),
    Self(
      "size_t (char *buffer, size_t size)", #"size_t f(char *buffer, size_t size) { strcpy(buffer, "ab"); return size; }"#,
      #"[{"bytes": 5}, 5]"#, #"{"buffer":"ab","result":5}"#),
    Self(
      "int (const char **names, int count)",
      "int f(const char **names, int count) { int n = 0; while (count--) n += names[count] ? strlen(names[count]) : 1; return n; }",
      #"[["a", null, "bc"], 3]"#, #"{"names":["a",null,"bc"],"result":4}"#),
  ]

  private static let references = [
    Self(
      "struct store; owned(free) struct store *(int rows) error(null)",
      "void *f(int rows) { return rows < 0 ? NULL : malloc(1); }", "[-1]", "failure(0)"),
    Self(
      "typedef struct store store; int (const store *_Nonnull store)", "int f(const void *store) { return store == NULL; }",
      "[null]", "argumentType"),
    Self(
      "struct node { int value; struct node *next; }; struct node *(struct node *next, int value)",
      """
      struct node { int value; struct node *next; };
      struct node *f(struct node *next, int value) {
        static struct node node;
        return node.value = value, node.next = next, &node;
      }
      """, "[null, 3]", #"{"next":null,"value":3}"#),
    Self(
      "struct options { int level; }; struct store; struct store *(kept const struct options *options)",
      "struct options { int level; }; void *f(const struct options *options) { return options->level == 9 ? NULL : malloc(1); }",
      #"[{"level": 9}]"#, "null"),
    Self(
      """
      struct store; struct cursor; \
      int (struct store *store, out owned(free) borrows(store) struct cursor **cursor)
      """, "int f(void *store, void **cursor) { *cursor = store; return 5; }", "[null]", #"{"cursor":null,"return":5}"#),
    Self(
      "struct store; void (consumed struct store *store)", "void f(void *store) { free(store); }", "[null]", "null"),
  ]

  private static let failures = [
    Self("int (size_t size) errno(result)", "int f(size_t size) { return size ? 0 : 22; }", "[0]", "system(22)"),
    Self("int (size_t size) errno(result)", "int f(size_t size) { return size ? 0 : 22; }", "[1]", "0"),
    Self("int (int code) error(negative)", "int f(int code) { return code; }", "[-3]", "failure(-3)"),
    Self(
      "int (int code) error(nonzero except 100, 101: strerror)", "int f(int code) { return code; }", "[100]", "100"),
    Self(
      "int (int code) error(nonzero except 100, 101: strerror)", "int f(int code) { return code; }", "[2]", "failure(2)"),
    Self(
      "bool (int code) error(zero: strerror(code))", "bool f(int code) { return code == 0; }", "[2]", "failure(0)"),
    Self(
      "void *(string name) error(null: dlerror())", "void *f(const char *name) { (void)name; return NULL; }", #"["a"]"#,
      "failure(0)"),
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
    Self(
      "size_t (size_t (*write)(const char data[size * count], size_t size, size_t count, void *context), void *context)",
      """
      size_t f(size_t (*write)(const char *data, size_t size, size_t count, void *context), void *context) {
        return write("text", 2, 2, context);
      }
      """, #"["product", null]"#, "4"),
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
