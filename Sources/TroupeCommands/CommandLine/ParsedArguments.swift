internal import Glibc
internal import TroupeHost
internal import TroupeTools

/// A parsed command line.
package struct ParsedArguments {
  private let values: [String: [String]]
  /// The operands, in groups that begin at an option such as `--then`.
  package let groups: [[String]]
  /// The words for another program.
  package let flags: [String]

  init(values: [String: [String]], groups: [[String]], flags: [String]) {
    (self.values, self.groups, self.flags) = (values, groups, flags)
  }

  package var operands: [String] { groups[0] }

  package func has(_ option: Option) -> Bool { values[option.name] != nil }
  package func all(_ option: Option) -> [String] { values[option.name] ?? [] }
  package func one(_ option: Option) -> String? { values[option.name]?.first }

  var search: PluginSearch { PluginSearch(named: all(.plugins)) }

  /// Another command for the same plugin directories, for a remedy.
  func command(_ words: String) -> String { search.command(words) }
}

// MARK: Values

extension ParsedArguments {
  func regex(_ option: Option) throws(Diagnosis) -> Regex<AnyRegexOutput>? {
    guard let text = one(option) else { return nil }
    do {
      return try Regex(text)
    } catch {
      throw Diagnosis(
        .usage, option.word, problem: "expected a regular expression, got \"\(text.shortened())\": \(error)",
        remedy: "give one such as '^load'")
    }
  }

  func seconds(_ option: Option) throws(Diagnosis) -> Duration? {
    guard let text = one(option) else { return nil }
    // A day is as good as no limit, and a clock may not represent more.
    guard let seconds = Double(text), 0.001...86_400 ~= seconds else {
      throw unfit(option, text, "a number of seconds from 0.001 to 86400", "give one such as 2")
    }
    return .seconds(seconds)
  }

  func byteCount(_ option: Option) throws(Diagnosis) -> Int? {
    guard let text = one(option) else { return nil }
    guard let size = Int(text), size > 0 else { throw unfit(option, text, "a number of bytes", "give one such as 1073741824") }
    return size
  }

  func number(_ option: Option, in range: ClosedRange<Int>) throws(Diagnosis) -> Int? {
    guard let text = one(option) else { return nil }
    guard let number = Int(text), range.contains(number) else {
      throw unfit(
        option, text, "a number from \(range.lowerBound) to \(range.upperBound)", "give one such as \(range.lowerBound)")
    }
    return number
  }

  private func unfit(_ option: Option, _ text: String, _ expected: String, _ remedy: String) -> Diagnosis {
    Diagnosis(.usage, option.word, problem: "expected \(expected), got \"\(text.shortened())\"", remedy: remedy)
  }
}
