internal import CIsolation

/// Cancels a factory that a worker awaits, by a word in shared memory.
///
///     host      the caller's task is cancelled ──► cancel ───┐
///     worker    the thread of the slot sleeps in wait ◄──────┴────── finish ◄── the task of the factory ends
///
/// The messages of the slot cannot do this, because a side sends only after it has received. The host never waits for the word: a worker that
/// writes anything to it harms only its own factory.
package struct FactorySignal: Sendable {
  private let memory: ChannelMemory
  /// The offset of the word in the area.
  package let offset: Int
  /// Keeps the word allocated, in the host.
  private let region: SharedRegion?

  /// The size of the word in bytes.
  package static let size = MemoryLayout<UInt32>.size
  private static let cancelled: UInt32 = 1
  private static let finished: UInt32 = 2

  /// Allocates the word, for the host. Returns nil if the area has no room.
  package init?(in area: SharedArea) {
    guard let region = area.allocate(Self.size) else { return nil }
    region.bytes.storeBytes(of: 0, as: UInt32.self)
    (memory, offset, self.region) = (area.memory, region.offset, region)
  }

  /// Uses the host's word, for the worker. Returns nil if the area has no word at the offset.
  package init?(_ memory: ChannelMemory, at offset: UInt64) {
    guard let offset = Int(exactly: offset), offset % MemoryLayout<UInt32>.alignment == 0,
      offset <= memory.shape.area - Self.size
    else { return nil }
    (self.memory, self.offset, region) = (memory, offset, nil)
  }

  private func withWord<Result>(_ body: (UnsafeMutableRawPointer) -> Result) -> Result? {
    memory.areaBytes(offset..<offset + Self.size).baseAddress.map(body)
  }

  /// Tells the worker that the caller no longer wants the instance. [host]
  func cancel() { withWord { troupe_bits_set($0, Self.cancelled) } }

  /// Ends `wait`. [worker]
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
