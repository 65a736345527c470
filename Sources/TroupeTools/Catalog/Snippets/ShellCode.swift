package import FoundationEssentials
package import TroupeHost
internal import TroupeBase

/// Command lines of `troupe`.
package enum ShellCode {
  /// Returns the word that selects a registration alone: a name or tag that no other one has, else the UUID, else the first candidate.
  ///
  /// - Parameters:
  ///   - candidates: The name of a function, or the tags of a factory.
  ///   - isUnique: Returns true if no other registration has a name or tag.
  package static func selector(_ candidates: [String], _ uuid: UUID?, isUnique: (String) -> Bool) -> String? {
    // The command takes a word that begins with a dash or an at sign for an option or a file.
    let plain = candidates.first { isUnique($0) && $0.isVisible && !$0.begins(with: "-") && !$0.begins(with: "@") }
    return plain ?? uuid?.uuidString.lowercased() ?? candidates.first
  }

  /// Returns the command line that calls a function with the arguments of an example, without options; nil if they are malformed.
  package static func call(_ selector: String, _ signature: Signature, _ example: Documentation.Example) -> String? {
    guard let values = (try? JSONReader.read(Array("[\(example.arguments)]".utf8)))?.elements else { return nil }
    let types = CatalogParameter.parameters(signature).map(\.type)
    return call(selector, SampleArguments.arguments(values, types), options: [])
  }

  static func call(_ item: CatalogItem, _ sample: SampleArguments) -> String {
    call(item.selector, sample.arguments, options: directory)
  }

  private static func call(
    _ selector: String, _ arguments: [(value: SampleValue, type: SampleType)], options: [String]
  ) -> String {
    let words = arguments.compactMap { argument($0.value, $0.type) }
    let parts: [String]
    if words.count < arguments.count {
      parts = ["--arguments", word("[" + arguments.map(\.value.json).joined(separator: ", ") + "]")] + options
    } else if words.contains(where: { $0.begins(with: "-") && Double($0) == nil }) {
      // Behind a double dash no word is an option.
      parts = options + ["--"] + words.map(word)
    } else {
      parts = words.map(word) + options
    }
    return (["troupe call", word(selector)] + parts).joined(separator: " ")
  }

  static func run(_ item: CatalogItem, _ sample: SampleArguments) -> String {
    "\(printing(sample.input)) | troupe run \(options(item, sample))"
  }

  static func resolve(_ item: CatalogItem, _ sample: SampleArguments) -> String { "troupe resolve " + options(item, sample) }

  private static let directory = ["--plugins", Snippet.directory]

  private static func options(_ item: CatalogItem, _ sample: SampleArguments) -> String {
    let arguments = sample.arguments.flatMap { ["--arg", word(text($0.value) ?? $0.value.json)] }
    return (["--tag", word(item.selector)] + arguments + directory).joined(separator: " ")
  }

  /// Returns a text as one word of the command line, without invisible characters except for line ends and tabs.
  static func word(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: { $0.isInvisible && $0 != "\n" && $0 != "\t" }) else { return text.shellWord }
    // The shell removes the line ends behind the output of a command.
    let endCount = text.unicodeScalars.reversed().prefix { $0 == "\n" }.count
    let start = String(String.UnicodeScalarView(text.unicodeScalars.dropLast(endCount)))
    return "\"$(\(printing(start)))\(String(repeating: "\n", count: endCount))\""
  }

  private static func printing(_ text: String) -> String {
    let format = text.escaped { scalar in
      switch scalar {
      case "\\": #"\\"#
      case "%": "%%"
      case "\n": #"\n"#
      case "\t": #"\t"#
      case _ where scalar.isInvisible: UTF8.encode(scalar)?.map { "\\" + $0.octal }.joined()
      default: nil
      }
    }
    return "printf \(format.begins(with: "-") ? "-- " : "")\(format.shellWord)"
  }

  /// Returns an argument as a word of the command line, not quoted yet; nil for one that only JSON can write.
  private static func argument(_ value: SampleValue, _ type: SampleType) -> String? {
    switch (value, type) {
    // JSON has escapes for invisible characters, and fits on one line.
    case (.text(let text), _) where !text.isVisible: return nil
    case (.text(let text), .text), (.text(let text), .choice): return text.begins(with: "@") ? "@" + text : text
    case (.text(let text), .bytes):
      // The command reads other texts as JSON.
      if text.isEmpty || text.hasPrefix("{") || text.hasPrefix("[") || text == "null" { return nil }
      return text.begins(with: "@") ? "@" + text : text
    case (.text(let text), .number): return ["inf", "-inf", "nan"].contains(text) ? text : nil
    case (.number(let text), .integer): return SampleValue.integer(text).map { "\($0)" }
    case (.number(let text), .number): return text
    case (.boolean(let value), .boolean): return "\(value)"
    case (.null, .null): return "null"
    case (.array, .array), (.object, .object), (.object, .bytes), (.array, .bytes): return value.json
    default: return nil
    }
  }

  private static func text(_ value: SampleValue) -> String? {
    switch value {
    case .text(let text): text
    case .number(let text): text
    case .boolean(let value): "\(value)"
    case .null, .array, .object: nil
    }
  }
}

extension String {
  fileprivate func begins(with scalar: Unicode.Scalar) -> Bool { unicodeScalars.first == scalar }
}
