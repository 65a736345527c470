import Foundation

/// Prints rows and holds them against the thresholds.
struct Report {
  private var thresholds: [String: (isLowest: Bool, value: Double)] = [:]
  private var exceeded: [String] = []
  private var times: [String: Double] = [:]

  /// Reads the thresholds from the file beside the package.
  init() throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "thresholds.txt")
    for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") where !line.hasPrefix("#") {
      let columns = line.split(separator: "\t")
      guard columns.count == 2, let value = Double(columns[1].replacing(">= ", with: "")) else { continue }
      thresholds[String(columns[0])] = (columns[1].hasPrefix(">="), value)
    }
    print(Self.row("", "ns", "ratio", "threshold"))
  }

  /// Adds a row. A value without a time is a ratio, or in the unit that the name says.
  mutating func add(_ name: String, nanoseconds: Double? = nil, _ value: Double) {
    times[name] = nanoseconds
    let threshold = thresholds[name]
    let isExceeded = threshold.map { $0.isLowest ? value < $0.value : value > $0.value } ?? false
    if isExceeded { exceeded.append(name) }
    let limit = threshold.map { ($0.isLowest ? ">= " : "<= ") + Self.number($0.value) } ?? ""
    print(Self.row(name, nanoseconds.map(Self.number) ?? "", Self.number(value), limit) + (isExceeded ? "  exceeded" : ""))
  }

  /// Says of a row that it cannot be had on this machine, and why, rather than what it is.
  mutating func omit(_ name: String, since reason: String) { print(Self.row(name, "", "-") + "  " + reason) }

  /// The time of a row that has been added; not a number if it has none.
  func nanoseconds(_ name: String) -> Double { times[name] ?? .nan }

  /// Ends the report; gives whether every row is within its threshold.
  func finish() -> Bool {
    if !exceeded.isEmpty { print("\nexceeded: " + exceeded.joined(separator: ", ")) }
    return exceeded.isEmpty
  }

  private static func number(_ value: Double) -> String {
    value >= 100 ? String(Int(value.rounded())) : String(format: "%.2f", value)
  }

  private static func row(_ name: String, _ columns: String...) -> String {
    name.padding(toLength: 42, withPad: " ", startingAt: 0)
      + columns.map { String(repeating: " ", count: max(1, 10 - $0.count)) + $0 }.joined()
  }
}
