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
  /// Counts the free slots.
  private let available: DispatchSemaphore
  private let slots: [ChannelEnd]
  private let state: Mutex<State>

  private struct State {
    /// The indices of the slots that no call uses, with their pacing. The last one comes next, since its worker thread may still spin.
    var free: [(index: Int, pacing: Pacing)]
    /// Why the channel is closed; nil while it is open.
    var reason: ChannelError?
  }

  /// Creates the memory. Throws `unavailable`.
  package init(_ shape: ChannelMemory.Shape) throws(ChannelError) {
    let memory = try ChannelMemory(shape)
    self.memory = memory
    available = DispatchSemaphore(value: shape.slots)
    slots = (0..<shape.slots).map { memory.end(slot: $0, side: .host) }
    state = Mutex(State(free: (0..<shape.slots).reversed().map { ($0, Pacing()) }))
  }

  /// Makes a call: waits for a free slot, and runs a function that exchanges messages with the worker's thread of the slot.
  ///
  /// When the function ends, also with an error, the worker's thread must be waiting for the next call, and not for the result of a callback.
  ///
  /// - Parameter deadline: The end of all waits of the call.
  /// - Throws: `timedOut` if no slot becomes free in time, the reason why the channel is closed, or the error of the function.
  package func call<Result>(until deadline: Deadline, _ body: (inout ChannelCall) throws -> Result) throws -> Result {
    guard available.wait(timeout: deadline.dispatchTime) == .success else { throw ChannelError.timedOut }
    defer { available.signal() }
    let (slot, reason) = state.withLock { ($0.free.removeLast(), $0.reason) }
    var call = ChannelCall(end: slots[slot.index], pacing: slot.pacing, deadline: deadline)
    defer { state.withLock { $0.free.append((slot.index, call.pacing)) } }
    if let reason { throw reason }
    defer { if let failure = call.failure { close(failure) } }
    return try body(&call)
  }

  /// Closes the channel with a reason, the first of which counts. Ends all waits.
  package func close(_ reason: ChannelError) {
    state.withLock { $0.reason = $0.reason ?? reason }
    for slot in slots { slot.close() }
  }

  /// Why the channel is closed; nil while it is open.
  package var reason: ChannelError? { state.withLock(\.reason) }
}

/// A call in flight, which has a slot of a channel.
package struct ChannelCall {
  private let end: ChannelEnd
  fileprivate var pacing: Pacing
  private let deadline: Deadline
  /// The error that left the slot out of step.
  fileprivate var failure: ChannelError?

  fileprivate init(end: ChannelEnd, pacing: Pacing, deadline: Deadline) {
    (self.end, self.pacing, self.deadline) = (end, pacing, deadline)
  }

  /// Sends a message, and waits for that of the worker.
  ///
  /// - Parameters:
  ///   - kind: The kind of the message.
  ///   - body: Receives the kind and the content of the worker's message, which are not validated.
  /// - Throws: `tooLarge`; then the slot stays in step. `timedOut`, `closed` or `malformed`; then the channel closes.
  package mutating func exchange<Result>(
    kind: UInt32, _ bytes: RawSpan, _ body: (UInt32, RawSpan) throws -> Result
  ) throws -> Result {
    if let failure { throw failure }
    let start = troupe_channel_time()
    let wait = pacing.wait(at: start)
    let wasAsleep = try end.send(kind: kind, bytes, wait: wait)
    let message: ChannelEnd.Message
    do throws(ChannelError) {
      message = try end.receive(wasAsleep ? .asleep : wait, until: deadline)
    } catch {
      failure = error
      throw error
    }
    pacing.recordExchange(from: start, to: troupe_channel_time())
    return try end.withContent(of: message) { try body(message.kind, $0) }
  }
}
