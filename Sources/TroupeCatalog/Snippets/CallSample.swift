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
    let example = item.documentation.examples.lazy.compactMap { try? ExampleArguments($0, of: item) }.first
    if let example {
      arguments = zip(example.values.map { SampleValue($0) }, types).map { ($0, $1) }
      input = example.input ?? ""
    } else {
      arguments = types.map { ($0.sample, $0) }
      input = "some text\n"
    }
  }
}
