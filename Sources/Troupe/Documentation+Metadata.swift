internal import TroupeManifest

extension Dictionary<String, String> {
  /// Returns the metadata that documents a registration for its users.
  ///
  /// ```swift
  /// registrar.register(
  ///   (any Transform).self, id: "6d9a5a0e-5a57-4d0f-8a55-3f5a1f6f0c02", name: "grep-for", tags: "grep-for",
  ///   metadata: .documentation(
  ///     "Passes the lines that match a regular expression.", parameters: ["pattern": "An extended regular expression."],
  ///     examples: [#""one\\ntwo\\n", "^t""#: #""two\\n""#])
  /// ) { _, pattern in try LineFilter(pattern: pattern) }
  /// ```
  ///
  /// `troupe inspect`, `troupe catalog` and type stubs for Python show it, and `troupe catalog --check` runs the examples. Use `merging`
  /// to add other entries.
  ///
  /// - Parameters:
  ///   - description: The description. Its first sentence is the summary.
  ///   - parameters: The texts of the parameters by their names.
  ///   - examples: The results by the arguments. The arguments are the elements of a JSON array without its brackets, a result is JSON. For
  ///     a transform, the arguments are the text of the input, then the arguments of the factory, and the result is the text of the
  ///     output.
  public static func documentation(
    _ description: String, parameters: [String: String] = [:], examples: [String: String] = [:]
  ) -> [String: String] {
    let examples = examples.map { Documentation.Example(arguments: $0.key, result: $0.value) }
    return Documentation(description: description, parameters: parameters, examples: examples).metadata
  }
}
