internal import Dispatch

/// The mailboxes of a process that no call uses, and the line of threads that wait for one.
///
/// A thread that waits is promised the next mailbox that a call gives back, so that threads that call again and again do not keep it waiting:
///
///     take ──► mailbox                          while there are more free mailboxes than promises
///       └────► joinLine ──promise──► takePromised
///                  └──no time left──► leaveLine
///
/// A callback that calls the worker again holds the mailbox of its own call. If such threads hold all mailboxes and wait for a further one,
/// none of them ever gets it. The one that would wait last gets an error instead, and the others go on. A cycle through several workers is
/// not seen, and ends with a deadline.
///
/// The worker's lock protects the value; a thread waits for a promise without it.
struct FreeMailboxes {
  /// The last one comes next, since its worker thread may still spin.
  private var free: [Channel.Slot] = []
  /// The number of mailboxes, free or not.
  private var total = 0
  /// The free mailboxes, without those that are promised to threads in line; less than zero for threads that wait without a promise.
  private var balance = 0
  /// The number of mailboxes that threads in line hold.
  private var heldInLine = 0
  /// Signaled for each promise.
  private let promises = DispatchSemaphore(value: 0)

  init() {}

  init(_ channel: Channel) {
    free = channel.mailboxes.reversed().map { Channel.Slot($0) }
    (total, balance) = (free.count, free.count)
  }

  var count: Int { free.count }

  /// Takes a mailbox. Returns nil if none is free for the caller.
  mutating func take() -> Channel.Slot? {
    guard balance > 0 else { return nil }
    balance -= 1
    return free.removeLast()
  }

  /// Puts the caller, for whom no mailbox is free, into the line. Returns the semaphore for which it then waits.
  ///
  /// - Parameter held: The number of mailboxes that the caller's thread holds.
  /// - Throws: If all mailboxes are held by threads in line, the caller's included.
  mutating func joinLine(holding held: Int) throws(IsolatedPluginError) -> DispatchSemaphore {
    guard heldInLine + held < total else {
      throw IsolatedPluginError(
        "all \(total) calls of the worker are in callbacks that call it again, and would wait for each other; raise concurrentCalls, "
          + "or call from fewer threads")
    }
    balance -= 1
    heldInLine += held
    return promises
  }

  mutating func takePromised(holding held: Int) -> Channel.Slot {
    heldInLine -= held
    return free.removeLast()
  }

  mutating func giveBack(_ slot: Channel.Slot) {
    free.append(slot)
    addOne()
  }

  /// Takes the caller out of the line, although it may have got a promise meanwhile.
  mutating func leaveLine(holding held: Int) {
    heldInLine -= held
    if promises.wait(timeout: .now()) == .success { addOne() } else { balance += 1 }
  }

  private mutating func addOne() {
    balance += 1
    if balance <= 0 { promises.signal() }
  }

  /// Wakes the threads in line, since the process has ended. They take nothing.
  func end() {
    for _ in 0..<max(0, -balance) { promises.signal() }
  }
}
