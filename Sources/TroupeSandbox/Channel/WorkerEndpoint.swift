internal import CLinux
internal import Synchronization

/// The worker's end of a mailbox, for one thread: receives the host's messages and answers them.
package final class WorkerEndpoint {
  private let mailbox: Mailbox
  private let memory: ChannelMemory
  private let pendingLog: PendingLogFlag
  /// The number of times that the flag was set before the last message.
  private var knownCount: UInt64 = 0
  /// How the host asks this side to wait.
  private var wait = Mailbox.Wait.asleep

  /// - Parameter slot: The index of the mailbox, which has no other end on this side.
  package init(_ memory: ChannelMemory, slot: Int, pendingLog: PendingLogFlag) {
    (mailbox, self.memory, self.pendingLog) = (Mailbox(memory, slot: slot, side: .worker), memory, pendingLog)
  }

  /// Waits for the host's next call. Answers flat calls itself.
  ///
  /// - Parameter flat: Makes a flat call with its kind and the private buffer of the mailbox, of which the first bytes are the message. Writes
  ///   the answer into the buffer and returns its kind and range; nil for a malformed message.
  package func receiveCall(
    flat: (MessageKind, _ buffer: UnsafeMutableRawBufferPointer, _ count: Int) -> (MessageKind, Range<Int>)?
  ) throws(ChannelError) -> (kind: UInt32, bytes: [UInt8]) {
    while true {
      let message = try receiveMessage()
      guard let kind = MessageKind(rawValue: message.kind), kind == .flatCall || kind == .flatMap else {
        return content(of: message)
      }
      guard let (answer, range) = flat(kind, mailbox.buffer, message.count) else { throw .malformed }
      try send(kind: answer.rawValue, UnsafeRawBufferPointer(rebasing: mailbox.buffer[range]).bytes)
    }
  }

  /// Waits for the host's next message. The kind is any number.
  package func receive() throws(ChannelError) -> (kind: UInt32, bytes: [UInt8]) { content(of: try receiveMessage()) }

  private func content(of message: Mailbox.Message) -> (kind: UInt32, bytes: [UInt8]) {
    let bytes = mailbox.content(of: message)
    guard message.kind == LargeMessage.isInHeap, let place = LargeMessage(bytes) else { return (message.kind, bytes) }
    return (place.kind, [UInt8](memory.heapBytes(place.offset..<place.offset + place.count)))
  }

  /// Writes what C and the plugin have buffered for standard output, and has the host read it before it reads the next message.
  package func announceOutput() {
    linux_flush_stdout()
    pendingLog.set()
  }

  /// Sends a message. Throws `tooLarge` if the host has no room for an answer; the next message is then a call.
  package func send(kind: MessageKind, _ bytes: [UInt8]) throws(ChannelError) {
    guard bytes.count > mailbox.capacity else { return try send(kind: kind.rawValue, bytes.span.bytes) }
    let wanted = LargeMessage(kind: kind.rawValue, offset: 0, count: bytes.count)
    try send(kind: LargeMessage.wantsRoom, wanted.bytes.span.bytes)
    let message = try receiveMessage()
    guard message.kind == LargeMessage.isInHeap, let place = LargeMessage(mailbox.content(of: message)) else {
      try send(kind: LargeMessage.isRefused, [UInt8]().span.bytes)
      throw .tooLarge(size: bytes.count, capacity: memory.shape.heap)
    }
    bytes.withUnsafeBytes { memory.heapBytes(place.offset..<place.offset + place.count).copyMemory(from: $0) }
    try send(kind: LargeMessage.isInHeap, [UInt8]().span.bytes)
  }

  private func send(kind: UInt32, _ bytes: RawSpan) throws(ChannelError) {
    try mailbox.send(kind: kind | pendingLog.bit(after: &knownCount), bytes, wait: .asleep)
  }

  private func receiveMessage() throws(ChannelError) -> Mailbox.Message {
    let message = try mailbox.receive(wait, until: .never)
    wait = message.wait
    return message
  }
}

/// Marks the next message of each mailbox after a log line, or before an error. The host then reads the output before the call returns. Each
/// mailbox has a mark of its own, since the call that wrote the line may be any of those in flight.
package final class PendingLogFlag: Sendable {
  private let count = Atomic<UInt64>(0)

  package init() {}

  /// Marks the next message of each mailbox.
  package func set() { count.add(1, ordering: .releasing) }

  /// Returns the bit for a message.
  ///
  /// - Parameter known: The number of times that the flag was set before the last message of the mailbox.
  fileprivate func bit(after known: inout UInt64) -> UInt32 {
    let now = count.load(ordering: .acquiring)
    defer { known = now }
    return now == known ? 0 : Self.bit
  }

  /// The bit in the kind of a marked message.
  static let bit: UInt32 = 1 << 31
}
