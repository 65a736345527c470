import Glibc
import Synchronization
import TroupeCall

/// A C library that stays open until the process ends.
struct Library {
  struct LibraryError: Error {
    let text: String
  }

  private let handle: UnsafeMutableRawPointer

  init(_ name: String) throws {
    guard let handle = dlopen(name, RTLD_NOW) else { throw LibraryError(text: String(cString: dlerror())) }
    self.handle = handle
  }

  /// Prepares calls of a function, and of the functions of the library that its signature names.
  func prepare(_ name: String, _ signature: String) throws -> PreparedCall {
    let lookup = { (name: String) in UnsafeRawPointer(dlsym(handle, name)) }
    guard let function = lookup(name) else { throw LibraryError(text: "the library has no function \(name)") }
    return try PreparedCall(signature: Signature(parsing: signature), function: function, symbols: lookup)
  }
}

/// The functions of SQLite in the examples.
struct SQLite {
  let open, prepare, bindText, bindInteger, step, text, integer, finalize, close: PreparedCall

  init() throws {
    let library = try Library("libsqlite3.so.0")
    func function(_ name: String, _ signature: String) throws -> PreparedCall {
      try library.prepare(
        name, "typedef struct sqlite3 sqlite3; typedef struct sqlite3_stmt sqlite3_stmt; " + signature)
    }
    open = try function(
      "sqlite3_open", "int (string path, out owned(sqlite3_close) sqlite3 **db) error(nonzero: sqlite3_errmsg(db))")
    prepare = try function(
      "sqlite3_prepare_v2",
      """
      int (sqlite3 *db, const char sql[size], int size,
           out owned(sqlite3_finalize) borrows(db) sqlite3_stmt **statement, const char **rest)
      error(nonzero: sqlite3_errmsg(db))
      """)
    bindText = try function(
      "sqlite3_bind_text",
      """
      int (sqlite3_stmt *statement, int index, const char text[size], int size, void (*destroy)(void *))
      error(nonzero: sqlite3_errstr)
      """)
    bindInteger = try function(
      "sqlite3_bind_int64", "int (sqlite3_stmt *statement, int index, int64_t number) error(nonzero: sqlite3_errstr)")
    step = try function(
      "sqlite3_step", "enum { ROW = 100, DONE } (sqlite3_stmt *statement) error(nonzero except ROW, DONE: sqlite3_errstr)")
    text = try function("sqlite3_column_text", "string (sqlite3_stmt *statement, int column)")
    integer = try function("sqlite3_column_int", "int (sqlite3_stmt *statement, int column)")
    finalize = try function("sqlite3_finalize", "int (consumed sqlite3_stmt *statement)")
    close = try function("sqlite3_close", "int (consumed sqlite3 *db) error(nonzero: sqlite3_errstr)")
  }
}

/// Returns the moons of a planet that are wider than a diameter in kilometers.
func moons(of planet: String, widerThan diameter: Int) throws -> [String] {
  let sqlite = try SQLite()
  guard let db = try sqlite.open.call([.string(":memory:")])["db"] else { return [] }
  func statement(_ sql: String) throws -> Value {
    try sqlite.prepare.call([db, .string(sql), .null])["statement"] ?? .null
  }
  _ = try sqlite.step.call([statement("CREATE TABLE moons (planet, name, diameter)")])
  _ = try sqlite.step.call([
    statement("INSERT INTO moons VALUES ('Jupiter', 'Thebe', 99), ('Jupiter', 'Io', 3643), ('Saturn', 'Titan', 5149)")
  ])

  let select = try statement("SELECT name, diameter FROM moons WHERE planet = ? AND diameter > ?")
  let copied = Value.pointer(Value.Pointer(address: .max))  // SQLITE_TRANSIENT
  _ = try sqlite.bindText.call([select, .integer(1), .string(planet), copied])
  _ = try sqlite.bindInteger.call([select, .integer(2), .integer(Int128(diameter))])
  var moons: [String] = []
  while try sqlite.step.call([select]) == .integer(100) {
    let name = try sqlite.text.call([select, .integer(0)])
    let diameter = try sqlite.integer.call([select, .integer(1)])
    moons.append("\(name): \(diameter) km")
  }
  _ = try sqlite.finalize.call([select])
  _ = try sqlite.close.call([db])
  return moons
}

let zStream = """
  struct z_stream {
    const void (*next_in)[avail_in]; unsigned avail_in; unsigned long total_in;
    void (*next_out)[avail_out]; unsigned avail_out; unsigned long total_out;
    const char *msg; struct internal_state *state;
    void *zalloc, *zfree, *opaque; int data_type; unsigned long adler, reserved;
  };

  """

/// Compresses bytes, and takes them from zlib in pieces of 32 bytes.
func deflated(_ bytes: [UInt8]) throws -> [UInt8] {
  let zlib = try Library("libz.so.1")
  let start = try zlib.prepare(
    "deflateInit_", zStream + "int (struct z_stream *stream, int level, string version, int size) error(negative: zError)")
  let deflate = try zlib.prepare(
    "deflate", zStream + "int (struct z_stream *stream, enum { Z_FINISH = 4 } flush) error(negative: zError)")
  let end = try zlib.prepare("deflateEnd", zStream + "int (struct z_stream *stream)")

  let stream = try ForeignMemory(zStream + "struct z_stream")
  let piece = try ForeignMemory("uint8_t", count: 32)
  _ = try start.call([.memory(stream), .integer(9), .string("1"), .integer(Int128(stream.size))])
  defer { _ = try? end.call([.memory(stream)]) }
  try stream.write(.bytes(bytes), to: "next_in")
  var result: [UInt8] = []
  var status = Value.integer(0)
  while status == .integer(0) {
    try stream.write(.memory(piece), to: "next_out")
    status = try deflate.call([.memory(stream), .string("Z_FINISH")])
    guard case .bytes(let bytes) = try piece.read(), case .integer(let rest) = try stream.read("avail_out") else { break }
    result += bytes.dropLast(Int(rest))
  }
  return result
}

/// Restores bytes whose number is known.
func inflated(_ bytes: [UInt8], count: Int) throws -> Value {
  let zlib = try Library("libz.so.1")
  let start = try zlib.prepare(
    "inflateInit_", zStream + "int (struct z_stream *stream, string version, int size) error(negative: zError)")
  let inflate = try zlib.prepare(
    "inflate", zStream + "int (struct z_stream *stream, enum { Z_FINISH = 4 } flush) error(negative: zError)")
  let end = try zlib.prepare("inflateEnd", zStream + "int (struct z_stream *stream)")

  let stream = try ForeignMemory(zStream + "struct z_stream")
  let result = try ForeignMemory("uint8_t", count: count)
  _ = try start.call([.memory(stream), .string("1"), .integer(Int128(stream.size))])
  defer { _ = try? end.call([.memory(stream)]) }
  try stream.write(.bytes(bytes), to: "next_in")
  try stream.write(.memory(result), to: "next_out")
  _ = try inflate.call([.memory(stream), .string("Z_FINISH")])
  return try result.read()
}

/// Reads a head of 4 bytes and a body of 8 bytes from a file.
func headAndBody(from file: Int32) throws -> (head: Value, body: Value) {
  let c = try Library("libc.so.6")
  let readv = try c.prepare(
    "readv",
    """
    struct iovec { void (*iov_base)[iov_len]; size_t iov_len; };
    ssize_t (int file, const struct iovec buffers[count], int count) errno
    """)
  let head = try ForeignMemory("uint8_t", count: 4)
  let body = try ForeignMemory("uint8_t", count: 8)
  let buffers = [head, body].map { Value.structure([Value.Field("iov_base", .memory($0))]) }
  _ = try readv.call([.integer(Int128(file)), .array(buffers)])
  return (try head.read(), try body.read())
}

let pngImage = """
  struct png_image {
    struct png_control *opaque; uint32_t version, width, height, format, flags, colormap_entries, warning_or_error;
    char message[64];
  };

  """

/// Returns a PNG file with a row of gray pixels.
func png(row: [UInt8]) throws -> Value? {
  let png = try Library("libpng16.so.16")
  let write = try png.prepare(
    "png_image_write_to_memory",
    pngImage
      + """
      int (struct png_image *image, out void file[size], inout size_t *size, int convert, const void *pixels, int stride,
           const void *colormap) error(zero)
      """)
  let image = try ForeignMemory(pngImage + "struct png_image")
  try image.write(.integer(1), to: "version")
  try image.write(.integer(Int128(row.count)), to: "width")
  try image.write(.integer(1), to: "height")
  let pixels = try ForeignMemory("uint8_t", count: row.count)
  try pixels.write(.bytes(row))
  return try write.call([.memory(image), .integer(1024), .integer(0), .memory(pixels), .integer(0), .null])["file"]
}

/// Returns the width and height of a PNG file, or the text of the library if it is none.
func size(ofPNG file: Value) throws -> String {
  let png = try Library("libpng16.so.16")
  let begin = try png.prepare(
    "png_image_begin_read_from_memory",
    pngImage + "int (struct png_image *image, const void file[size], size_t size) error(zero)")
  let free = try png.prepare("png_image_free", pngImage + "void (struct png_image *image)")
  let image = try ForeignMemory(pngImage + "struct png_image")
  try image.write(.integer(1), to: "version")
  do throws(CallError) {
    _ = try begin.call([.memory(image), file])
  } catch {
    return try image.read("message").description
  }
  _ = try free.call([.memory(image)])
  return "\(try image.read("width")) x \(try image.read("height"))"
}

let tm = """
  struct tm {
    int tm_sec, tm_min, tm_hour, tm_mday, tm_mon, tm_year, tm_wday, tm_yday, tm_isdst; long tm_gmtoff; const char *tm_zone;
  };

  """

/// Returns the text for a time in UTC, such as "1970-01-02" for "%F".
func text(ofTime seconds: Int, format: String) throws -> Value? {
  let c = try Library("libc.so.6")
  let gmtime = try c.prepare("gmtime", tm + "const struct tm *(const long seconds[1]) errno")
  let strftime = try c.prepare(
    "strftime",
    tm + "size_t (out char text[result], size_t size, string format, const struct tm *time) error(zero)")
  let time = try gmtime.call([.array([.integer(Int128(seconds))])])
  return try strftime.call([.integer(64), .string(format), time])["text"]
}

/// Returns the year of a time in the local time zone.
func localYear(ofTime seconds: Int) throws -> Int? {
  let c = try Library("libc.so.6")
  let localtime = try c.prepare("localtime_r", tm + "void *(const long seconds[1], out struct tm *time) errno")
  let outcome = try localtime.call([.array([.integer(Int128(seconds))])])
  guard case .integer(let year)? = outcome["time"]?["tm_year"] else { return nil }
  return Int(year) + 1900
}

/// Returns the lines of a file, each with its line end.
func lines(of path: String) throws -> [String] {
  let c = try Library("libc.so.6")
  let open = try c.prepare("fopen", "typedef struct FILE FILE; owned(fclose) FILE *(string path, string mode) errno")
  let getline = try c.prepare("getline", "typedef struct FILE FILE; ssize_t (char **line, size_t *room, FILE *file) errno")
  let file = try open.call([.string(path), .string("r")])
  let line = try ForeignMemory("string")
  let room = try ForeignMemory("size_t")
  defer { line.withUnsafeMutableBytes { free($0.load(as: UnsafeMutableRawPointer?.self)) } }
  var lines: [String] = []
  while case .integer(let length) = try getline.call([.memory(line), .memory(room), file]), length >= 0 {
    lines.append(try line.read().description)
  }
  return lines
}

/// Returns the CRC-32 of bytes.
func crc32(of bytes: [UInt8]) throws -> UInt {
  let zlib = try Library("libz.so.1")
  let crc32 = try zlib.prepare("crc32", "unsigned long (unsigned long crc, const void bytes[count], unsigned count)")
  return try crc32.typed(as: ((UInt, [UInt8]) -> UInt).self)(0, bytes)
}

/// Compresses bytes with one call.
func compressed(_ bytes: [UInt8]) throws -> Value? {
  let zlib = try Library("libz.so.1")
  let bound = try zlib.prepare("compressBound", "unsigned long (unsigned long size)")
  let compress = try zlib.prepare(
    "compress",
    """
    int (out void target[room], inout unsigned long *room, const void source[size], unsigned long size)
    error(nonzero: zError)
    """)
  return try compress.call([bound.call([.integer(Int128(bytes.count))]), .bytes(bytes)])["target"]
}

/// Writes a text to a pipe, and reads at most `count` bytes from it.
func piped(_ text: String, count: Int) throws -> Value? {
  let c = try Library("libc.so.6")
  let pipe = try c.prepare("pipe", "int (out int ends[2]) errno")
  let write = try c.prepare("write", "ssize_t (int file, const void bytes[size], size_t size) errno")
  let read = try c.prepare("read", "ssize_t (int file, out void bytes[result], size_t size) errno")
  let close = try c.prepare("close", "int (int file) errno")
  guard case .packedArray(let ends)? = try pipe.call()["ends"] else { return nil }
  defer { for end in ends { _ = try? close.call([end]) } }
  _ = try write.call([ends[1], .string(text)])
  return try read.call([ends[0], .integer(Int128(count))])["bytes"]
}

/// Sorts numbers with a closure, which C calls.
func sorted(_ numbers: [Int32], by isLess: @escaping @Sendable (Int32, Int32) -> Bool) throws -> Value? {
  let c = try Library("libc.so.6")
  let sort = try c.prepare(
    "qsort_r",
    """
    void (int32_t numbers[count], size_t count, enum : size_t { INT32 = 4 } size,
          int (*compare)(const void *a, const void *b, void *context), void *context)
    """)
  let type = try Signature(parsing: "int (const void *a, const void *b, void *context)")
  let compare = try Callback(signature: type) { (a: Value.Pointer, b: Value.Pointer, _: Value.Pointer) -> Int32 in
    guard let a = a.rawPointer?.load(as: Int32.self), let b = b.rawPointer?.load(as: Int32.self) else { return 0 }
    return isLess(a, b) ? -1 : isLess(b, a) ? 1 : 0
  }
  return try sort.call([.packedArray(Value.PackedArray(numbers)), .string("INT32"), .callback(compare), .null])["numbers"]
}

/// Returns the bytes behind a URL.
func content(of url: String) throws -> [UInt8] {
  let curl = try Library("libcurl.so.4")
  let start = try curl.prepare(
    "curl_easy_init", "typedef struct CURL CURL; owned(curl_easy_cleanup) CURL *(void) error(null)")
  let set = try curl.prepare(
    "curl_easy_setopt",
    """
    typedef struct CURL CURL;
    int (CURL *easy, enum { CURLOPT_URL = 10002, CURLOPT_WRITEFUNCTION = 20011 } option, ...)
    error(nonzero: curl_easy_strerror)
    """)
  let perform = try curl.prepare(
    "curl_easy_perform", "typedef struct CURL CURL; int (CURL *easy) error(nonzero: curl_easy_strerror)")

  let content = Mutex<[UInt8]>([])
  let type = try Signature(parsing: "size_t (const void data[size * count], size_t size, size_t count, void *context)")
  let write = try Callback(signature: type) { arguments in
    guard case .bytes(let bytes) = arguments[0] else { return .integer(0) }
    content.withLock { $0 += bytes }
    return .integer(Int128(bytes.count))
  }
  let easy = try start.call()
  _ = try set.call([easy, .string("CURLOPT_URL"), .string(url)])
  _ = try set.call([easy, .string("CURLOPT_WRITEFUNCTION"), .callback(write)])
  _ = try withExtendedLifetime(write) { try perform.call([easy]) }
  return content.withLock { $0 }
}

/// Allocates a block at a multiple of a power of 2.
func block(alignment: Int, size: Int) throws -> ForeignReference? {
  let c = try Library("libc.so.6")
  let allocate = try c.prepare(
    "posix_memalign",
    "struct block; int (out owned(free) struct block **block, size_t alignment, size_t size) errno(result)")
  return try allocate.call([.integer(Int128(alignment)), .integer(Int128(size))])["block"]?.reference
}

/// Returns the error of a statement in SQL, or nil if SQLite accepts it.
func fault(inSQL sql: String) throws -> CallError? {
  let sqlite = try SQLite()
  guard let db = try sqlite.open.call([.string(":memory:")])["db"] else { return nil }
  do throws(CallError) {
    _ = try sqlite.prepare.call([db, .string(sql), .null])
    return nil
  } catch {
    return error
  }
}
