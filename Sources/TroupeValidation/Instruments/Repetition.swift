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
