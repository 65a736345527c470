package import TroupeFiles

/// The result of a check.
package struct CheckResult: Sendable, Hashable {
  package enum Verdict: String, Encodable, CodingKeyRepresentable, Sendable, CaseIterable {
    case passed, skipped, warning, failed, crashed

    package var isFailure: Bool { self == .failed || self == .crashed }
  }

  let verdict: Verdict
  /// One sentence without its subject, the plugin; empty for a check that passed.
  let message: String
  /// One sentence; empty if there is nothing to do.
  let remedy: String

  init(_ verdict: Verdict, _ message: String = "", remedy: String = "") {
    (self.verdict, self.message, self.remedy) = (verdict, message.onOneLine.limited, remedy.onOneLine.limited)
  }

  /// Describes an error.
  init(_ verdict: Verdict, _ error: any Error) {
    if let diagnosis = error as? Diagnosis {
      self.init(verdict, diagnosis.problem, remedy: diagnosis.remedy)
    } else {
      self.init(verdict, "\(error)")
    }
  }
}

extension CheckResult: Recordable {
  package func write(to writer: inout RecordWriter) {
    writer.write(verdict.rawValue)
    writer.write(message)
    writer.write(remedy)
  }

  package init(from reader: inout RecordReader) throws(ReadError) {
    let name = try String(from: &reader)
    guard let verdict = Verdict(rawValue: name) else { throw ReadError("\(name.debugDescription) is no verdict") }
    self.init(verdict, try String(from: &reader), remedy: try String(from: &reader))
  }
}
