/// This release of Troupe.
public enum Release {
  /// Its version. A Swift plugin is built against one release and runs with the same.
  public static let version = "0.1.0"
}
