import Foundation
import TroupeHost

/// The cost of plugins in workers, beside the same in this process. Values at p50 and p99 are those that half and 99 of 100 calls do not
/// exceed.
enum IsolationBenchmark {
  private static let tree = URL(filePath: #filePath).appending(path: "../../../..").standardized

  private static func host(_ directory: String, isolation: Isolation) async -> PluginHost {
    var options = PluginHost.Options(directories: [directory], log: Log(from: .error) { _ in })
    (options.loading, options.probing) = (.eager, .never)
    options.isolation = isolation
    let host = PluginHost(options)
    await host.start()
    return host
  }

  private static func function(_ name: String, _ host: PluginHost) throws -> ForeignFunction {
    guard let registration = host.functions(name).first else { throw Missing(description: "no function \(name)") }
    return try host.function(registration)
  }

  private struct Missing: Error, CustomStringConvertible { let description: String }

  /// The times of calls in nanoseconds, sorted.
  private static func times(_ count: Int, gap: UInt32 = 0, _ body: () throws -> Void) rethrows -> [Double] {
    var times: [Double] = []
    times.reserveCapacity(count)
    for _ in 0..<count {
      if gap > 0 { usleep(gap) }
      let start = Measuring.now()
      try body()
      times.append(Measuring.now() - start)
    }
    return times.sorted()
  }

  /// The rows in their order.
  struct Rows {
    private(set) var all: [(name: String, time: Double?, value: Double)] = []

    mutating func add(_ name: String, nanoseconds: Double? = nil, _ value: Double) { all.append((name, nanoseconds, value)) }
  }

  static func rows() async throws -> [(name: String, time: Double?, value: Double)] {
    var report = Rows()
    let directory = tree.appending(path: "Benchmarks/.build/isolation").path
    let isolated = await host(directory, isolation: .worker(WorkerPolicy()))
    let local = await host(directory, isolation: .inProcess)
    try calls(&report, isolated, local)
    try batches(&report, isolated, local)
    try await transforms(&report)
    try idle(&report, isolated)
    isolated.shutdown()
    try await ends(&report, directory)
    return report.all
  }

  private static func calls(_ report: inout Rows, _ isolated: PluginHost, _ local: PluginHost) throws {
    let (there, here) = (try function("sum", isolated), try function("sum", local))
    let arguments = [Value.packedArray(Value.PackedArray([Double](repeating: 1, count: 8)))]
    let inProcess = try Measuring.nanoseconds { _ = try here.call(arguments) }
    report.add("in process: call with 64 bytes", nanoseconds: inProcess, 1)
    // The quietest of some rounds, since other programs take the second processor now and then.
    let rounds = try (0..<10).map { _ in try times(20_000) { _ = try there.call(arguments) } }
    let hot = rounds.min { $0[$0.count / 2] < $1[$1.count / 2] } ?? []
    report.add("worker: call with 64 bytes, µs at p50", nanoseconds: hot[hot.count / 2], hot[hot.count / 2] / 1000)
    report.add("worker: call with 64 bytes, µs at p99", hot[hot.count * 99 / 100] / 1000)
    let gaps = try (0..<5).map { _ in try times(1_000, gap: 500) { _ = try there.call(arguments) } }
    let quiet = gaps.min { $0[$0.count / 2] < $1[$1.count / 2] } ?? []
    report.add("worker: call after 500 µs, µs at p50", nanoseconds: quiet[quiet.count / 2], quiet[quiet.count / 2] / 1000)
    report.add("worker: call after 500 µs, µs at p99", quiet[quiet.count * 99 / 100] / 1000)
  }

  private static func batches(_ report: inout Rows, _ isolated: PluginHost, _ local: PluginHost) throws {
    let sides = (0..<64).map { Double($0) }
    func time(_ host: PluginHost) throws -> Double {
      let area = try function("area", host)
      var areas = [Double](repeating: 0, count: 64)
      return try sides.withUnsafeBufferPointer { sides in
        try areas.withUnsafeMutableBufferPointer { areas in
          try Measuring.nanoseconds(20_000) {
            try area.map([Column(sides), Column(sides)], rows: 64, into: [OutputColumn(areas)])
          } / 64
        }
      }
    }
    report.add("in process: row of a batch of 64", nanoseconds: try time(local), 1)
    let row = try time(isolated)
    report.add("worker: row of a batch of 64, ns", nanoseconds: row, row)
  }

  /// Collects the output of some blocks, as a program does that writes a file.
  private final class Sink: TransformOutput {
    private var bytes: [UInt8] = []

    init() { bytes.reserveCapacity(1 << 20) }

    func write(_ bytes: Span<UInt8>) throws {
      if self.bytes.count + bytes.count > 1 << 20 { self.bytes.removeAll(keepingCapacity: true) }
      bytes.withUnsafeBytes { self.bytes.append(contentsOf: $0) }
    }
  }

  /// The nanoseconds of a byte of input in blocks of 64 KiB, the best of some rounds.
  private static func time(_ tags: [String], _ arguments: [Value], _ host: PluginHost) async throws -> Double {
    let block = (0..<65_536).map { UInt8(truncatingIfNeeded: $0) }
    var best = Double.infinity
    for _ in 0..<10 {
      let made = try await host.resolve(tags: tags, arguments: .values(arguments))
      guard let stage = made.first?.value as? any Transform else { throw Missing(description: "no transform \(tags)") }
      let sink = Sink()
      let start = Measuring.now()
      for _ in 0..<2_000 { try stage.feed(block.span, to: sink) }
      try stage.finish(to: sink)
      best = min(best, (Measuring.now() - start) / (2_000 * 65_536))
    }
    return best
  }

  private static func transforms(_ report: inout Rows) async throws {
    let directory = tree.appending(path: "Benchmarks/.build/isolation").path
    let examples = tree.appending(path: ".build/plugins").path
    let policy = Isolation.worker(WorkerPolicy())
    let empty = try await time(["pass"], [.integer(0)], host(directory, isolation: policy))
    report.add("worker: transform of 64 KiB blocks, GB/s", 1 / empty)
    let here = try await time(["base64-encode"], [], host(examples, isolation: .inProcess))
    let there = try await time(["base64-encode"], [], host(examples, isolation: policy))
    report.add("worker: base64, against in process", here / there)
  }

  private static func idle(_ report: inout Rows, _ isolated: PluginHost) throws {
    guard let process = isolated.workers.first?.process else { throw Missing(description: "no worker") }
    func ticks() throws -> Double {
      let fields = try String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8).split(separator: ")").last?.split(
        separator: " ")
      return (fields.flatMap { Double($0[11]) } ?? 0) + (fields.flatMap { Double($0[12]) } ?? 0)
    }
    usleep(200_000)
    let start = try ticks()
    usleep(2_000_000)
    report.add("worker: idle, % of a processor", (try ticks() - start) / Double(sysconf(Int32(_SC_CLK_TCK))) / 2 * 100)
  }

  /// First crashes of workers, each with the next call. Later restarts of a worker have delays.
  private static func ends(_ report: inout Rows, _ directory: String) async throws {
    for keepsStandby in [false, true] {
      var (errors, restarts): ([Double], [Double]) = ([], [])
      for _ in 0..<100 {
        var policy = WorkerPolicy()
        policy.keepsStandby = keepsStandby
        let host = await host(directory, isolation: .worker(policy))
        let (crash, area) = (try function("misbehave", host), try function("area", host))
        // The standby needs some milliseconds to start.
        usleep(keepsStandby ? 50_000 : 1_000)
        errors += times(1) { _ = try? crash.call([.string("crash")]) }
        restarts += try times(1) { _ = try area.call([.double(1), .double(2)]) }
        host.shutdown()
      }
      if !keepsStandby { report.add("worker: death to the error, ms at p99", errors.sorted()[98] / 1e6) }
      report.add(
        keepsStandby ? "worker: restart with a standby, ms at p99" : "worker: restart, ms at p99", restarts.sorted()[98] / 1e6)
    }
  }
}
