internal import CLinux

/// The directories from which this process runs code: those of the executable, of this library and of the loader. A directory
/// `bin` or `lib` stands for the prefix of its installation, such as `/usr`.
///
/// Whoever can change files there can change the process, so a check of their owner protects from nothing.
enum CodeDirectories {
  /// The paths without links and with a final slash. The root is not among them: all files would be below it.
  private static let prefixes: [String] = {
    let loader = linux_loader_path().map { String(cString: $0) }
    let files = ["/proc/self/exe", OwnLibrary.path, loader].compactMap { $0.flatMap(Path.resolved) }
    return files.map { Path.withTrailingSlash(prefix(of: Path.directory(of: $0))) }.filter { $0 != "/" }
  }()

  private static func prefix(of directory: String) -> String {
    let parent = Path.directory(of: directory)
    return ["bin", "lib"].contains(Path.lastComponent(of: directory)) && parent != "/" ? parent : directory
  }

  /// Includes directories below. The path must have no links.
  static func contain(_ directory: String) -> Bool {
    let directory = Path.withTrailingSlash(directory).utf8
    return prefixes.contains { directory.starts(with: $0.utf8) }
  }

  /// True for the directories themselves and for those above, such as `/`. The path must have no links.
  static func isAbove(_ directory: String) -> Bool {
    let directory = Path.withTrailingSlash(directory).utf8
    return prefixes.contains { $0.utf8.starts(with: directory) }
  }
}
