internal import CLinux
@preconcurrency internal import Dispatch
internal import Glibc
internal import Synchronization
package import TroupeFiles

/// Reads the output of a worker's process line by line, at most 4 MiB per second. A faster process blocks in write(2).
///
/// The process writes to a pipe. A log line has the form of `WorkerLogLine`; any other line is what a plugin has printed. A
/// dispatch source reads lines soon after they were written. Whoever reports the end of a call or of the process first reads
/// the output until then, so that the log has it before the result:
///
///     a call returns after a log line     readAvailable()
///     a call fails, or its worker ends    readToEnd(), also a line without an end
///     nobody uses the process any more    finish()
///
/// `take` may be slow: a program's log may write to a terminal or a network. So lines wait in `State.waiting`, at most about 4 MiB, and
/// each block of the queue delivers for a tenth of a second, or for one line that takes longer. The queue delivers the rest afterwards,
/// before it reads on, so that a flood of lines holds neither a call nor the end of a host for long.
package final class WorkerOutput: Sendable {
  /// The write end of the pipe, for the worker. Closed with this object.
  package let descriptor: Int32
  private let source: any DispatchSourceRead
  private let state = Mutex(State())

  private struct State {
    var lines = LineBuffer()
    /// The lines that were read and not yet delivered, the first one last.
    var waiting: [String] = []
    var waitingSize = 0
    /// Whether the queue will deliver them.
    var isDelivering = false
    var isFinished = false
    var printed = OutputTail()
    /// The number of bytes that were read since the start of the window, with `lineCost` for each line.
    var count = 0
    var window = Deadline(nanoseconds: 0)

    mutating func takeWaiting() -> String? {
      guard let line = waiting.popLast() else { return nil }
      waitingSize -= WorkerOutput.size(of: line)
      return line
    }
  }

  private static func size(of line: String) -> Int { line.utf8.count + lineCost }

  /// The largest number of bytes that are read in a window of a second.
  private static let rate = 4 << 20
  /// What a line costs the host beside its bytes, such as the start of its line in the log. Without it, a flood of empty lines would keep the
  /// host busy for longer than its process.
  private static let lineCost = 64
  /// The number of bytes that `readToEnd` and `finish` read beyond the rate: the size of a pipe, which the process may not change (pipe(7)).
  private static let pipeSize = 64 << 10
  /// The longest time for which a function delivers lines, unless a single line takes longer.
  private static let patience = Duration.milliseconds(100)
  private let queue = DispatchQueue(label: "troupe.worker-output", qos: .utility)
  private static let isOnQueue = DispatchSpecificKey<Bool>()
  private let take: @Sendable (String) -> Void
  private let reading: Int32

  /// - Parameter take: Receives each line without its end, one at a time.
  /// - Throws: A `SystemError` if there is no descriptor left.
  package init(_ take: @escaping @Sendable (String) -> Void) throws(SystemError) {
    var ends: [Int32] = [-1, -1]
    guard linux_pipe2(&ends) == 0 else { throw SystemError(code: errno) }
    let reading = ends[0]
    _ = fcntl(reading, F_SETFL, fcntl(reading, F_GETFL) | O_NONBLOCK)
    descriptor = ends[1]
    (self.take, self.reading) = (take, reading)
    queue.setSpecific(key: Self.isOnQueue, value: true)
    source = DispatchSource.makeReadSource(fileDescriptor: reading, queue: queue)
    source.setEventHandler { [weak self] in self?.read() }
    source.setCancelHandler { close(reading) }
    source.activate()
  }

  deinit {
    close(descriptor)
    source.cancel()
  }

  /// Reads what the worker has written, and returns after `take` has got the lines or a tenth of a second has passed. Does nothing within
  /// `take`, also that of another output: a queue would wait for itself, or two queues for each other.
  func readAvailable() {
    guard DispatchQueue.getSpecific(key: Self.isOnQueue) == nil else { return }
    queue.sync { read() }
  }

  /// As `readAvailable`, and also reads an incomplete last line and what exceeds the rate.
  package func readToEnd() {
    guard DispatchQueue.getSpecific(key: Self.isOnQueue) == nil else { return }
    queue.sync { read(toEnd: true) }
  }

  /// Reads the rest asynchronously, after the last use of the process. The caller may hold any lock, even one that `take`
  /// needs. What `take` does not get in a tenth of a second is counted in a last line.
  func finish() {
    queue.async {
      self.state.withLock { $0.isFinished = true }
      self.read(toEnd: true)
    }
  }

  /// The last lines that a plugin has printed; see `OutputTail`.
  package var outputTail: String? { state.withLock(\.printed.summary) }

  /// Reads the available bytes, at most as many as the rate allows in the window, and delivers lines. Reads nothing while lines wait, but
  /// at the end of a call.
  ///
  /// - Parameter toEnd: Whether to read a full pipe whatever the rate, and to take an incomplete last line as well.
  private func read(toEnd: Bool = false) {
    let isTooFast = state.withLock { state -> Bool in
      // Calls that fail in a flood would collect lines without end.
      if toEnd ? state.waitingSize >= Self.rate : !state.waiting.isEmpty { return false }
      let now = Deadline.now
      if now >= state.window.advanced(by: .seconds(1)) { (state.window, state.count) = (now, 0) }
      var lines: [String] = []
      var size = 0
      let wasTooFast = state.count >= Self.rate
      while state.count < Self.rate || toEnd && size < Self.pipeSize {
        let piece = Self.piece(reading)
        if piece.isEmpty { break }
        let added = state.lines.add(piece)
        size += piece.count
        state.count += piece.count + added.count * Self.lineCost
        lines += added
      }
      if toEnd, let rest = state.lines.takeRest() { lines.append(rest) }
      for line in lines where WorkerLogLine(line) == nil { state.printed.add((line + "\n").utf8) }
      state.waiting = lines.reversed() + state.waiting
      state.waitingSize += lines.reduce(0) { $0 + Self.size(of: $1) }
      return !wasTooFast && state.count >= Self.rate
    }
    if isTooFast { pause() }
    deliver()
  }

  /// Gives waiting lines to `take` for a tenth of a second, and has the queue do so again if lines are left.
  private func deliver() {
    let end = Deadline.after(Self.patience)
    while let line = state.withLock({ $0.takeWaiting() }) {
      take(line)
      if Deadline.now >= end { break }
    }
    let (isAgain, dropped) = state.withLock { state -> (Bool, Int) in
      if state.isFinished {
        defer { (state.waiting, state.waitingSize) = ([], 0) }
        return (false, state.waiting.count)
      }
      guard !state.waiting.isEmpty, !state.isDelivering else { return (false, 0) }
      state.isDelivering = true
      return (true, 0)
    }
    if dropped > 0 { take("\(dropped) more lines are dropped, since the log takes them too slowly") }
    guard isAgain else { return }
    queue.async { [weak self] in
      guard let self else { return }
      state.withLock { $0.isDelivering = false }
      deliver()
    }
  }

  /// Suspends the source for a second. Meanwhile the pipe fills, and the worker blocks.
  private func pause() {
    source.suspend()
    queue.asyncAfter(deadline: .now() + 1) { [source] in source.resume() }
  }

  private static func piece(_ reading: Int32) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: 16 << 10) { buffer, count in
      count = max(0, Glibc.read(reading, buffer.baseAddress, buffer.count))
    }
  }
}

private struct LineBuffer {
  /// The start of a line whose end has not arrived.
  private var rest: [UInt8] = []
  /// The largest size of a line. What exceeds it is dropped, so that a worker cannot fill the memory of the host.
  private static let maximumSize = 64 << 10

  mutating func add(_ bytes: [UInt8]) -> [String] {
    var lines: [String] = []
    for (index, part) in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
      if index > 0 {
        lines.append(String(decoding: rest, as: UTF8.self))
        rest = []
      }
      var part = part
      // A log line begins a line of its own, also behind what a plugin has printed without an end.
      if let begin = part.firstIndex(of: WorkerLogLine.firstByte), begin > part.startIndex || !rest.isEmpty,
        rest.first != WorkerLogLine.firstByte
      {
        lines.append(String(decoding: rest + part[..<begin], as: UTF8.self))
        (rest, part) = ([], part[begin...])
      }
      rest += part.prefix(max(0, Self.maximumSize - rest.count))
    }
    return lines
  }

  /// Takes an incomplete line; nil if there is none, or if it starts a log line, whose rest the process is still writing.
  mutating func takeRest() -> String? {
    guard !rest.isEmpty, rest.first != WorkerLogLine.firstByte else { return nil }
    defer { rest = [] }
    return String(decoding: rest, as: UTF8.self)
  }
}

/// A log line of a plugin, as a line of text in the output of its worker.
package struct WorkerLogLine: Sendable, Equatable {
  package var level: Int32
  package var plugin: String
  package var text: String

  package init(level: Int32, plugin: String, text: String) { (self.level, self.plugin, self.text) = (level, plugin, text) }

  /// Control characters that frame a log line: its start, the separator of its fields, and the substitute for a newline in the
  /// text.
  private static let (begin, separator) = ("\u{1E}", "\u{1F}")
  fileprivate static let firstByte: UInt8 = 0x1E
  private static let lineEnd: Unicode.Scalar = "\u{1D}"

  /// Parses a line of output. Returns nil for a line that a plugin has printed.
  package init?(_ line: String) {
    guard line.hasPrefix(Self.begin) else { return nil }
    let parts = line.dropFirst().split(separator: Self.separator, maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, let level = Int32(parts[0]) else { return nil }
    (self.level, plugin, text) = (level, String(parts[1]), String(parts[2]).replacing("\(Self.lineEnd)", with: "\n"))
  }

  /// The line of output, with its end.
  package var line: String {
    // A search for the character "\n" would miss that of "\r\n", which is one character.
    let safe = String(String.UnicodeScalarView(text.unicodeScalars.map { $0 == "\n" ? Self.lineEnd : $0 }))
    return "\(Self.begin)\(level)\(Self.separator)\(plugin)\(Self.separator)\(safe)\n"
  }
}
