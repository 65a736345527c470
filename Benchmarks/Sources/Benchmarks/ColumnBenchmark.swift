import CFunctions
import Foundation
import TroupeHost

/// The cost of a call over ten million rows as a multiple of loops in C, and the speedup by a second thread.
enum ColumnBenchmark {
  private static let plugin = URL(filePath: #filePath).appending(path: "../../../.build/plugins/columns.so").standardized
  private static let count = 10_000_000

  static func run(_ report: inout Report) throws {
    let host = PluginHost(PluginHost.Options(files: [plugin.path]))
    try host.load()
    let (plain, vectorized) = (try function("plain", of: host), try function("vectorized", of: host))
    let address = try plain.typed(as: ((Double, Double) -> Double).self)
    precondition(address(3, 4) == 12)
    let a = (0..<count).map { Double($0) }, b = a.map { $0 / 3 }
    var results = [Double](repeating: 0, count: count)
    try a.withUnsafeBufferPointer { a in
      try b.withUnsafeBufferPointer { b in
        try results.withUnsafeMutableBufferPointer { results in
          try measure(&report, plain, vectorized, a, b, results)
        }
      }
    }
    precondition(results == zip(a, b).map { $0 * $1 })
  }

  private static func function(_ name: String, of host: PluginHost) throws -> ForeignFunction {
    guard let registration = host.functions(name).first else {
      fatalError("\(plugin.path) offers no \(name); build it with make bench")
    }
    return try host.function(registration)
  }

  private static func measure(
    _ report: inout Report, _ plain: ForeignFunction, _ vectorized: ForeignFunction, _ a: UnsafeBufferPointer<Double>,
    _ b: UnsafeBufferPointer<Double>, _ results: UnsafeMutableBufferPointer<Double>
  ) throws {
    let multiply: @convention(c) (Double, Double) -> Double = multiply_numbers
    /// The times of a row in nanoseconds, each the best of several rounds in turns.
    func times(_ works: [() throws -> Void]) throws -> [Double] {
      var best = works.map { _ in Double.infinity }
      for _ in 0..<9 {
        for (index, work) in works.enumerated() {
          best[index] = min(best[index], try Measuring.nanoseconds(1, rounds: 1, work) / Double(count))
        }
      }
      return best
    }
    func map(_ function: ForeignFunction, _ threads: Int) throws {
      try function.map(
        [Column(a), Column(b)], rows: count, into: [OutputColumn(results)], options: MapOptions(threads: threads))
    }
    let calls = try times([
      { call_rows(multiply, a.baseAddress, b.baseAddress, results.baseAddress, count) }, { try map(plain, 1) },
      { try map(plain, 2) },
    ])
    report.add("ten million rows against a loop in C", nanoseconds: calls[1], calls[1] / calls[0])
    report.add("nanoseconds of a row", calls[1])
    report.add("ten million rows on two threads", nanoseconds: calls[2], calls[1] / calls[2])
    let vectors = try times([
      { multiply_rows(a.baseAddress, b.baseAddress, results.baseAddress, count) }, { try map(vectorized, 1) },
    ])
    report.add("with a vectorized body, against C", nanoseconds: vectors[1], vectors[1] / vectors[0])
  }
}
