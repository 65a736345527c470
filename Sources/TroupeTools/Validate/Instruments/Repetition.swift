internal import CLinux

/// Repeated work of a check.
enum Repetition {
  /// Runs a closure a number of times, but not again after a time has passed. Returns the number of runs, at least 1.
  @discardableResult
  static func run(_ count: Int, within time: Duration, _ body: () throws -> Void) rethrows -> Int {
    let start = ContinuousClock.now
    var done = 0
    repeat {
      try body()
      done += 1
    } while done < count && ContinuousClock.now - start < time
    return done
  }
}

/// The memory that repeated work keeps.
enum HeapGrowth {
  /// Returns the number of bytes for each repetition by which the heap grows, after a first round of work that fills caches.
  ///
  /// - Parameters:
  ///   - rounds: The number of repetitions, if there is time for as many.
  ///   - time: The time for all of the work.
  static func perRound(_ rounds: Int, within time: Duration, _ body: () throws -> Void) rethrows -> Int {
    let rounds = try Repetition.run(rounds, within: time / 3, body)
    func repeated() throws -> Int {
      let before = linux_heap_in_use()
      for _ in 0..<rounds { try body() }
      return linux_heap_in_use() - before
    }
    // The smaller of two measurements, since a cache may grow once more.
    return max(min(try repeated(), try repeated()), 0) / rounds
  }
}
