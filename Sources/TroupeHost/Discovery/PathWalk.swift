internal import Glibc

/// The names that the system looks up on its way along a path, each with the directory in which it does so.
enum PathSteps {
  /// A name in a directory.
  struct Step: Hashable {
    /// The directory, in which every step but the first has been taken.
    let directory: String
    let name: String

    /// The path of what has the name.
    var path: String { directory == "/" ? "/" + name : directory + "/" + name }
  }

  /// Goes along a path, over the links in it, as far as there is something.
  ///
  /// - Parameter take: Told each step before it is found out whether there is something of that name.
  /// - Returns: The path without links to what is at the end, relative if the path is; nil if there is nothing, or no way there.
  static func follow<Failure>(_ path: String, _ take: (Step) throws(Failure) -> Void) throws(Failure) -> String? {
    var current = isAbsolute(path) ? "/" : "."
    // The next one is the last.
    var names: [String] = names(path).reversed()
    var linksLeft = mostLinks
    while let name = names.popLast() {
      let step = Step(directory: current, name: name)
      // There are no links on the way to the directory, so that the one above it is the one above it.
      guard name != ".." else {
        current = step.path
        continue
      }
      try take(step)
      var status = stat()
      guard lstat(step.path, &status) == 0 else { return nil }
      guard status.st_mode & S_IFMT == S_IFLNK else {
        current = step.path
        continue
      }
      guard linksLeft > 0, let target = target(ofLink: step.path) else { return nil }
      linksLeft -= 1
      if isAbsolute(target) { current = "/" }
      names += PathSteps.names(target).reversed()
    }
    return current
  }

  /// As many as the system follows.
  private static let mostLinks = 40

  private static func isAbsolute(_ path: String) -> Bool { path.utf8.first == UInt8(ascii: "/") }

  private static func names(_ path: String) -> [String] {
    path.utf8.split(separator: UInt8(ascii: "/")).map { String(decoding: $0, as: UTF8.self) }.filter { $0 != "." }
  }

  private static func target(ofLink path: String) -> String? {
    var bytes = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let count = readlink(path, &bytes, bytes.count)
    return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
  }
}
