internal import TroupeHost

/// Programs in Python that import the package `troupe`.
enum PythonCode {
  static func call(_ item: CatalogItem, _ sample: SampleArguments) -> String {
    """
    import troupe

    with troupe.Host(["\(Snippet.directory)"]) as host:
        function = host.functions[\(literal(item.selector))]
        print(function(\(arguments(sample))))
    """
  }

  static func run(_ item: CatalogItem, _ sample: SampleArguments) -> String {
    """
    import troupe

    with troupe.Host(["\(Snippet.directory)"]) as host:
        (transform,) = host.resolve(\(request(item, sample)))
        print(transform(b\(bytes(Array(sample.input.utf8)))))
    """
  }

  static func resolve(_ item: CatalogItem, _ sample: SampleArguments) -> String {
    """
    import troupe

    with troupe.Host(["\(Snippet.directory)"]) as host:
        print(host.resolve(\(request(item, sample))))
    """
  }

  private static func request(_ item: CatalogItem, _ sample: SampleArguments) -> String {
    "tags=[\(literal(item.selector))]" + (sample.arguments.isEmpty ? "" : ", args=[\(arguments(sample))]")
  }

  private static func arguments(_ sample: SampleArguments) -> String {
    sample.arguments.map { expression($0.value, $0.type) }.joined(separator: ", ")
  }

  private static func expression(_ value: SampleValue, _ type: SampleType?) -> String {
    if let bytes = value.bytes { return "b" + self.bytes(bytes) }
    switch value {
    case .null: return "None"
    case .boolean(let value): return value ? "True" : "False"
    case .number(let text):
      if case .integer? = type, let integer = SampleValue.integer(text) { return "\(integer)" }
      return text
    case .text(let text): return number(text, type) ?? literal(text)
    case .array(let elements):
      let list = elements.enumerated().map { expression($0.element, type?.element($0.offset)) }
      return "[" + list.joined(separator: ", ") + "]"
    case .object(let members):
      let list = members.map { "\(literal($0.name)): \(expression($0.value, type?.member($0.name)))" }
      return "{" + list.joined(separator: ", ") + "}"
    }
  }

  /// Returns a number that JSON writes as a text, such as `inf`; nil for any other text.
  private static func number(_ text: String, _ type: SampleType?) -> String? {
    guard case .number? = type else { return nil }
    return "float(\(literal(text)))"
  }

  private static func literal(_ text: String) -> String {
    text.quoted { scalar in
      scalar.value <= 0xFFFF ? "\\u" + scalar.value.hexadecimal(digits: 4) : "\\U" + scalar.value.hexadecimal(digits: 8)
    }
  }

  private static func bytes(_ bytes: [UInt8]) -> String {
    bytes.quoted { 0x20...0x7E ~= $0 ? nil : "\\x" + $0.hexadecimal(digits: 2) }
  }
}
