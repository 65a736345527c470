internal import Glibc
internal import TroupeHost

/// Shell commands that create, fill or open the user's directories.
///
/// If the home directory is missing or belongs to another user, as for a service, the commands name other directories with the variables
/// of the XDG specification.
enum DirectoryFixes {
  /// Copies a plugin, or the plugins of a directory, to the user's directory of plugins.
  ///
  /// - Parameter asRoot: True if the user may not read it.
  static func copy(_ path: String, asRoot: Bool = false) -> String {
    let plugins = path.shellWord + ((try? Path.status(path))?.kind == S_IFDIR ? "/*.so" : "")
    let install = "\(asRoot ? "sudo " : "")install -D -m 644 \(plugins) -t"
    guard let own = UserDirectories.data.map({ $0 + "/plugins" }), isWritable(own) else {
      return "\(setVariable("XDG_DATA_HOME")) && \(install) \"$XDG_DATA_HOME/troupe/plugins\""
    }
    return "\(install) \(own.shellWord)"
  }

  static func createPlugins() -> String {
    guard let own = UserDirectories.data.map({ $0 + "/plugins" }), isWritable(own) else {
      return "\(setVariable("XDG_DATA_HOME")) && mkdir -p \"$XDG_DATA_HOME/troupe/plugins\""
    }
    return "mkdir -p \(own.shellWord)"
  }

  /// Lets the user read and write a directory that a variable names, or names another one.
  ///
  /// - Parameter directory: An existing directory that the user cannot read or write.
  static func makeWritable(_ directory: String, variable: String) -> String {
    let isReadOnly = access(directory, W_OK) != 0 && errno != EACCES
    guard (try? Path.status(directory))?.st_uid == geteuid(), !isReadOnly else { return setVariable(variable) }
    return "chmod u+rwx \(directory.shellWord)"
  }

  private static func setVariable(_ name: String) -> String { "export \(name)=\"$(mktemp -d)\"" }

  /// True if the user can write to the directory, or create it.
  private static func isWritable(_ directory: String) -> Bool { access(existing(directory), W_OK | X_OK) == 0 }

  /// Returns a directory, or the first existing one above it.
  static func existing(_ directory: String) -> String {
    var existing = directory
    while access(existing, F_OK) != 0, existing != "/" { existing = Path.directory(of: existing) }
    return existing
  }
}
