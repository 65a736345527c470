/// An error that a plugin in a worker has thrown, of which only the text crosses into the host.
public struct IsolatedPluginError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The text of the error.
  public let description: String

  package init(_ description: String) { self.description = description }
}
