/// This release of Troupe.
public enum Release {
  /// The version. A plugin in Swift runs with every release of the same `SwiftInterface`.
  public static let version = "0.1.0"
}
