/// This release of Troupe.
public enum Release {
  /// The version. ``SwiftInterface`` decides which plugins in Swift it loads.
  public static let version = "0.1.0"
}
