import Glibc
import Synchronization

// A reader that has lost its processor, or a running factory, can delay the release of removed entries. The sweep releases them
// soon afterwards, because a retired plugin's library is closed only then, and the next change may come much later.

extension Container {
  /// Starts a background task that releases the removed entries as soon as possible. A container has at most one such task.
  func sweepLater() {
    Task.detached { [weak self] in
      var delay = Duration.milliseconds(1)
      repeat {
        try? await Task.sleep(for: delay)
        delay = min(delay * 2, .seconds(1))
      } while self?.sweep() ?? false
    }
  }

  /// Releases the entries that no reader or factory keeps. Returns whether others are left.
  private func sweep() -> Bool {
    var (freed, isWaiting) = writer.withLock { $0.sweep(self) }
    Self.release(&freed)
    return isWaiting
  }

  /// Releases removed entries as soon as no reader can reach them, for a caller that unregisters them. A reader takes well under a
  /// microsecond, unless a tag's `==` is slow or the thread has lost its processor. The wait ends after some 150 ms; the sweep
  /// continues.
  func waitForReaders() {
    // A reader whose tag's `==` changes the container cannot wait for itself.
    if EpochDomain.shared.pointee.record.pointee.isReading { return }
    for attempt in 0..<1000 {
      usleep(attempt < 100 ? 0 : 100)
      var outcome = writer.withLock { $0.reclaim(self) }
      Self.release(&outcome.freed)
      if outcome.beginsSweep { sweepLater() }
      if !outcome.waitsForReaders { return }
    }
  }
}
