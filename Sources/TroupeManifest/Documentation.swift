/// The texts that a registration has for its users: a description, a text for each parameter, and examples.
///
/// ```swift
/// let documentation = Documentation(
///   description: "Returns the area of a rectangle.", parameters: ["width": "The width.", "height": "The height."],
///   examples: [Documentation.Example(arguments: "3, 4.5", result: "13.5")])
/// let metadata = documentation.metadata  // ["description": "Returns the area of a rectangle.", "parameter.width": …]
/// ```
///
/// A registration carries them as entries of its metadata. In C, `TROUPE_DESCRIPTION`, `TROUPE_PARAMETER` and `TROUPE_EXAMPLE` write
/// such entries.
public struct Documentation: Sendable, Hashable {
  /// An example of a call.
  public struct Example: Sendable, Hashable {
    /// The arguments: the elements of a JSON array without its brackets, such as `3, "inch"`. For a transform, the text of the input,
    /// then the arguments of the factory.
    public let arguments: String
    /// The result as JSON, such as `7.62`. For a transform, the text of the output.
    public let result: String

    /// Creates an example. Does not check the JSON.
    public init(arguments: String, result: String) {
      self.arguments = arguments
      self.result = result
    }
  }

  /// The description. Its first sentence is a summary. Empty if the registration has none.
  public var description: String
  /// The texts of the parameters by their names.
  public var parameters: [String: String]
  /// The examples, in the order of their arguments.
  public var examples: [Example]

  /// Creates the documentation of a registration.
  public init(description: String, parameters: [String: String] = [:], examples: [Example] = []) {
    self.description = description
    self.parameters = parameters
    self.examples = examples
  }

  private static let descriptionKey = "description"
  private static let parameterPrefix = "parameter."
  private static let examplePrefix = "example("
  private static let exampleSuffix = ")"

  /// Reads the documentation from the metadata of a registration, and ignores all other entries.
  public init(metadata: [String: String]) {
    self.init(description: metadata[Self.descriptionKey] ?? "")
    for (key, value) in metadata {
      if key.hasPrefix(Self.parameterPrefix) {
        parameters[String(key.dropFirst(Self.parameterPrefix.count))] = value
      } else if key.hasPrefix(Self.examplePrefix), key.hasSuffix(Self.exampleSuffix) {
        let arguments = key.dropFirst(Self.examplePrefix.count).dropLast(Self.exampleSuffix.count)
        examples.append(Example(arguments: String(arguments), result: value))
      }
    }
    examples.sort { $0.arguments < $1.arguments }
  }

  /// The entries of metadata with this documentation.
  public var metadata: [String: String] {
    var metadata = description.isEmpty ? [:] : [Self.descriptionKey: description]
    for (name, text) in parameters { metadata[Self.parameterPrefix + name] = text }
    for example in examples { metadata[Self.examplePrefix + example.arguments + Self.exampleSuffix] = example.result }
    return metadata
  }

  /// The first sentence of the description.
  public var summary: String {
    let line = description.prefix { !$0.isNewline }
    guard let end = line.firstRange(of: ". ") else { return String(line) }
    return String(line[..<end.upperBound].dropLast())
  }

  /// Returns whether an entry of metadata is documentation.
  public static func isDocumentation(key: String) -> Bool {
    key == descriptionKey || key.hasPrefix(parameterPrefix) || key.hasPrefix(examplePrefix) && key.hasSuffix(exampleSuffix)
  }
}
