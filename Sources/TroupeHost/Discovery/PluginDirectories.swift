internal import Glibc

/// Where plugins are looked for.
public enum PluginDirectories {
  /// The directories that `TROUPE_PLUGIN_PATH` names, separated by colons; if it is not set or empty, the user's own
  /// (`$XDG_DATA_HOME/troupe/plugins`) and the one beside the installed library (`PREFIX/lib/troupe/plugins`), as far as
  /// they are there.
  public static var standard: [String] {
    let named = Environment.value("TROUPE_PLUGIN_PATH")?.split(separator: ":").map(String.init) ?? []
    return named.isEmpty ? conventional.filter { access($0, F_OK) == 0 } : named
  }

  /// The directories that are looked at where nothing else is said, whether or not they are there.
  public static var conventional: [String] {
    let own = SwiftToolchain.ownPath.flatMap(Path.resolved).map(Path.directory(of:))
    return [UserDirectories.data.map { $0 + "/plugins" }, own.map { $0 + "/troupe/plugins" }].compactMap { $0 }
  }
}
