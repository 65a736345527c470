internal import FoundationEssentials
package import TroupeHost

/// The result of `troupe bench`. Its JSON is printed with `--json` and read with `--compare`.
package struct BenchReport: Codable, Equatable {
  package enum SubjectKind: String, Codable {
    /// A C function, in nanoseconds per call.
    case function
    /// A transform, in megabytes of input per second.
    case transform
  }

  /// The difference to an earlier report.
  package struct Change: Codable, Equatable {
    /// The earlier median.
    package let median: Double
    /// The new median as a multiple of the earlier one, minus 1.
    package let change: Double
    /// The variation of the samples of both reports, as a share of the medians.
    package let noise: Double
    /// The subject of the earlier report, with its signature; nil if it is the same.
    package let other: String?

    /// True if the medians differ by more than the noise.
    package var isSignificant: Bool { abs(change) > noise }
  }

  package let kind: SubjectKind
  package let name, plugin: String
  package let uuid: String?
  /// The function's signature; nil for a transform.
  package let signature: String?
  package let unit: String
  package let median, p95, p99: Double
  /// See `Measurement.noise`.
  package let noise: Double
  /// The median time of a call of an empty function of the same type, in nanoseconds; nil for a transform.
  package let overhead: Double?
  /// The number of calls, or of times that the input was transformed.
  package let runs: Int
  /// The sizes of a transform's input and output, in bytes.
  package let input, output: Int?
  package private(set) var comparison: Change?

  init(function: RegistrationDescription, _ calls: Measurement, empty: Measurement) {
    (kind, unit) = (.function, "ns")
    (name, plugin, uuid) = (function.name, function.plugin, function.uuid?.uuidString.lowercased())
    signature = function.signature
    (median, p95, p99, noise) = (calls.median, calls.quantile(0.95), calls.quantile(0.99), calls.noise)
    (overhead, runs) = (empty.median, calls.runs)
    (input, output) = (nil, nil)
  }

  /// Creates the report of a transform from the times that it took for an input.
  init(transform: RegistrationDescription, _ rounds: Measurement, input: Int, output: Int) {
    func speed(_ nanoseconds: Double) -> Double { nanoseconds > 0 ? Double(input) * 1000 / nanoseconds : 0 }
    (kind, unit) = (.transform, "MB/s")
    (name, plugin, uuid) = (transform.name, transform.plugin, transform.uuid?.uuidString.lowercased())
    (median, p95, p99) = (speed(rounds.median), speed(rounds.quantile(0.95)), speed(rounds.quantile(0.99)))
    (noise, runs, signature, overhead) = (rounds.noise, rounds.runs, nil, nil)
    (self.input, self.output) = (input, output)
  }

  /// Reads a report from a file, or from standard input if the path is `-`.
  package init(contentsOf path: String) throws {
    let content = try InputFile.named([path])[0].content()
    do {
      self = try JSONDecoder().decode(Self.self, from: Data(content))
    } catch {
      throw Diagnosis(
        .invalidData, path, problem: "is not a report of troupe bench", remedy: "write one with troupe bench --json")
    }
  }

  /// Compares with an earlier report. Throws a `Diagnosis` if that measures another kind or has a figure that no measurement has.
  ///
  /// - Parameter path: The file of the earlier report, for the failure.
  package mutating func compare(with earlier: BenchReport, path: String) throws(Diagnosis) {
    guard earlier.kind == kind, earlier.unit == unit else {
      throw Diagnosis(
        .invalidData, path,
        problem: "measures a \(earlier.kind.rawValue) in \(earlier.unit), and \(name) is a \(kind.rawValue) in \(unit)",
        remedy: "name a report of a \(kind.rawValue)")
    }
    let change = Change(
      median: earlier.median, change: median / earlier.median - 1,
      noise: (noise * noise + earlier.noise * earlier.noise).squareRoot(),
      other: earlier.subject == subject ? nil : earlier.subject)
    guard earlier.median.isNormal, earlier.median > 0, earlier.noise >= 0, change.change.isFinite, change.noise.isFinite else {
      throw Diagnosis(
        .invalidData, path,
        problem: "has the median \(earlier.median) and the noise \(earlier.noise), which no measurement has",
        remedy: "measure again with --json")
    }
    comparison = change
  }

  /// The measured function or transform.
  private var subject: String { "\(name) of \(plugin)\(signature.map { ", \($0)" } ?? "")" }
}
