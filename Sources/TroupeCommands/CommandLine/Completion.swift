/// The words that can complete an unfinished command line, as its `CommandSpec` says.
///
///     troupe call --log=de⇥          prefix "--log=", candidates "debug", …
///     troupe resolve --tag ⇥         placeholder "TAG": `CompletionCommand` asks the host for the values
///
/// The word that is being written is replaced by a mark, and the rest is parsed as usual: the option or operand that then holds the
/// mark is the one to complete.
package struct Completion: Equatable {
  package struct Candidate: Equatable {
    package let word: String
    package let summary: String

    package init(_ word: String, _ summary: String = "") { (self.word, self.summary) = (word, summary) }
  }

  /// Commands, options, and values of a fixed choice.
  package var candidates: [Candidate] = []
  /// The placeholders of other values, such as `FILE` and `ID`.
  package var placeholders: [String] = []
  /// The part of the last word before the value, such as `--log=`.
  package var prefix = ""

  /// Stands for the last word. No command line contains it.
  package static let mark = "\u{0}"

  /// - Parameter words: The words after the name of the command. The last one is being written.
  /// - Returns: The completion, and the finished options and operands; nil if the finished words are wrong.
  package static func find(_ words: [String], _ spec: CommandSpec) -> (Completion, ParsedArguments)? {
    var completion = Completion()
    let last = words.last ?? ""
    var finished = Array(words.dropLast())
    if last.hasPrefix("--"), let equals = last.firstIndex(of: "=") {
      completion.prefix = String(last[...equals])
      finished.append(completion.prefix + mark)
    } else {
      finished.append(mark)
    }
    guard let parsed = try? spec.read(finished) else { return nil }
    if let option = spec.options.first(where: { parsed.all($0).contains(mark) }) {
      completion.candidates = option.choices.map { Candidate($0) }
      if option.choices.isEmpty { completion.placeholders = [option.value].compactMap(\.self) }
    } else if last.hasPrefix("-"), !words.dropLast().contains("--") {
      completion.candidates = spec.options.filter { $0.isRepeatable || !parsed.has($0) }.map {
        Candidate($0.word, $0.summary)
      }
    } else if let group = parsed.groups.last, parsed.flags.isEmpty {
      let (choices, placeholders) = spec.operand(group.count - 1)
      completion.candidates = choices.map { Candidate($0) }
      completion.placeholders = placeholders
    }
    return (completion, parsed)
  }
}

extension CommandSpec {
  /// The alternatives for an operand: words of a fixed choice, which `operands` has in lower case, and placeholders.
  fileprivate func operand(_ index: Int) -> (choices: [String], placeholders: [String]) {
    var places: [Substring] = []
    var isRepeated = false
    var words = operands.split(whereSeparator: { " []".contains($0) })[...]
    while let word = words.popFirst() {
      if word.hasPrefix("--") {
        words = words.dropFirst().drop { $0 == "…" }
      } else if word == "…" {
        isRepeated = true
      } else {
        places.append(word.hasSuffix("…") ? word.dropLast() : word)
        isRepeated = word.hasSuffix("…")
      }
    }
    guard let place = index < places.count ? places[index] : isRepeated ? places.last : nil else { return ([], []) }
    let alternatives = place.split(separator: "|").map(String.init)
    return (alternatives.filter { $0 == $0.lowercased() }, alternatives.filter { $0 != $0.lowercased() })
  }
}
