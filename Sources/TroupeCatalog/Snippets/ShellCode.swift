package import TroupeHost
internal import TroupeJSON

/// Command lines of `troupe`.
package enum ShellCode {
  /// Returns the command line that calls a function with the arguments of an example, without options; nil if they are malformed.
  package static func call(_ name: String, _ signature: Signature, _ example: Documentation.Example) -> String? {
    guard let values = (try? JSONReader.read(Array("[\(example.arguments)]".utf8)))?.elements else { return nil }
    let types = CatalogParameter.parameters(signature).map(\.type)
    return (["troupe call", name.shellWord] + words(CallSample.arguments(values, types))).joined(separator: " ")
  }

  /// Returns the command line that calls a function.
  static func call(_ item: CatalogItem, _ sample: CallSample) -> String {
    let words = words(sample.arguments)
    // No option can follow a double dash.
    let rest = words.first == "--" ? directory + words : words + directory
    return (["troupe call", item.selector.shellWord] + rest).joined(separator: " ")
  }

  private static func words(_ arguments: [(value: SampleValue, type: SampleType)]) -> [String] {
    let words = arguments.compactMap { word($0.value, $0.type) }
    guard words.count == arguments.count else {
      return ["--arguments", ("[" + arguments.map(\.value.json).joined(separator: ", ") + "]").shellWord]
    }
    // Behind a double dash no text is an option.
    let separator = words.contains { $0.hasPrefix("-") && Double($0) == nil } ? ["--"] : []
    return separator + words.map(\.shellWord)
  }

  /// Returns the command line that passes text through a transform.
  static func run(_ item: CatalogItem, _ sample: CallSample) -> String {
    let text = sample.input.escaped { scalar in
      switch scalar {
      case "\\": #"\\"#
      case "%": "%%"
      case "\n": #"\n"#
      case "\t": #"\t"#
      default: nil
      }
    }
    let print = "printf \(text.hasPrefix("-") ? "-- " : "")\(text.shellWord)"
    return print + " | troupe run " + options(item, sample)
  }

  /// Returns the command line that makes an instance.
  static func resolve(_ item: CatalogItem, _ sample: CallSample) -> String { "troupe resolve " + options(item, sample) }

  private static let directory = ["--plugins", Snippet.directory]

  private static func options(_ item: CatalogItem, _ sample: CallSample) -> String {
    let arguments = sample.arguments.flatMap { ["--arg", (text($0.value) ?? $0.value.json).shellWord] }
    return (["--tag", item.selector.shellWord] + arguments + directory).joined(separator: " ")
  }

  /// Returns an argument as a word of the command line; nil for one that only JSON can write.
  private static func word(_ value: SampleValue, _ type: SampleType) -> String? {
    switch (value, type) {
    case (.text(let text), .text), (.text(let text), .choice): return text.hasPrefix("@") ? "@" + text : text
    case (.text(let text), .bytes):
      // The command reads other texts as JSON.
      if text.isEmpty || text.hasPrefix("{") || text.hasPrefix("[") || text == "null" { return nil }
      return text.hasPrefix("@") ? "@" + text : text
    case (.text(let text), .number): return ["inf", "-inf", "nan"].contains(text) ? text : nil
    case (.number(let text), .integer): return SampleValue.integer(text).map { "\($0)" }
    case (.number(let text), .number): return text
    case (.boolean(let value), .boolean): return "\(value)"
    case (.null, .null): return "null"
    case (.array, .array), (.object, .object), (.object, .bytes), (.array, .bytes): return value.json
    default: return nil
    }
  }

  /// Returns a scalar as text.
  private static func text(_ value: SampleValue) -> String? {
    switch value {
    case .text(let text): text
    case .number(let text): text
    case .boolean(let value): "\(value)"
    case .null, .array, .object: nil
    }
  }
}
