import Foundation
import Testing
import TroupeCommands
import TroupeHost
import TroupeTools

@Suite("The text of a report of troupe bench")
struct BenchCommandTests {
  private func report(name: String = "area", median: Double) throws -> BenchReport {
    let json = """
      {"kind": "function", "name": "\(name)", "plugin": "org.example.geometry", "unit": "ns", "median": \(median), "p95": 2e300,
       "p99": 1, "noise": 0, "runs": 3}
      """
    return try JSONDecoder().decode(BenchReport.self, from: Data(json.utf8))
  }

  @Test("A change is shown with its noise, and with the subject of the earlier report if it is another one")
  func change() throws {
    var report = try report(median: 100)
    try report.compare(with: self.report(name: "volume", median: 80), path: "earlier.json")
    #expect(report.text.contains("+25 % from 80 ns of volume of org.example.geometry; noise 0 %\n"))
  }

  @Test(
    "Times are shown in the largest unit that they reach",
    arguments: [
      (0.25, "0.25 ns"), (27.14, "27.1 ns"), (999.6, "1000 ns"), (1234, "1.23 µs"), (5e6, "5 ms"), (2.5e9, "2.5 s"),
    ])
  func units(median: Double, text: String) throws {
    let lines = try report(median: median).text.split(separator: "\n")
    #expect(lines.contains { $0.hasPrefix("median") && $0.hasSuffix(" " + text) })
  }
}
