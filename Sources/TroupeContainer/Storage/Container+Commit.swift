import Glibc
import Synchronization

/// Changes of a container: every registration, replacement and removal is a `commit`, which `Writer` makes under the container's lock.
/// What must happen outside the lock happens here: instances are released, and what readers still use is freed in the background.
extension Container {
  /// Commits changes and returns the number of removed entries. Ends the program on a collision that the policy forbids.
  ///
  /// - Parameter isRejected: Called under the lock of the writers; nothing is changed if it returns true.
  @discardableResult
  func commit(_ changes: [RegistrationChange], unless isRejected: () -> Bool = { false }) -> Int {
    do { return try commitUnlessColliding(changes, unless: isRejected) } catch { fatalError("\(error)") }
  }

  /// Commits changes and returns the number of removed entries. Commits none of them if it throws.
  @discardableResult
  func commitUnlessColliding(
    _ changes: [RegistrationChange], unless isRejected: () -> Bool = { false }
  ) throws(CollisionError) -> Int {
    if ignoresRegistrations { return 0 }
    var outcome = writer.withLock { isRejected() ? Writer.Outcome() : $0.commit(changes, to: self) }
    if outcome.changedInjections { clearInjectionCache() }
    finish(&outcome)
    if outcome.waitsForReaders, changes.contains(where: \.isRemoval) { waitForReaders() }
    if let collision = outcome.collision { throw collision }
    return outcome.removedCount
  }

  /// Releases entries in the reverse order in which their instances were made, because a later instance may use an earlier one.
  ///
  /// - Parameter entries: The only references to them. Empty afterwards.
  static func release(_ entries: inout [Entry]) {
    if entries.count < 2 { return entries = [] }
    var ordered = entries.map { (order: $0.lastCreation, entry: $0) }
    entries = []
    ordered.sort { $0.order < $1.order }
    while ordered.popLast() != nil {}
  }

  // MARK: Garbage

  /// Releases what the writer has freed, and begins a sweep if necessary.
  func finish(_ outcome: inout Writer.Outcome) {
    Self.release(&outcome.freed)
    if outcome.beginsSweep { sweepLater() }
  }

  /// Starts a background task that frees removed entries as soon as no reader or factory uses them. A container has at most one.
  ///
  /// Without it they would wait for the next commit, which may come much later, and a retired plugin's image is closed only with them.
  private func sweepLater() {
    Task.detached { [weak self] in
      var delay = Duration.milliseconds(1)
      repeat {
        try? await Task.sleep(for: delay)
        delay = min(delay * 2, .seconds(1))
      } while self?.sweep() ?? false
    }
  }

  /// Returns true if entries are left.
  private func sweep() -> Bool {
    var outcome = writer.withLock { $0.reclaim(self, endsSweep: true) }
    Self.release(&outcome.freed)
    return outcome.beginsSweep
  }

  /// Waits until removed entries are freed, for a caller that unregisters them, at most some 150 ms; then the sweep continues.
  ///
  /// A reader takes well under a microsecond, unless a tag's `==` is slow or the thread has lost its processor.
  func waitForReaders() {
    // A reader whose tag's `==` changes the container cannot wait for itself.
    if EpochDomain.shared.pointee.record.pointee.isReading { return }
    for attempt in 0..<1000 {
      usleep(attempt < 100 ? 0 : 100)
      var outcome = writer.withLock { $0.reclaim(self) }
      finish(&outcome)
      if !outcome.waitsForReaders { return }
    }
  }
}
