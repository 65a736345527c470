internal import CSandbox

/// A mailbox as one side of a channel sees it: sends a message and waits for that of the other side, in turns.
///
/// One thread at a time may send and receive; any thread may close it. Each side of a mailbox exists once.
// Unchecked, since a C struct holds the state: a host gives the mailbox to one call at a time, which it takes from a list under a mutex, the
// worker's thread of the slot has the other side, and closing is atomic.
final class Mailbox: @unchecked Sendable {
  private let end: UnsafeMutablePointer<troupe_end>
  private let memory: ChannelMemory
  private let copy: UnsafeMutableRawPointer

  struct Message {
    let kind: UInt32
    /// How the sender asks the receiver to wait for the next message.
    let wait: Wait
    let count: Int

    /// The same message without the mark of `PendingLogFlag`.
    var unmarked: Message { Message(kind: kind & ~PendingLogFlag.bit, wait: wait, count: count) }
  }

  /// How a receiver waits for a message.
  enum Wait: UInt32, Sendable {
    /// In the kernel, so that the other side can have the processor at once.
    case asleep = 0
    /// Up to 50 µs on the processor, then in the kernel.
    case spinning = 1
  }

  enum Side { case host, worker }

  init(_ memory: ChannelMemory, slot: Int, side: Side) {
    precondition(slot >= 0 && slot < memory.shape.slots, "the memory has \(memory.shape.slots) slots")
    self.memory = memory
    end = .allocate(capacity: 1)
    end.initialize(to: troupe_end_make(memory.start, UInt32(slot), memory.shape.capacity, side == .host ? 1 : 0))
    copy = .allocate(byteCount: memory.shape.capacity, alignment: 16)
  }

  deinit {
    copy.deallocate()
    end.deallocate()
  }

  /// The size of the largest content in bytes.
  var capacity: Int { memory.shape.capacity }

  /// Private memory with the content of the last received message, which the other side cannot change. Its size is `capacity`, its alignment
  /// 16, and the user of this side may write to it.
  var buffer: UnsafeMutableRawBufferPointer { UnsafeMutableRawBufferPointer(start: copy, count: capacity) }

  /// Sends a message. Returns whether the receiver was asleep.
  ///
  /// - Parameter wait: How the receiver shall wait for the message after this one.
  /// - Throws: `tooLarge`.
  @discardableResult
  func send(kind: UInt32, _ bytes: RawSpan, wait: Wait) throws(ChannelError) -> Bool {
    guard bytes.byteCount <= capacity else { throw .tooLarge(size: bytes.byteCount, capacity: capacity) }
    return bytes.withUnsafeBytes { troupe_end_send(end, kind, $0.baseAddress, $0.count, wait.rawValue) != 0 }
  }

  /// Calls a function again and again until the next message has arrived, at most for a millisecond.
  func repeatUntilMessage(_ body: () -> Void) {
    let limit = Deadline.after(.milliseconds(1))
    while troupe_end_has_message(end) == 0 {
      body()
      if Deadline.now > limit { return }
    }
  }

  /// Waits for the next message.
  ///
  /// - Throws: `timedOut`, `closed` or `malformed`.
  func receive(_ wait: Wait, until deadline: Deadline) throws(ChannelError) -> Message {
    var message = troupe_message()
    switch troupe_end_receive(end, &message, copy, wait.rawValue, deadline.nanoseconds) {
    case Int32(TROUPE_CHANNEL_RECEIVED):
      return Message(kind: message.kind, wait: Wait(rawValue: message.wait) ?? .asleep, count: message.count)
    case Int32(TROUPE_CHANNEL_TIMED_OUT): throw .timedOut
    case Int32(TROUPE_CHANNEL_CLOSED): throw .closed
    default: throw .malformed
    }
  }

  func content(of message: Message) -> [UInt8] { [UInt8](buffer.prefix(message.count)) }

  /// Ends the present and all later receives of this side. [any thread]
  func close() { troupe_end_close(end) }
}
