import Foundation
import Testing
import TroupeTools
import TroupeHost

@Suite("Reports of troupe bench")
struct BenchReportTests {
  private func report(
    _ kind: String = "function", name: String = "area", unit: String? = nil, median: Double, noise: Double
  ) throws -> BenchReport {
    let unit = unit ?? (kind == "function" ? "ns" : "MB/s")
    let json = """
      {"kind": "\(kind)", "name": "\(name)", "plugin": "org.example.geometry", "unit": "\(unit)", "median": \(median), "p95": 2e300,
       "p99": 1, "noise": \(noise), "runs": 3}
      """
    return try JSONDecoder().decode(BenchReport.self, from: Data(json.utf8))
  }

  @Test(
    "A change counts if it exceeds the noise of both reports", arguments: [(106, false), (94, false), (120, true), (80, true)])
  func change(median: Double, isSignificant: Bool) throws {
    var report = try report(median: median, noise: 0.06)
    try report.compare(with: self.report(median: 100, noise: 0.08), path: "earlier.json")
    let change = try #require(report.comparison)
    #expect(abs(change.change - (median / 100 - 1)) < 1e-9)
    #expect(abs(change.noise - 0.1) < 1e-9)
    #expect(change.isSignificant == isSignificant)
    #expect(try JSONDecoder().decode(BenchReport.self, from: JSONEncoder().encode(report)) == report)
  }

  @Test("A report of something else or with figures that no measurement has cannot be compared")
  func incomparable() throws {
    var report = try report(median: 100, noise: 0)
    let figures = [
      (0, 0), (-1, 0), (1e-307, 0), (.leastNonzeroMagnitude, 0), (100, -5), (100, 1e308),
    ]
    let others = [
      try self.report("transform", median: 100, noise: 0), try self.report("transform", unit: "ns", median: 100, noise: 0),
      try self.report(unit: "MB/s", median: 100, noise: 0),
    ]
    for earlier in try others + figures.map({ try self.report(median: $0, noise: $1) }) {
      let error = #expect(throws: Diagnosis.self) { try report.compare(with: earlier, path: "earlier.json") }
      #expect(error?.code == .invalidData)
    }
    #expect(report.comparison == nil)
  }

  @Test("A comparison with another subject names it")
  func other() throws {
    var report = try report(median: 100, noise: 0)
    try report.compare(with: self.report(median: 80, noise: 0), path: "earlier.json")
    #expect(report.comparison?.other == nil)
    try report.compare(with: self.report(name: "volume", median: 80, noise: 0), path: "earlier.json")
    #expect(report.comparison?.other == "volume of org.example.geometry")
  }
}
