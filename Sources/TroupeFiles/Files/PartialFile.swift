package import Glibc

/// A file that appears under its path when it is complete. Until then it has a temporary name in the same directory. The
/// deinitializer removes the temporary file, unless `complete()` has succeeded.
package struct PartialFile: ~Copyable {
  /// The file, open for writing.
  package let file: FileDescriptor
  /// The path of the temporary file.
  package let temporaryPath: String
  private let path: String
  private var isComplete = false

  /// Creates the temporary file in a directory that exists. Throws a `SystemError`.
  package init(for path: String, mode: mode_t) throws(SystemError) {
    self.path = path
    // The name is unique among processes that write the same file.
    let start = Self.start(of: Path.lastComponent(of: path))
    temporaryPath = "\(Path.directory(of: path))/\(start)\(getpid()).\(UInt64.random(in: 0...UInt64.max))"
    file = try FileDescriptor(opening: temporaryPath, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: mode)
  }

  /// Renames the temporary file to the path, and so replaces the file there. Does not flush it to the disk. Throws a `SystemError`; the
  /// former file is unchanged then.
  package mutating func complete() throws(SystemError) {
    guard rename(temporaryPath, path) == 0 else { throw SystemError(code: errno) }
    isComplete = true
  }

  deinit {
    if !isComplete { unlink(temporaryPath) }
  }

  /// Removes the temporary files that ended processes left in a directory. A file counts as stale after an hour without a write.
  ///
  /// - Parameter names: The names of the complete files; nil for all.
  package static func removeStale(in directory: String, of names: Set<String>?) {
    let starts = names.map { Set($0.map(start)) }
    for name in (try? Directory.names(in: directory)) ?? [] {
      guard let start = start(ofTemporary: name), starts?.contains(start) ?? true else { continue }
      var status = stat()
      guard stat("\(directory)/\(name)", &status) == 0, status.st_mtim.tv_sec < time(nil) - 3600 else { continue }
      unlink("\(directory)/\(name)")
    }
  }

  /// The length of the part of a name that a temporary name contains, in bytes; a name has at most 255.
  private static let keptLength = 200

  /// The first part of the temporary names of a file, which the process id and a random number follow.
  private static func start(of name: String) -> String {
    var kept = ""
    for scalar in name.unicodeScalars {
      guard kept.utf8.count + UTF8.width(scalar) <= keptLength else { break }
      kept.unicodeScalars.append(scalar)
    }
    return ".\(kept)."
  }

  /// The first part of a temporary name; nil for any other name.
  private static func start(ofTemporary name: String) -> String? {
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    guard name.hasPrefix("."), parts.count >= 4, parts.suffix(2).allSatisfy({ UInt64($0) != nil }) else { return nil }
    return parts.dropLast(2).joined(separator: ".") + "."
  }
}
