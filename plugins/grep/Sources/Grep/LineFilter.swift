import Troupe

/// Passes the lines that match a pattern and drops the others. Bytes in any encoding pass unchanged.
final class LineFilter: Transform {
  private let pattern: Pattern
  /// The beginning of an incomplete line.
  private var unfinished: [UInt8] = []
  /// The matching lines of the current piece, written together because a write per line would cost more than the match.
  private var passed: [UInt8] = []

  /// The maximum length of a line, which bounds the memory for input without line ends.
  private static let maximumLineLength = 64 << 20

  init(pattern: String) throws {
    self.pattern = try Pattern(pattern)
  }

  func feed(_ bytes: Span<UInt8>, to output: any TransformOutput) throws {
    passed.removeAll(keepingCapacity: true)
    try bytes.withUnsafeBufferPointer { bytes in
      var rest = bytes[...]
      while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
        let line = rest[...end]
        rest = rest[(end + 1)...]
        if unfinished.isEmpty {
          pass(UnsafeBufferPointer(rebasing: line))
        } else {
          unfinished.append(contentsOf: line)
          unfinished.withUnsafeBufferPointer { pass($0) }
          unfinished.removeAll(keepingCapacity: true)
        }
      }
      guard unfinished.count + rest.count <= Self.maximumLineLength else {
        throw TransformError("a line is longer than \(Self.maximumLineLength >> 20) MiB")
      }
      unfinished.append(contentsOf: rest)
    }
    if !passed.isEmpty { try output.write(passed) }
  }

  func finish(to output: any TransformOutput) throws {
    passed.removeAll()
    unfinished.withUnsafeBufferPointer { pass($0) }
    if !passed.isEmpty { try output.write(passed) }
  }

  /// Keeps a line, with its line end if it has one, if it matches.
  private func pass(_ line: UnsafeBufferPointer<UInt8>) {
    guard !line.isEmpty else { return }
    let text = line.last == UInt8(ascii: "\n") ? UnsafeBufferPointer(rebasing: line.dropLast()) : line
    if pattern.matches(text) { passed.append(contentsOf: line) }
  }
}
