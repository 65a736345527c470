import CFunctions
import Foundation

/// The cost of a host in C beside direct calls, and beside a host in Swift.
enum HostAPIBenchmark {
  private static let tree = URL(filePath: #filePath).appending(path: "../../../..").standardized

  static func run(_ report: inout Report) throws {
    let plugins = tree.appending(path: ".build/plugins").path
    let times = measure_host(plugins)
    precondition(times.direct > 0, "no function \"area\" in \(plugins); run make examples")
    report.add("call through the C API, against direct", nanoseconds: times.call, times.call / times.direct)
    report.add("address from the C API, against direct", nanoseconds: times.address, times.address / times.direct)
    compare(&report, plugins)
  }

  /// Programs that start a host, list its plugins and call a function, in turns, so that both see the same machine.
  private static func compare(_ report: inout Report, _ plugins: String) {
    let programs = ["small", "small-swift"].map { tree.appending(path: "Benchmarks/.build/\($0)").path }
    var times: [[Double]] = [[], []]
    for round in 0..<41 {
      for (index, program) in programs.enumerated() {
        let time = run_program(program, plugins, nil, nil)
        precondition(time > 0, "\(program) failed; run make bench")
        // The first round fills the cache of probe results.
        if round > 0 { times[index].append(time) }
      }
    }
    let medians = times.map { $0.sorted()[20] }
    report.add("host in C, against one in Swift", nanoseconds: medians[0], medians[0] / medians[1])
  }
}
