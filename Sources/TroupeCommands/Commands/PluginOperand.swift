internal import Glibc
internal import TroupeHost

/// What names a plugin on the command line: its id, or its file.
enum PluginOperand {
  /// How one is told from the other.
  static let help =
    "What has a slash in it, or ends in .so or .troupe.json, is a FILE, and anything else an ID: write ./NAME for another file in the current directory."

  /// Whether a file is meant.
  static func isFile(_ name: String) -> Bool {
    name.utf8.contains(UInt8(ascii: "/")) || name.hasSuffix(".so") || name.hasSuffix(".troupe.json")
  }

  /// The end of a command for which there is no plugin of an id.
  static func unknown(_ id: String) -> CommandFailure {
    var status = stat()
    let isFile = stat(id, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    let file = isFile ? "; for the file of that name write ./\(id)" : ""
    return CommandFailure(.unavailable, "there is no plugin \"\(id)\"; troupe list shows those that there are\(file)")
  }
}
