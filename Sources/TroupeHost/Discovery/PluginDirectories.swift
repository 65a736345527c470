internal import Glibc

/// Where plugins are looked for.
public enum PluginDirectories {
  /// The directories that `TROUPE_PLUGIN_PATH` names, separated by colons; if it is not set or empty, the user's own
  /// (`$XDG_DATA_HOME/troupe/plugins`) and the one beside the installed library (`PREFIX/lib/troupe/plugins`), as far as
  /// they are there.
  public static var standard: [String] {
    let named = environment("TROUPE_PLUGIN_PATH")?.split(separator: ":").map(String.init) ?? []
    return named.isEmpty ? conventional.filter { access($0, F_OK) == 0 } : named
  }

  /// The directories that are looked at where nothing else is said, whether or not they are there.
  public static var conventional: [String] {
    let data = environment("XDG_DATA_HOME") ?? environment("HOME").map { $0 + "/.local/share" }
    let own = SwiftToolchain.ownPath.flatMap(Path.resolved).map(Path.directory(of:))
    return [data.map { $0 + "/troupe/plugins" }, own.map { $0 + "/troupe/plugins" }].compactMap { $0 }
  }

  private static func environment(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
  }
}
