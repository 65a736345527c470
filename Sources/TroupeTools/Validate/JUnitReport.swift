/// The results in the XML format of JUnit, which continuous integration shows. Each plugin file is a suite.
package enum JUnitReport {
  package static func text(_ report: ValidationResults) -> String {
    let suites = report.files.map(suite)
    return """
      <?xml version="1.0" encoding="UTF-8"?>
      <testsuites>
      \(suites.joined(separator: "\n"))
      </testsuites>

      """
  }

  private static func suite(_ file: FileReport) -> String {
    func count(_ verdict: CheckResult.Verdict) -> Int { file.counts[verdict] ?? 0 }
    let time = file.checks.reduce(0) { $0 + $1.seconds }
    let attributes =
      "name=\"\(escaped(file.file))\" tests=\"\(file.checks.count)\" failures=\"\(count(.failed))\" "
      + "errors=\"\(count(.crashed))\" skipped=\"\(count(.skipped))\" time=\"\(time)\""
    return "  <testsuite \(attributes)>\n" + file.checks.map(test).joined() + "  </testsuite>"
  }

  private static func test(_ check: CheckReport) -> String {
    let group = check.name.prefix { $0 != "-" }
    let start = "    <testcase classname=\"\(group)\" name=\"\(check.name)\" time=\"\(check.seconds)\""
    let text = escaped(check.remedy.isEmpty ? check.message : "\(check.message); \(check.remedy)")
    let content =
      switch check.result {
      case .passed: ""
      case .skipped: "<skipped message=\"\(text)\"/>"
      case .warning: "<system-out>\(text)</system-out>"
      case .failed: "<failure message=\"\(text)\"/>"
      case .crashed: "<error message=\"\(text)\"/>"
      }
    return content.isEmpty ? start + "/>\n" : start + ">\(content)</testcase>\n"
  }

  /// Replaces the special characters of XML, and the characters that XML excludes.
  static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&apos;"
      case "\u{9}", "\u{A}", "\u{D}": result += "&#\(scalar.value);"
      case "\u{0}"..."\u{1F}", "\u{FFFE}", "\u{FFFF}": result += "\u{FFFD}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
