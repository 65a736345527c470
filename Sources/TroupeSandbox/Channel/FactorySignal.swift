internal import CSandbox

/// Cancels a factory that a worker awaits, by a futex word in shared memory.
///
///     host      the caller's task is cancelled ──► cancel ───┐
///     worker    the thread of the slot sleeps in wait ◄──────┴────── finish ◄── the task of the factory ends
///
/// A slot of the channel carries one call at a time, as messages back and forth. Its messages cannot cancel the call, because a side sends
/// only after it has received. The host never waits for the word: a worker that writes anything to it harms only its own factory.
///
/// Ownership: the host's value keeps the word allocated, so the host retains it until the worker has answered. The worker's value must not
/// be used after the answer.
package struct FactorySignal: Sendable {
  private let memory: ChannelMemory
  /// The offset of the word in the shared heap, which the host sends to the worker.
  package let offset: Int
  /// The allocation of the word in the host; nil in the worker.
  private let region: SharedRegion?

  package static let size = MemoryLayout<UInt32>.size
  // The bits of the word. Each is set at most once and never removed.
  private static let cancelled: UInt32 = 1
  private static let finished: UInt32 = 2

  /// Allocates the word, for the host. Returns nil if the heap has no room.
  package init?(in heap: SharedHeap) {
    guard let region = heap.allocate(Self.size) else { return nil }
    region.bytes.storeBytes(of: 0, as: UInt32.self)
    (memory, offset, self.region) = (heap.memory, region.offset, region)
  }

  /// Refers to the host's word, for the worker. Returns nil if the offset is outside the heap or not aligned.
  package init?(_ memory: ChannelMemory, at offset: UInt64) {
    guard let offset = Int(exactly: offset), offset % MemoryLayout<UInt32>.alignment == 0,
      offset <= memory.shape.heap - Self.size
    else { return nil }
    (self.memory, self.offset, region) = (memory, offset, nil)
  }

  /// The result is never nil, since the memory of a channel has an address.
  private func withWord<Result>(_ body: (UnsafeMutableRawPointer) -> Result) -> Result? {
    memory.heapBytes(offset..<offset + Self.size).baseAddress.map(body)
  }

  /// Tells the worker that the caller no longer wants the instance. [host]
  func cancel() { withWord { troupe_bits_set($0, Self.cancelled) } }

  /// Ends `wait`, and makes what this thread has written visible to it. [worker]
  package func finish() { withWord { troupe_bits_set($0, Self.finished) } }

  /// Blocks the thread until `finish` is called. [worker]
  ///
  /// - Parameter onCancel: Called at most once, when the host cancels.
  package func wait(onCancel: () -> Void) {
    _ = withWord { word in
      var known: UInt32 = 0
      while known & Self.finished == 0 {
        let bits = troupe_bits_wait(word, known)
        if bits & ~known & Self.cancelled != 0 { onCancel() }
        known |= bits
      }
    }
  }
}
