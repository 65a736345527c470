internal import CLinux

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
