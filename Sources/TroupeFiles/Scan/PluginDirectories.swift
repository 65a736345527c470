internal import Glibc
internal import TroupeBase

/// The directories that hosts scan for plugins by default.
public enum PluginDirectories {
  /// The directories in `TROUPE_PLUGIN_PATH`, separated by colons. If it is unset or empty, the existing ones of the user's directory
  /// (`$XDG_DATA_HOME/troupe/plugins`) and the directory beside the installed library (`PREFIX/lib/troupe/plugins`).
  public static var standard: [String] {
    let named = Environment.value("TROUPE_PLUGIN_PATH")?.split(separator: ":").map(String.init) ?? []
    return named.isEmpty ? conventional.filter { access($0, F_OK) == 0 } : named
  }

  /// The directories to use without `TROUPE_PLUGIN_PATH`, existing or not.
  public static var conventional: [String] {
    let own = OwnLibrary.path.flatMap(Path.resolved).map(Path.directory(of:))
    return [UserDirectories.data.map { $0 + "/plugins" }, own.map { $0 + "/troupe/plugins" }].compactMap { $0 }
  }
}
