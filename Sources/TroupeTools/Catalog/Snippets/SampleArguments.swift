internal import TroupeHost
internal import TroupeBase

/// The arguments of a call to copy: those of the first usable example, else a value of each parameter's type.
struct SampleArguments {
  /// The arguments with their types; for a factory those of the factory.
  let arguments: [(value: SampleValue, type: SampleType)]
  let input: String
  /// False if null stands for a function, a handle or an address.
  let isComplete: Bool

  init(_ item: CatalogItem) {
    let types = item.parameters.map(\.type)
    let example = item.documentation.examples.lazy.compactMap { try? ParsedExample($0, of: item) }.first
    if let example {
      arguments = Self.arguments(example.values, types)
      input = example.input ?? ""
      isComplete = true
    } else {
      arguments = types.map { ($0.sample, $0) }
      isComplete = !types.contains { if case .null = $0 { true } else { false } }
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
