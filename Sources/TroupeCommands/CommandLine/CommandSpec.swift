package import TroupeHost

/// The command line of a command, declared once for parsing and for the help.
package struct CommandSpec {
  package let name: String
  /// A sentence.
  package let summary: String
  /// The operands as the usage line shows them, such as `UUID|NAME [ARG …]`.
  package let operands: String
  /// The allowed number of operands.
  package let operandCount: ClosedRange<Int>
  package let options: [Option]
  /// The paragraphs below the options in the help.
  package let details: [String]
  /// The remedy for an option of similar commands that this one does not have; nil if there is none.
  private let hint: String?

  package init(
    _ name: String, _ summary: String, operands: String = "", operandCount: ClosedRange<Int> = 0...0,
    options: [Option], details: [String] = [], hint: String? = nil
  ) {
    self.name = name
    self.summary = summary
    self.operands = operands
    self.operandCount = operandCount
    self.options = options + [.help]
    self.details = details
    self.hint = hint
  }

  /// The help with usage, summary, options and details, in lines of at most a width.
  package func help(width columns: Int) -> String {
    let usage = ["usage: troupe", name, operands, "[OPTION …]"].filter { !$0.isEmpty }.joined(separator: " ")
    let width = (options.map(\.usage.count).max() ?? 0) + 2
    let rows = options.map { option in
      let indent = String(repeating: " ", count: width + 2)
      let summary = option.summary + (option.isRepeatable ? " Repeatable." : "")
      let text = TextWrap.lines(summary, width: max(columns - width - 2, 20))
      let start = "  " + option.usage.padding(to: width)
      return start + text.joined(separator: "\n" + indent)
    }
    let paragraphs = details.map { TextWrap.lines($0, width: columns).joined(separator: "\n") }
    return
      ([usage, "", TextWrap.lines(summary, width: columns).joined(separator: "\n"), "", "Options:"] + rows
      + paragraphs.flatMap { ["", $0] }).joined(separator: "\n") + "\n"
  }

  /// Parses a command line. Throws a `Diagnosis` that names the fault.
  package func parse(_ arguments: [String]) throws(Diagnosis) -> ParsedArguments {
    let parsed = try read(arguments)
    for option in options where ["FILE", "DIR", "SITE"].contains(option.value) && parsed.all(option).contains("") {
      throw usage("\(option.word) is empty")
    }
    for option in options where !option.choices.isEmpty {
      for value in parsed.all(option) where !option.choices.contains(value) {
        throw Diagnosis(
          .usage, option.word, problem: "unknown \((option.value ?? "value").lowercased()) \"\(value.shortened())\"",
          remedy: "write one of \(option.choices.joined(separator: ", "))")
      }
    }
    if !parsed.has(.help) { for operands in parsed.groups { try check(operands) } }
    return parsed
  }

  /// Separates options and operands, without a check of their values and their number.
  func read(_ arguments: [String]) throws(Diagnosis) -> ParsedArguments {
    var values: [String: [String]] = [:]
    var groups: [[String]] = [[]]
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      if argument == "--" {
        groups[groups.count - 1] += rest
        break
      }
      guard argument.hasPrefix("-"), argument != "-", !Self.isNumber(argument) else {
        groups[groups.count - 1].append(argument)
        continue
      }
      let (option, inline) = try option(argument)
      if option.startsGroup { groups.append([]) }
      if !option.isRepeatable && values[option.name] != nil { throw usage("\(option.word) is given twice") }
      values[option.name, default: []].append(try value(of: option, inline: inline, &rest))
    }
    return ParsedArguments(values: values, groups: groups)
  }

  /// The option of a word that begins with a dash, and the value in the word.
  private func option(_ word: String) throws(Diagnosis) -> (Option, inline: String?) {
    if let option = options.first(where: { $0.isLetter && word.hasPrefix($0.word) }) {
      return (option, word == option.word ? nil : String(word.dropFirst(option.word.count)))
    }
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = word == "-h" ? "--help" : String(parts[0])
    guard let option = options.first(where: { $0.word == name }) else {
      throw usage("unknown option \(String(parts[0]).shortened())", hint)
    }
    return (option, parts.count == 2 ? String(parts[1]) : nil)
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
    if operands.count < operandCount.lowerBound { throw usage("missing \(missing)") }
    if operands.count > operandCount.upperBound {
      throw usage("unexpected argument \"\(operands[operandCount.upperBound].shortened())\"")
    }
  }

  /// The required operands. Optional ones follow them in brackets.
  private var missing: String { self.operands.split(separator: " [").first.map(String.init) ?? self.operands }

  private func usage(_ message: String, _ hint: String? = nil) -> Diagnosis {
    Diagnosis(.usage, problem: "\(message)", remedy: (hint.map { $0 + ", and " } ?? "") + "see troupe \(name) --help")
  }

  /// Whether an argument that begins with a dash is a negative number and no option: a dash and a digit, or a word such as `-inf`.
  /// The type of the parameter later decides whether the number is well formed.
  private static func isNumber(_ argument: String) -> Bool {
    argument.dropFirst().first.map { ("0"..."9").contains($0) } ?? false || Double(argument) != nil
  }
}

/// A parsed command line.
package struct ParsedArguments {
  private let values: [String: [String]]
  /// The operands, in groups that begin at an option such as `--then`.
  package let groups: [[String]]

  init(values: [String: [String]], groups: [[String]]) {
    self.values = values
    self.groups = groups
  }

  /// The operands of the first group.
  package var operands: [String] { groups[0] }

  package func has(_ option: Option) -> Bool { values[option.name] != nil }
  package func all(_ option: Option) -> [String] { values[option.name] ?? [] }
  package func one(_ option: Option) -> String? { values[option.name]?.first }
}
