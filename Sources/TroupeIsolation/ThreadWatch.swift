internal import Dispatch
internal import Glibc
internal import Synchronization
internal import TroupeFiles

/// Ends a worker that has too many threads, since the kernel does not limit those of root. Looks only while calls are made, so that an idle
/// worker takes no time.
final class ThreadWatch: Sendable {
  private let limit: Int
  private let process: Int32
  private let isExceeded = Atomic(false)
  /// The calls since the last look, and whether another look is planned.
  private let calls = Atomic(0)
  private let isPlanned = Atomic(false)

  private static let queue = DispatchQueue(label: "troupe.thread-watch", qos: .utility)
  private static let interval = DispatchTimeInterval.milliseconds(100)

  init(_ process: Int32, limit: Int) { (self.process, self.limit) = (process, limit) }

  /// Whether it has ended the worker.
  var hasEndedWorker: Bool { isExceeded.load(ordering: .acquiring) }

  /// Records the begin of a call. Returns whether the caller has to plan a look.
  func recordCall() -> Bool {
    calls.store(1, ordering: .relaxed)
    return !isPlanned.load(ordering: .relaxed) && !isPlanned.exchange(true, ordering: .relaxed)
  }

  /// Plans a look.
  ///
  /// - Parameters:
  ///   - isBusy: Whether calls are in flight. It looks again for as long as they are.
  ///   - terminate: Ends the worker.
  func plan(_ isBusy: @escaping @Sendable () -> Bool, _ terminate: @escaping @Sendable () -> Void) {
    Self.queue.asyncAfter(deadline: .now() + Self.interval) { [weak self] in self?.look(isBusy, terminate) }
  }

  private func look(_ isBusy: @escaping @Sendable () -> Bool, _ terminate: @escaping @Sendable () -> Void) {
    if let count = Self.threads(process), count > limit {
      isExceeded.store(true, ordering: .releasing)
      return terminate()
    }
    guard calls.exchange(0, ordering: .relaxed) > 0 || isBusy() else { return isPlanned.store(false, ordering: .relaxed) }
    plan(isBusy, terminate)
  }

  /// The number of threads of a process; see proc_pid_stat(5).
  private static func threads(_ process: Int32) -> Int? {
    guard let file = try? FileDescriptor(opening: "/proc/\(process)/stat", O_RDONLY), let bytes = try? file.readPiece() else {
      return nil
    }
    // The name of the program, in parentheses, may have spaces.
    let fields = String(decoding: bytes, as: UTF8.self).split(separator: ")").last?.split(separator: " ") ?? []
    return fields.count > 17 ? Int(fields[17]) : nil
  }
}
