import Glibc
import Synchronization

// What has gone from a container and is still kept, by a reader who has lost its processor or by a factory that runs, is
// released soon after nobody keeps it any more: whoever retires a plugin waits for its library to be closed, and no change may
// come for a long time.

extension Container {
  /// Releases what is left of earlier changes as soon as that can be, in the background. Only one such task works for a container.
  func sweepLater() {
    Task.detached { [weak self] in
      var delay = Duration.milliseconds(1)
      repeat {
        try? await Task.sleep(for: delay)
        delay = min(delay * 2, .seconds(1))
      } while self?.sweep() ?? false
    }
  }

  /// Releases what nobody keeps. Gives whether something is left.
  private func sweep() -> Bool {
    var (freed, isWaiting) = writer.withLock { $0.sweep(self) }
    Self.release(&freed)
    return isWaiting
  }

  /// Releases removed entries as soon as no reader can reach them, for a caller that unregisters them. Readers take well under a
  /// microsecond, unless a tag's `==` is slow or the thread has lost its processor. Gives up after some 150 ms; the sweep goes on.
  func waitForReaders() {
    // A reader whose tag's `==` changes the container cannot wait for itself.
    if Readers.shared.pointee.record.pointee.announced.load(ordering: .relaxed) != 0 { return }
    for attempt in 0..<1000 {
      usleep(attempt < 100 ? 0 : 100)
      var outcome = writer.withLock { $0.reclaim(self) }
      Self.release(&outcome.freed)
      if outcome.beginsSweep { sweepLater() }
      if !outcome.waitsForReaders { return }
    }
  }
}
