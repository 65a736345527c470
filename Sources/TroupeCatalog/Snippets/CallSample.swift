internal import TroupeHost
internal import TroupeJSON

/// The arguments of a call to copy: those of the first usable example, else a value of each parameter's type.
struct CallSample {
  /// The arguments with their types; for a factory those of the factory.
  let arguments: [(value: SampleValue, type: SampleType)]
  /// The text of the input of a transform.
  let input: String

  init(_ item: CatalogItem) {
    let types = item.parameters.map(\.type)
    let example = item.documentation.examples.lazy.compactMap { try? ParsedExample($0, of: item) }.first
    if let example {
      arguments = Self.arguments(example.values, types)
      input = example.input ?? ""
    } else {
      // A number beside a null pointer is likely the length of the memory.
      let hasPointer = types.contains { if case .null = $0 { true } else { false } }
      arguments = types.map { type in
        if hasPointer, case .integer = type { (.number("0"), type) } else { (type.sample, type) }
      }
      input = "some text\n"
    }
  }

  /// Returns values with the types of the parameters. Further values of a function such as `printf` have their own.
  static func arguments(_ values: [JSONNode], _ types: [SampleType]) -> [(value: SampleValue, type: SampleType)] {
    values.enumerated().map { index, node in
      let value = SampleValue(node)
      return (value, index < types.count ? types[index] : value.type)
    }
  }
}
