import Foundation

/// Measures pieces of code within one run.
enum Measuring {
  /// Nanoseconds since some moment.
  static func now() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
  }

  /// The time of one call in nanoseconds: the best of several rounds, since everything else on the machine only adds to it.
  @inline(never)
  static func nanoseconds(_ count: Int = 300_000, rounds: Int = 15, _ body: () throws -> Void) rethrows -> Double {
    var best = Double.infinity
    for _ in 0..<rounds {
      let start = now()
      for _ in 0..<count { try body() }
      best = min(best, (now() - start) / Double(count))
    }
    return best
  }

  /// The time of one call in nanoseconds and its ratio to that of a unit. Both are measured in turns, since other programs and the
  /// clock of the processor slow down the machine for seconds. The time is the best, the ratio the median of all rounds.
  struct Ratio {
    private(set) var time = Double.infinity
    private var ratios: [Double] = []

    var ratio: Double { ratios.sorted()[ratios.count / 2] }

    mutating func add(_ time: Double, unit: Double) {
      self.time = min(self.time, time)
      ratios.append(time / unit)
    }
  }

  /// Measures an asynchronous closure, which calls the code as often as its argument says.
  @inline(never)
  nonisolated(nonsending)
    static func inTurns(
      _ count: Int, rounds: Int = 15, unit: () throws -> Void, _ body: nonisolated(nonsending) (Int) async throws -> Void
    ) async rethrows -> Ratio
  {
    var result = Ratio()
    for _ in 0..<rounds {
      let unit = try nanoseconds(10_000, rounds: 1, unit)
      let start = now()
      try await body(count)
      result.add((now() - start) / Double(count), unit: unit)
    }
    return result
  }

  /// Measures a closure.
  @inline(never)
  static func inTurns(_ count: Int, rounds: Int = 15, unit: () throws -> Void, _ body: () throws -> Void) rethrows -> Ratio {
    var result = Ratio()
    for _ in 0..<rounds {
      let unit = try nanoseconds(10_000, rounds: 1, unit)
      result.add(try nanoseconds(count, rounds: 1, body), unit: unit)
    }
    return result
  }

  /// Takes two measurements, each the nanoseconds of one call.
  static func inTurns(rounds: Int = 5, unit: () -> Double, _ time: () -> Double) -> Ratio {
    var result = Ratio()
    for _ in 0..<rounds { result.add(time(), unit: unit()) }
    return result
  }

  /// Starts this program again with arguments, and returns the number that it prints.
  static func inChild(arguments: [String]) throws -> Double {
    let (child, output) = (Process(), Pipe())
    child.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
    child.arguments = arguments
    child.standardOutput = output
    try child.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    child.waitUntilExit()
    return Double(String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)) ?? .nan
  }

  /// The memory that the process has, in bytes, from `/proc/self/statm`.
  static func residentBytes() -> Int {
    guard let file = fopen("/proc/self/statm", "r") else { return 0 }
    defer { fclose(file) }
    var line: UnsafeMutablePointer<CChar>?
    var capacity = 0
    defer { free(line) }
    guard getline(&line, &capacity, file) > 0, let line else { return 0 }
    return (String(cString: line).split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * Int(getpagesize())
  }
}
