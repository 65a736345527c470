internal import FoundationEssentials
internal import TroupeHost

/// The arguments of the functions that a command line calls, with the content of named files.
enum CallArguments {
  static let json = Option(
    "arguments", value: "JSON", "Read the arguments from a JSON array such as '[3, \"text\", null]'.")

  case operands([CallArgument])
  case json(String)

  /// Reads the functions and their arguments.
  static func calls(_ arguments: ParsedArguments) throws -> [(name: String, given: CallArguments)] {
    let groups = arguments.groups
    guard let text = arguments.one(json) else {
      try CallArgument.check(Array(groups.joined()))
      return try groups.map { ($0[0], .operands(try CallArgument.read(Array($0.dropFirst())))) }
    }
    guard groups.joined().count == 1 else {
      throw Diagnosis(
        .usage, problem: "arguments both with --arguments and as operands or --then", remedy: "use one of the two")
    }
    return [(groups[0][0], .json(try CallArgument.read([text])[0].json()))]
  }

  /// Returns a closure that reads the arguments for the function. The host calls it after it has opened the plugin.
  ///
  /// - Parameter earlier: The results of the calls before.
  func reader(for function: Registration, earlier: [Value]) throws(Diagnosis) -> PluginHost.ArgumentReader {
    switch self {
    case .json(let text):
      return { signature, functions in try signature.arguments(json: text, functions: functions) }
    case .operands(let operands):
      let parameters = function.function?.callerParameters ?? []
      var arguments: [Signature.UnreadArgument] = []
      for (index, operand) in operands.enumerated() {
        if let word = operand.word, !earlier.isEmpty, word.hasPrefix("$") {
          arguments.append(try Self.result(word, earlier))
        } else {
          arguments.append(try operand.argument(for: parameters.indices.contains(index) ? parameters[index] : nil))
        }
      }
      return { [arguments] signature, functions in try signature.arguments(reading: arguments, functions: functions) }
    }
  }

  /// Returns the result of an earlier call for `$2`, its member for `$2.name`, and the text `$text` for `$$text`.
  private static func result(_ word: String, _ earlier: [Value]) throws(Diagnosis) -> Signature.UnreadArgument {
    if word.hasPrefix("$$") { return .text(String(word.dropFirst())) }
    let path = word.dropFirst().split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard let number = path.first.flatMap({ Int($0) }), number >= 1, number <= earlier.count else {
      throw Diagnosis(
        .usage, problem: "\"\(word.shortened())\" is the result of no earlier call",
        remedy: "use $1\(earlier.count > 1 ? " to $\(earlier.count)" : ""), or $\(word) for the text")
    }
    var value = earlier[number - 1]
    for name in path.dropFirst() {
      guard let member = value[name] else {
        throw Diagnosis(
          .usage, problem: "\"\(word.shortened())\": the result of call \(number) has no member \"\(name.shortened())\"",
          remedy: value.isStructure
            ? "use a member of \(value.description.shortened())" : "use $\(number) without a member, or $\(word) for the text")
      }
      value = member
    }
    return .value(value)
  }
}

extension Value {
  fileprivate var isStructure: Bool { if case .structure = self { true } else { false } }
}
