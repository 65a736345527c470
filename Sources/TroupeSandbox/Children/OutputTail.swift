internal import TroupeFiles

/// The end of what a process has printed, from which the lines are picked that say why it ended.
///
/// A C library says so in its last lines. A language runtime says it in one or two lines, and then prints a stack trace, registers and the
/// loaded images:
///
///     chart/Axis.swift:12: Fatal error: Index out of range
///     Current stack trace:
///     0    libswiftCore.so                    0x00007f3d8d75f130 swift_reportError + 33
///     …
struct OutputTail: Sendable {
  private var bytes: [UInt8] = []

  /// More than a stack trace of 64 frames with lines of source, registers and images.
  private static let limit = 64 << 10

  init() {}

  var isEmpty: Bool { bytes.isEmpty }

  mutating func add(_ piece: some Collection<UInt8>) {
    bytes += piece
    if bytes.count > 2 * Self.limit { bytes.removeFirst(bytes.count - Self.limit) }
  }

  /// The last reason that a runtime gave, else the last two lines, without Swift's stack trace: joined to one line, in quotes and without
  /// control characters. Nil without output.
  var summary: String? {
    let lines = bytes.suffix(Self.limit).split(separator: UInt8(ascii: "\n"))
    let end = lines.lastIndex { $0.elementsEqual("Current stack trace:".utf8) } ?? lines.endIndex
    let words =
      Self.reason(in: lines) ?? lines[..<end].suffix(Self.blankLines).map(Self.text).filter { !$0.isEmpty }.suffix(2)
    let text = words.joined(separator: " / ")
    return text.isEmpty ? nil : "\"" + (text.count > 300 ? text.prefix(300) + "…" : text) + "\""
  }

  /// Of so many lines at the end, two have text.
  private static let blankLines = 100

  private static func reason(in lines: [ArraySlice<UInt8>]) -> ArraySlice<String>? {
    let index = lines.lastIndex { line in
      reasons.contains { line.firstRange(of: $0) != nil }
        || reasonsWithoutText.contains { line.suffix($0.count).elementsEqual($0) }
    }
    guard let index else { return nil }
    // Rust and C++ say where or what in one line, and why in the next.
    let isIncomplete = lines[index].last == UInt8(ascii: ":") || lines[index].starts(with: "terminate called".utf8)
    return lines[index...].prefix(isIncomplete ? 2 : 1).map(text)[...]
  }

  private static func text(_ line: ArraySlice<UInt8>) -> String {
    let text = String(decoding: line, as: UTF8.self).onOneLine
    return String(text.drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed())
  }

  /// What the line of a reason contains.
  private static let reasons: [[UInt8]] = [
    // Swift and OCaml, and Swift's checks of exclusive access.
    "Fatal error: ", "Precondition failed: ", "Assertion failed: ", "Simultaneous accesses to ",
    // Rust, Zig and Go.
    "panicked at ", "panic: ", "fatal error: ",
    // C++, C, sanitizers and Fortran.
    "terminate called after ", ": Assertion `", "ERROR: AddressSanitizer", "ERROR: ThreadSanitizer", " runtime error: ",
    // Python, the JVM and Nim.
    "Fatal Python error: ", "Exception in thread ", "Error: unhandled exception: ",
  ].map { Array($0.utf8) }

  /// How the line of a reason of Swift ends if the program gave no text.
  private static let reasonsWithoutText = [": Fatal error", ": Precondition failed", ": Assertion failed"].map {
    Array($0.utf8)
  }
}
