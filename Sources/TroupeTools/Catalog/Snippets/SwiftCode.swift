internal import TroupeHost

/// Programs in Swift that import `TroupeHost`.
enum SwiftCode {
  static func call(_ item: CatalogItem, _ sample: SampleArguments) -> String {
    let literals = sample.arguments.map { literal($0.value, $0.type) }
    let call =
      literals.contains(nil)
      ? "host.call(registration, \(json(sample)))"
      : "host.function(registration)(\(literals.compactMap(\.self).joined(separator: ", ")))"
    return """
      // swiftc -swift-version 6 $(troupe flags) main.swift
      import TroupeHost

      let host = PluginHost(directories: ["\(Snippet.directory)"])
      await host.start()
      if let registration = host.functions(\(literal(item.selector))).first {
        print(try \(call))
      }
      host.shutdown()
      """
  }

  static func run(_ item: CatalogItem, _ sample: SampleArguments) -> String {
    """
    // swiftc -swift-version 6 $(troupe flags) main.swift
    import TroupeHost

    final class Output: TransformOutput {
      var bytes: [UInt8] = []
      func write(_ span: Span<UInt8>) { for index in span.indices { bytes.append(span[index]) } }
    }

    let host = PluginHost(directories: ["\(Snippet.directory)"])
    await host.start()
    let output = Output()
    let instances = try host.resolve(tags: [\(literal(item.selector))]\(arguments(sample)))
    if let transform = instances.first?.value as? any Transform {
      try transform.feed(Array(\(literal(sample.input)).utf8).span, to: output)
      try transform.finish(to: output)
    }
    print(String(decoding: output.bytes, as: UTF8.self), terminator: "")
    host.shutdown()
    """
  }

  static func resolve(_ item: CatalogItem, _ sample: SampleArguments) -> String {
    """
    // swiftc -swift-version 6 $(troupe flags) main.swift
    import TroupeHost

    let host = PluginHost(directories: ["\(Snippet.directory)"])
    await host.start()
    for instance in try host.resolve(tags: [\(literal(item.selector))]\(arguments(sample))) {
      print(instance.registration.name, instance.value)
    }
    host.shutdown()
    """
  }

  private static func arguments(_ sample: SampleArguments) -> String {
    sample.arguments.isEmpty ? "" : ", arguments: \(json(sample))"
  }

  private static func json(_ sample: SampleArguments) -> String {
    let text = "[" + sample.arguments.map(\.value.json).joined(separator: ", ") + "]"
    var hashes = "#"
    // By bytes, since a combining character may follow.
    while ["\"", "\\"].contains(where: { text.utf8.firstRange(of: ($0 + hashes).utf8) != nil }) { hashes += "#" }
    return ".json(\(hashes)\"\(text)\"\(hashes))"
  }

  /// Returns an argument as a literal whose default type the function takes; nil for one that only JSON can write.
  private static func literal(_ value: SampleValue, _ type: SampleType) -> String? {
    switch (value, type) {
    case (.boolean(let value), .boolean): return "\(value)"
    case (.number(let text), .integer):
      return SampleValue.integer(text).flatMap { Int64(exactly: $0) }.map { "\($0)" }
    case (.number(let text), .number): return SampleValue.floatingPoint(text)
    case (.text(let text), .text), (.text(let text), .choice): return literal(text)
    default: return nil
    }
  }

  private static func literal(_ text: String) -> String {
    text.quoted { "\\u{\($0.value.hexadecimal(digits: 1))}" }
  }
}
