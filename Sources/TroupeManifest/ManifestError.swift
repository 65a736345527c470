/// A problem of a manifest or of a value in it, as the end of a sentence that begins with the manifest or the value.
public struct ManifestError: Error, Hashable, CustomStringConvertible {
  /// The end of the sentence.
  public let description: String

  /// Creates a problem.
  public init(_ description: String) {
    self.description = description
  }
}
