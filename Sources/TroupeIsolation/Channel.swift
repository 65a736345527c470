internal import CIsolation
internal import Dispatch
internal import Synchronization

/// The host's side of the memory that it shares with one worker. Each call has a slot of its own, so that several are in flight.
///
/// An exchange that fails leaves its slot out of step. The channel then stays closed: all calls in flight and all later ones throw, and the
/// owner ends the worker.
///
/// All functions may be called on any thread.
package final class Channel: Sendable {
  package let memory: ChannelMemory
  /// The memory for large contents.
  package let heap: SharedHeap
  private let readOutput: @Sendable (_ toEnd: Bool) -> Void
  private let isInterrupted: (@Sendable () -> Bool)?
  /// Counts the free slots.
  private let available: DispatchSemaphore
  private let slots: [Mailbox]
  private let state: Mutex<State>

  private struct State {
    /// The indices of the slots that no call uses, with their spinPolicy. The last one comes next, since its worker thread may still spin.
    var free: [(index: Int, spinPolicy: SpinPolicy)]
    /// Why the channel is closed; nil while it is open.
    var reason: ChannelError?
  }

  /// Creates the memory. Throws `unavailable`.
  ///
  /// - Parameters:
  ///   - readOutput: Called for a marked message, see `PendingLogFlag`; with true if it is the error that ends a call.
  ///   - isInterrupted: Called now and then on a thread that waits for the worker: whether it shall wait no longer.
  package init(
    _ shape: ChannelMemory.Shape, readOutput: @escaping @Sendable (_ toEnd: Bool) -> Void = { _ in },
    isInterrupted: (@Sendable () -> Bool)? = nil
  ) throws(ChannelError) {
    let memory = try ChannelMemory(shape)
    self.memory = memory
    heap = SharedHeap(memory)
    (self.readOutput, self.isInterrupted) = (readOutput, isInterrupted)
    available = DispatchSemaphore(value: shape.slots)
    slots = (0..<shape.slots).map { memory.end(slot: $0, side: .host) }
    state = Mutex(State(free: (0..<shape.slots).reversed().map { ($0, SpinPolicy()) }))
  }

  /// Makes a call: waits for a free slot, and runs a function that exchanges messages with the worker's thread of the slot.
  ///
  /// When the function ends, also with an error, the worker's thread must be waiting for the next call, and not for the result of a callback.
  ///
  /// - Parameters:
  ///   - start: The present time, if the caller has read the clock.
  ///   - deadline: The end of all waits of the call.
  ///   - isCancelled: Whether to wait no longer for a slot.
  ///   - isInterruptible: Whether the program may end the wait for the worker.
  /// - Throws: `timedOut` if no slot becomes free in time, `interrupted`, the reason why the channel is closed, or the error of the function.
  package func call<Result>(
    at start: Deadline? = nil, until deadline: Deadline, isCancelled: (() -> Bool)? = nil, isInterruptible: Bool = false,
    _ body: (inout HostEndpoint) throws -> Result
  ) throws -> Result {
    let isInterrupted = isInterruptible ? isInterrupted : nil
    try waitForSlot(until: deadline, isCancelled, isInterrupted)
    defer { available.signal() }
    let (slot, reason) = state.withLock { ($0.free.removeLast(), $0.reason) }
    var call = HostEndpoint(
      end: slots[slot.index], heap: heap, spinPolicy: slot.spinPolicy, deadline: deadline, readOutput: readOutput,
      isInterrupted: isInterrupted)
    call.start = start
    defer { state.withLock { $0.free.append((slot.index, call.spinPolicy)) } }
    if let reason { throw reason }
    defer { if let failure = call.failure { close(failure) } }
    return try body(&call)
  }

  /// Waits for a free slot. Looks now and then whether the call is cancelled.
  private func waitForSlot(
    until deadline: Deadline, _ isCancelled: (() -> Bool)?, _ isInterrupted: (() -> Bool)?
  ) throws(ChannelError) {
    guard isCancelled != nil || isInterrupted != nil else {
      guard available.wait(timeout: deadline.dispatchTime) == .success else { throw .timedOut }
      return
    }
    while available.wait(timeout: min(deadline, .after(.milliseconds(20))).dispatchTime) != .success {
      if isInterrupted?() == true { throw .interrupted }
      guard isCancelled?() != true, Deadline.now < deadline else { throw .timedOut }
    }
  }

  /// Closes the channel with a reason, the first of which counts. Ends all waits.
  package func close(_ reason: ChannelError) {
    state.withLock { $0.reason = $0.reason ?? reason }
    for slot in slots { slot.close() }
  }

  /// Whether calls are in flight.
  var isBusy: Bool { state.withLock { $0.free.count < slots.count } }

  /// Why the channel is closed; nil while it is open.
  package var reason: ChannelError? { state.withLock(\.reason) }
}

/// A call in flight, which has a slot of a channel.
package struct HostEndpoint {
  private let end: Mailbox
  package let heap: SharedHeap
  fileprivate var spinPolicy: SpinPolicy
  package let deadline: Deadline
  /// The error that left the slot out of step.
  fileprivate var failure: ChannelError?
  /// The time of the next exchange, if it is known.
  fileprivate var start: Deadline?
  /// The time at which the last exchange ended.
  private(set) var lastEnd: Deadline?
  /// Whether a message of the call was marked, see `PendingLogFlag`, and the output has not been read since.
  private var hasUnreadOutput = false

  private let readOutput: @Sendable (_ toEnd: Bool) -> Void
  private let isInterrupted: (@Sendable () -> Bool)?

  /// The time between two questions whether the program wants to wait on.
  private static let patience = Duration.milliseconds(50)

  fileprivate init(
    end: Mailbox, heap: SharedHeap, spinPolicy: SpinPolicy, deadline: Deadline, readOutput: @escaping @Sendable (Bool) -> Void,
    isInterrupted: (@Sendable () -> Bool)?
  ) {
    (self.end, self.heap, self.spinPolicy, self.deadline) = (end, heap, spinPolicy, deadline)
    (self.readOutput, self.isInterrupted) = (readOutput, isInterrupted)
  }

  /// Sends a message, and waits for that of the worker. A content that is larger than a line goes through the heap.
  ///
  /// - Parameters:
  ///   - kind: The kind of the message.
  ///   - meanwhile: Work for the worker, called until it returns false, and then further until the message arrives if that takes little time.
  ///   - body: Receives the kind and the content of the worker's message, which are not validated.
  /// - Throws: `tooLarge`; then the slot stays in step if this was the first message of the call or the answer. `timedOut`, `closed` or `malformed`; then the channel closes.
  package mutating func exchange<Result>(
    kind: UInt32, _ bytes: RawSpan, meanwhile: (() -> Bool)? = nil, _ body: (UInt32, RawSpan) throws -> Result
  ) throws -> Result {
    let message = try send(kind: kind, bytes, meanwhile)
    guard message.kind == LargeMessage.wantsRoom else { return try end.withContent(of: message) { try body(message.kind, $0) } }
    let (wanted, content) = try receiveLarge(message)
    return try body(wanted, content.span.bytes)
  }

  /// Sends a message, and returns the kind and a copy of the content of that of the worker. A large content is copied once.
  package mutating func exchange(
    kind: UInt32, _ bytes: RawSpan, meanwhile: (() -> Bool)? = nil
  ) throws -> (kind: UInt32, content: [UInt8]) {
    let message = try send(kind: kind, bytes, meanwhile)
    guard message.kind == LargeMessage.wantsRoom else {
      return (message.kind, end.withContent(of: message) { $0.withUnsafeBytes { [UInt8]($0) } })
    }
    return try receiveLarge(message)
  }

  private mutating func send(
    kind: UInt32, _ bytes: RawSpan, _ meanwhile: (() -> Bool)?
  ) throws(ChannelError) -> Mailbox.Message {
    guard bytes.byteCount > end.capacity else { return try exchangeLine(kind: kind, bytes, meanwhile: meanwhile) }
    guard let region = heap.allocate(bytes.byteCount) else {
      let error = ChannelError.tooLarge(size: bytes.byteCount, capacity: heap.size)
      // Within a call the worker waits for this message.
      throw lastEnd == nil ? error : fail(error)
    }
    bytes.withUnsafeBytes { region.bytes.copyMemory(from: $0) }
    let large = LargeMessage(kind: kind, offset: region.offset, count: region.count)
    // The worker reads the region before it answers.
    return try withExtendedLifetime(region) { () throws(ChannelError) in
      try exchangeLine(kind: LargeMessage.isInHeap, large.bytes.span.bytes)
    }
  }

  /// Gives the worker a region for a large message, and receives it.
  private mutating func receiveLarge(_ message: Mailbox.Message) throws -> (kind: UInt32, content: [UInt8]) {
    guard let wanted = end.withContent(of: message, { LargeMessage($0) }) else { throw fail(.malformed) }
    let region = wanted.count <= heap.size ? heap.allocate(wanted.count) : nil
    // Only an answer can be left out: the worker then waits for the next call.
    if region == nil, wanted.kind != MessageKind.done.rawValue {
      throw fail(.tooLarge(size: wanted.count, capacity: heap.size))
    }
    let place = LargeMessage(kind: wanted.kind, offset: region?.offset ?? 0, count: region?.count ?? 0)
    let reply = try exchangeLine(kind: region == nil ? LargeMessage.isRefused : LargeMessage.isInHeap, place.bytes.span.bytes)
    guard let region else { throw ChannelError.tooLarge(size: wanted.count, capacity: heap.size) }
    guard reply.kind == LargeMessage.isInHeap else { throw fail(.malformed) }
    return (wanted.kind, region.copy(region.count))
  }

  /// Records an error that leaves the slot out of step.
  private mutating func fail(_ error: ChannelError) -> ChannelError {
    failure = error
    return error
  }

  /// Waits for the worker's message, for as long as the program wants to.
  private func receive(_ wait: Mailbox.Wait) throws(ChannelError) -> Mailbox.Message {
    guard let isInterrupted else { return try end.receive(wait, until: deadline) }
    var wait = wait
    while true {
      let next = Deadline.after(Self.patience)
      do throws(ChannelError) {
        return try end.receive(wait, until: min(next, deadline))
      } catch {
        guard error == .timedOut, next < deadline else { throw error }
        if isInterrupted() { throw .interrupted }
        wait = .asleep
      }
    }
  }

  private mutating func exchangeLine(
    kind: UInt32, _ bytes: RawSpan, meanwhile: (() -> Bool)? = nil
  ) throws(ChannelError) -> Mailbox.Message {
    if let failure { throw failure }
    let start = self.start?.nanoseconds ?? troupe_channel_time()
    self.start = nil
    // A callback may have taken all of the time.
    guard start < deadline.nanoseconds else { throw fail(.timedOut) }
    let wait = spinPolicy.wait(at: start)
    let wasAsleep = try end.send(kind: kind, bytes, wait: wait)
    if let meanwhile {
      while meanwhile() {}
      if wait == .spinning { end.repeatUntilMessage { _ = meanwhile() } }
    }
    let message: Mailbox.Message
    do throws(ChannelError) {
      message = try receive(wasAsleep ? .asleep : wait)
    } catch {
      throw fail(error)
    }
    let finish = troupe_channel_time()
    spinPolicy.recordExchange(from: start, to: finish, hasSlept: wasAsleep || wait == .asleep)
    lastEnd = Deadline(nanoseconds: finish)
    hasUnreadOutput = hasUnreadOutput || message.kind & PendingLogFlag.bit != 0
    // Within a call a slow log would take the time of the call.
    let kind = message.unmarked.kind
    if hasUnreadOutput, kind != MessageKind.callback.rawValue, kind != LargeMessage.wantsRoom {
      hasUnreadOutput = false
      readOutput(kind == MessageKind.failed.rawValue)
    }
    return message.unmarked
  }
}
