internal import CSandbox
internal import Synchronization
package import TroupeFiles

/// The host's side of the memory that it shares with one worker: mailboxes for messages, and a heap for contents that are larger.
///
///     ┌────────┬──────────────────┬──────────────────┬───┬─────────────────────────────┐
///     │ report │ mailbox 0        │ mailbox 1        │ … │ heap                        │
///     │        │ host's │worker's │ host's │worker's │   │ regions that the host makes │
///     └────────┴──────────────────┴──────────────────┴───┴─────────────────────────────┘
///
/// A mailbox has room for one message of each side, and carries one call at a time. A thread of the worker serves it, so as many calls are in
/// flight as there are mailboxes. `Worker` decides which call gets which.
///
/// An exchange that fails leaves its mailbox out of step, and closes the channel: all exchanges in flight and all later ones throw `closed`,
/// and the owner ends the worker.
///
/// All functions may be called on any thread.
package final class Channel: Sendable {
  package let memory: ChannelMemory
  package let heap: SharedHeap
  let mailboxes: [Mailbox]
  fileprivate let readOutput: @Sendable (_ toEnd: Bool) -> Void
  let isInterrupted: (@Sendable () -> Bool)?
  private let closed = Atomic(false)

  /// Creates the memory. Throws `unavailable`.
  ///
  /// - Parameters:
  ///   - readOutput: Called for a marked message, see `PendingLogFlag`; with true if it is the error that ends a call.
  ///   - isInterrupted: Called now and then on a thread that waits for the worker. It waits no longer if the result is true.
  package init(
    _ shape: ChannelMemory.Shape, readOutput: @escaping @Sendable (_ toEnd: Bool) -> Void = { _ in },
    isInterrupted: (@Sendable () -> Bool)? = nil
  ) throws(ChannelError) {
    let memory = try ChannelMemory(shape)
    self.memory = memory
    heap = SharedHeap(memory)
    mailboxes = (0..<shape.slots).map { Mailbox(memory, slot: $0, side: .host) }
    (self.readOutput, self.isInterrupted) = (readOutput, isInterrupted)
  }

  /// Closes the channel. Ends all waits.
  package func close() {
    closed.store(true, ordering: .sequentiallyConsistent)
    for mailbox in mailboxes { mailbox.close() }
  }

  private let firstFailure = Mutex<ChannelError?>(nil)
  /// The error of the exchange that closed the channel, for the other calls, which only see that it is closed.
  var failure: ChannelError? { firstFailure.withLock(\.self) }

  fileprivate func close(after error: ChannelError) {
    firstFailure.withLock { $0 = $0 ?? error }
    close()
  }

  var isClosed: Bool { closed.load(ordering: .acquiring) }

  /// Returns the host's end of a mailbox that nobody else uses. The program cannot interrupt its waits.
  package func endpoint(_ index: Int = 0, until deadline: Deadline) -> HostEndpoint {
    HostEndpoint(self, Slot(mailboxes[index]), at: .now, until: deadline, isInterruptible: false)
  }

  /// A mailbox between two calls.
  struct Slot {
    let mailbox: Mailbox
    var spinPolicy = SpinPolicy()

    init(_ mailbox: Mailbox) { self.mailbox = mailbox }
  }
}

/// The host's end of a mailbox, which a call has to itself. Messages go back and forth until the worker sends its answer:
///
///     host    call ──┐         ┌── result of the callback ──┐        ┌── next call
///     worker         └─ callback                            └─ done ─┘
///
/// When the call ends, also with an error, the worker's thread must be waiting for the next call.
package struct HostEndpoint: ~Copyable {
  private let channel: Channel
  private(set) var slot: Channel.Slot
  package let deadline: Deadline
  private let isInterrupted: (@Sendable () -> Bool)?
  /// The time of the next exchange, if it is known.
  private var start: Deadline?
  /// The time at which the last exchange ended.
  private(set) var lastEnd: Deadline?
  /// The error that left the mailbox out of step.
  private var failure: ChannelError?
  /// Whether a message of the call was marked, see `PendingLogFlag`, and the output has not been read since.
  private var hasUnreadOutput = false

  /// The time between two questions whether the program wants to wait on.
  private static let patience = Duration.milliseconds(50)

  init(_ channel: Channel, _ slot: Channel.Slot, at start: Deadline, until deadline: Deadline, isInterruptible: Bool) {
    (self.channel, self.slot, self.start, self.deadline) = (channel, slot, start, deadline)
    isInterrupted = isInterruptible ? channel.isInterrupted : nil
  }

  package var heap: SharedHeap { channel.heap }

  /// Private memory with the content of the worker's last message, in which `exchangeBuffer` takes the next one. Its size is the capacity of
  /// a mailbox, its alignment 16. Valid until the call ends.
  package var buffer: UnsafeMutableRawBufferPointer { slot.mailbox.buffer }

  /// Sends the first bytes of `buffer`, and waits for the worker's message. Its content is then the first bytes of `buffer`.
  ///
  /// - Returns: The kind and the number of bytes of the worker's message, which are not validated.
  /// - Throws: `timedOut`, `interrupted`, `closed` or `malformed`; then the channel closes.
  package mutating func exchangeBuffer(kind: MessageKind, count: Int) throws(ChannelError) -> (kind: MessageKind?, count: Int) {
    let message = try exchangeMessage(kind: kind.rawValue, UnsafeRawBufferPointer(rebasing: buffer[..<count]).bytes)
    return (MessageKind(rawValue: message.kind), message.count)
  }

  /// Sends a message, and waits for that of the worker. A content that is larger than a mailbox goes through the heap, and is copied once.
  ///
  /// - Parameters:
  ///   - kind: The kind of the message.
  ///   - meanwhile: Work for the worker, called until it returns false, and then further until the message arrives if that takes little time.
  /// - Returns: The kind and a copy of the content of the worker's message, which are not validated.
  /// - Throws: `tooLarge`; then the mailbox stays in step if this was the first message of the call or the answer. `timedOut`,
  ///   `interrupted`, `closed` or `malformed`; then the channel closes.
  package mutating func exchange(
    kind: UInt32, _ bytes: RawSpan, meanwhile: (() -> Bool)? = nil
  ) throws(ChannelError) -> (kind: UInt32, content: [UInt8]) {
    let message = try send(kind: kind, bytes, meanwhile)
    guard message.kind == LargeMessage.wantsRoom else { return (message.kind, [UInt8](buffer.prefix(message.count))) }
    return try receiveLarge(message)
  }

  private mutating func send(
    kind: UInt32, _ bytes: RawSpan, _ meanwhile: (() -> Bool)?
  ) throws(ChannelError) -> Mailbox.Message {
    guard bytes.byteCount > slot.mailbox.capacity else { return try exchangeMessage(kind: kind, bytes, meanwhile: meanwhile) }
    guard let region = heap.allocate(bytes.byteCount) else {
      let error = ChannelError.tooLarge(size: bytes.byteCount, capacity: heap.size)
      // Within a call the worker waits for this message.
      throw lastEnd == nil ? error : fail(error)
    }
    bytes.withUnsafeBytes { region.bytes.copyMemory(from: $0) }
    let large = LargeMessage(kind: kind, offset: region.offset, count: region.count)
    let message = try exchangeMessage(kind: LargeMessage.isInHeap, large.bytes.span.bytes)
    // The worker has read the region before it answered.
    withExtendedLifetime(region) {}
    return message
  }

  /// Gives the worker a region for a large message, and receives it.
  private mutating func receiveLarge(_ message: Mailbox.Message) throws(ChannelError) -> (kind: UInt32, content: [UInt8]) {
    guard let wanted = LargeMessage(slot.mailbox.content(of: message)) else { throw fail(.malformed) }
    let region = wanted.count <= heap.size ? heap.allocate(wanted.count) : nil
    // Only an answer can be left out: the worker then waits for the next call.
    if region == nil, wanted.kind != MessageKind.done.rawValue {
      throw fail(.tooLarge(size: wanted.count, capacity: heap.size))
    }
    let place = LargeMessage(kind: wanted.kind, offset: region?.offset ?? 0, count: region?.count ?? 0)
    let reply = try exchangeMessage(
      kind: region == nil ? LargeMessage.isRefused : LargeMessage.isInHeap, place.bytes.span.bytes)
    guard let region else { throw ChannelError.tooLarge(size: wanted.count, capacity: heap.size) }
    guard reply.kind == LargeMessage.isInHeap else { throw fail(.malformed) }
    return (wanted.kind, region.copy(region.count))
  }

  /// Sends a message that fits in the mailbox, and waits for that of the worker.
  private mutating func exchangeMessage(
    kind: UInt32, _ bytes: RawSpan, meanwhile: (() -> Bool)? = nil
  ) throws(ChannelError) -> Mailbox.Message {
    if let failure { throw failure }
    let start = self.start ?? .now
    self.start = nil
    // A callback may have taken all of the time.
    guard start < deadline else { throw fail(.timedOut) }
    let wait = slot.spinPolicy.wait(at: start.nanoseconds)
    let wasAsleep = try slot.mailbox.send(kind: kind, bytes, wait: wait)
    if let meanwhile {
      while meanwhile() {}
      if wait == .spinning { slot.mailbox.repeatUntilMessage { _ = meanwhile() } }
    }
    let message: Mailbox.Message
    do throws(ChannelError) {
      message = try receive(wasAsleep ? .asleep : wait)
    } catch {
      throw fail(error)
    }
    let end = Deadline.now
    slot.spinPolicy.recordExchange(
      from: start.nanoseconds, to: end.nanoseconds, hasSlept: wasAsleep || wait == .asleep)
    lastEnd = end
    hasUnreadOutput = hasUnreadOutput || message.kind & PendingLogFlag.bit != 0
    // Within a call a slow log would take the time of the call.
    let kind = message.unmarked.kind
    if hasUnreadOutput, kind != MessageKind.callback.rawValue, kind != LargeMessage.wantsRoom {
      hasUnreadOutput = false
      channel.readOutput(kind == MessageKind.failed.rawValue)
    }
    return message.unmarked
  }

  /// Waits for the worker's message, for as long as the program wants to.
  private func receive(_ wait: Mailbox.Wait) throws(ChannelError) -> Mailbox.Message {
    guard let isInterrupted else { return try slot.mailbox.receive(wait, until: deadline) }
    var wait = wait
    while true {
      let next = Deadline.after(Self.patience)
      do throws(ChannelError) {
        return try slot.mailbox.receive(wait, until: min(next, deadline))
      } catch {
        guard error == .timedOut, next < deadline else { throw error }
        if isInterrupted() { throw .interrupted }
        wait = .asleep
      }
    }
  }

  /// Closes the channel for an error that leaves the mailbox out of step, and returns the error.
  private mutating func fail(_ error: ChannelError) -> ChannelError {
    failure = error
    channel.close(after: error)
    return error
  }
}

/// Decides how both sides of a mailbox wait: on the processor while calls follow each other closely and their answers come quickly, else in
/// the kernel, where waiting costs nothing. All times are those of `Deadline` in nanoseconds.
struct SpinPolicy: Sendable {
  private var start: UInt64 = 0
  private var end: UInt64 = 0
  /// Whether a side slept in it, which makes it longer by the time that two wake-ups take.
  private var hasSlept = false

  /// The longest gap between two exchanges, and the longest work of the worker, for which a side spins. A side spins no longer.
  private static let limit: UInt64 = 50_000
  private static let wakeUps: UInt64 = 100_000

  /// How to wait in an exchange that begins at a time.
  func wait(at time: UInt64) -> Mailbox.Wait {
    // The caller may have read the clock before the last exchange ended.
    let isClose = time <= end || time - end <= Self.limit
    let isShort = end - start <= (hasSlept ? Self.limit + Self.wakeUps : Self.limit)
    return isClose && isShort ? .spinning : .asleep
  }

  mutating func recordExchange(from start: UInt64, to end: UInt64, hasSlept: Bool) {
    (self.start, self.end, self.hasSlept) = (start, end, hasSlept)
  }
}

/// The reason why a channel carries no message.
package enum ChannelError: Error, Sendable, Equatable {
  case timedOut
  /// The program does not want to wait any longer.
  case interrupted
  /// The channel was closed, as it is when the worker has ended.
  case closed
  /// The other side sent a message with a wrong number or length.
  case malformed
  /// The content of a message is larger than a mailbox, or the heap; the sizes in bytes.
  case tooLarge(size: Int, capacity: Int)
  /// The system does not provide the memory, with the error number.
  case unavailable(Int32)

  /// The error for the content of a message: `tooLarge` if its values need more memory than the reader may use, else `malformed`.
  ///
  /// - Parameter limit: The memory that the reader may use, in bytes.
  package init(_ error: ReadError, limit: Int) {
    self = error.memory.map { .tooLarge(size: $0, capacity: limit) } ?? .malformed
  }
}
