internal import TroupeBase
package import TroupeHost

/// Everything that the program knows about the command line of one command.
///
/// The parser, `--help`, `troupe help`, the man page and the completion scripts all read this one value:
///
/// ```swift
/// CommandSpec(
///   "list", "List plugins without running their code.",
///   examples: ["troupe list", "troupe list --plugins build", "troupe list --json"],
///   options: HostArguments.discovery + [.json],
///   details: ["A plugin is admitted or rejected. …"])
/// ```
///
/// `--help` fits on one screen: purpose, usage, examples and one line for each option. The details are in the manual.
package struct CommandSpec: Sendable {
  package let name: String
  /// The purpose in one sentence.
  package let summary: String
  /// The operands as the usage line shows them, such as `UUID|NAME [ARG …]`.
  package let operands: String
  package let operandCount: ClosedRange<Int>
  /// The words behind `--` that are for another program, such as `FLAG …`; empty if those are operands.
  private let flags: String
  /// Shell lines that work where the example plugins are installed.
  package let examples: [String]
  package let options: [Option]
  /// The last paragraph of `--help`, for what the usage does not show.
  private let note: String
  /// Paragraphs of the manual.
  package let details: [String]
  /// The remedy for an option that this command lacks and similar commands have.
  private let hint: String?

  package init(
    _ name: String, _ summary: String, operands: String = "", operandCount: ClosedRange<Int> = 0...0, flags: String = "",
    examples: [String] = [], options: [Option], note: String = "", details: [String] = [], hint: String? = nil
  ) {
    (self.name, self.summary, self.operands, self.operandCount) = (name, summary, operands, operandCount)
    (self.flags, self.examples, self.options, self.note) = (flags, examples, options + [.help], note)
    (self.details, self.hint) = (details, hint)
  }

  /// `troupe call UUID|NAME [ARG …] [OPTION …]`
  package var usage: String {
    [
      "troupe", name, operands, "[OPTION …]", flags.isEmpty ? "" : "[-- \(flags)]",
    ].filter { !$0.isEmpty }.joined(separator: " ")
  }

  // MARK: Help

  /// The text of `--help`, in lines of at most `columns` characters.
  package func help(width columns: Int) -> String {
    let end = [note, details.isEmpty ? "" : "troupe help \(name) explains the details."].filter { !$0.isEmpty }
    return text(columns, paragraphs: end.isEmpty ? [] : [end.joined(separator: " ")]) { $0.summary }
  }

  /// The text of `troupe help`, with all details.
  package func manual(width columns: Int) -> String { text(columns, paragraphs: details) { $0.explanation } }

  private func text(_ columns: Int, paragraphs: [String], _ describe: (Option) -> String) -> String {
    func wrapped(_ text: String) -> String { TextWrap.lines(text, width: columns).joined(separator: "\n") }
    let width = (options.map { $0.repeatableUsage.count }.max() ?? 0) + 4
    var sections = [wrapped(summary), wrapped("usage: " + usage)]
    if !examples.isEmpty { sections.append((["Examples:"] + examples.map { "  " + $0 }).joined(separator: "\n")) }
    for group in Option.Group.allCases {
      let rows = options.filter { $0.group == group }.map { option in
        ("  " + option.repeatableUsage).padding(to: width)
          + TextWrap.lines(describe(option), width: max(columns - width, 16))
          .joined(separator: "\n" + String(repeating: " ", count: width))
      }
      if !rows.isEmpty { sections.append(([group.rawValue + ":"] + rows).joined(separator: "\n")) }
    }
    return (sections + paragraphs.map(wrapped)).joined(separator: "\n\n") + "\n"
  }

  // MARK: Parsing

  /// Parses the words after the name of the command. Throws a `Diagnosis` with the code `usage`.
  package func parse(_ arguments: [String]) throws(Diagnosis) -> ParsedArguments {
    let parsed = try read(arguments)
    for option in options where ["FILE", "DIR", "SITE"].contains(option.value) && parsed.all(option).contains("") {
      throw usage("\(option.word) is empty")
    }
    for option in options where !option.choices.isEmpty {
      for value in parsed.all(option) where !option.choices.contains(value) {
        throw Diagnosis(
          .usage, option.word, problem: "expected \(option.choices.alternatives), got \"\(value.shortened())\"",
          remedy: nearestName(to: value, in: option.choices).map { "did you mean \"\($0)\"?" } ?? "")
      }
    }
    if !parsed.has(.help) { for operands in parsed.groups { try check(operands) } }
    return parsed
  }

  /// Separates options and operands without checking values and counts.
  func read(_ arguments: [String]) throws(Diagnosis) -> ParsedArguments {
    var values: [String: [String]] = [:]
    var groups: [[String]] = [[]]
    var flags: [String] = []
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      if argument == "--" {
        if self.flags.isEmpty { groups[groups.count - 1] += rest } else { flags = Array(rest) }
        break
      }
      guard argument.hasPrefix("-"), argument != "-", !Self.isNumber(argument) else {
        groups[groups.count - 1].append(argument)
        continue
      }
      let (option, inline) = try option(argument)
      if !option.operands.isEmpty { groups.append([]) }
      if !option.isRepeatable && values[option.name] != nil { throw usage("\(option.word) is given twice") }
      values[option.name, default: []].append(try value(of: option, inline: inline, &rest))
    }
    return ParsedArguments(values: values, groups: groups, flags: flags)
  }

  /// The option of a word that begins with a dash, and the value in the word.
  private func option(_ word: String) throws(Diagnosis) -> (Option, inline: String?) {
    if let option = options.first(where: { $0.isLetter && word.hasPrefix($0.word) }) {
      return (option, word == option.word ? nil : String(word.dropFirst(option.word.count)))
    }
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = word == "-h" ? "--help" : String(parts[0])
    guard let option = options.first(where: { $0.word == name }) else { throw unknown(name) }
    return (option, parts.count == 2 ? String(parts[1]) : nil)
  }

  private func unknown(_ name: String) -> Diagnosis {
    let long = options.filter { !$0.isLetter }.map(\.name)
    let nearest = nearestName(to: String(name.drop { $0 == "-" }), in: long).map { "did you mean --\($0)?" }
    return Diagnosis(
      .usage, problem: "no option \(name.shortened())",
      remedy: nearest ?? [hint, "see troupe \(self.name) --help"].compactMap(\.self).joined(separator: ", and "))
  }

  private func value(of option: Option, inline: String?, _ rest: inout ArraySlice<String>) throws(Diagnosis) -> String {
    guard option.value != nil else {
      guard inline == nil else { throw usage("\(option.word) takes no value") }
      return ""
    }
    guard let value = inline ?? rest.popFirst() else { throw usage("\(option.usage) lacks its value") }
    return value
  }

  private func check(_ operands: [String]) throws(Diagnosis) {
    // The required operands precede the optional ones, which are in brackets.
    let required = self.operands.split(separator: " [").first.map(String.init) ?? self.operands
    if operands.count < operandCount.lowerBound { throw usage("missing \(required)") }
    if operands.count > operandCount.upperBound {
      throw usage("unexpected argument \"\(operands[operandCount.upperBound].shortened())\"")
    }
  }

  private func usage(_ problem: String) -> Diagnosis {
    Diagnosis(.usage, problem: problem, remedy: "see troupe \(name) --help")
  }

  /// Returns true for a negative number, well formed or not: a dash and a digit, or a word such as `-inf`.
  private static func isNumber(_ argument: String) -> Bool {
    argument.dropFirst().first.map { ("0"..."9").contains($0) } ?? false || Double(argument) != nil
  }
}

extension Option {
  /// `--tag TAG …`
  fileprivate var repeatableUsage: String { usage + (isRepeatable ? " …" : "") }
  /// The summary and the details.
  package var explanation: String {
    ([summary, details] + (isRepeatable ? ["Repeatable."] : [])).filter { !$0.isEmpty }.joined(separator: " ")
  }
}

extension [String] {
  /// `a, b or c`
  package var alternatives: String {
    count < 2 ? joined() : dropLast().joined(separator: ", ") + " or " + self[count - 1]
  }
}
