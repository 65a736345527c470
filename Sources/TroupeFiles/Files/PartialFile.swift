internal import Glibc
internal import TroupeBase

/// A file that appears under its path when it is complete. Until then it has a temporary name in the same directory. The
/// deinitializer removes the temporary file, unless `complete()` has succeeded.
package struct PartialFile: ~Copyable {
  /// The file, open for writing until `complete()`.
  package private(set) var file: FileDescriptor
  /// The path of the temporary file.
  package let temporaryPath: String
  private let path: String
  private var isComplete = false

  /// Creates the temporary file in a directory that exists. Throws a `SystemError`.
  package init(for path: String, mode: UInt32) throws(SystemError) {
    self.path = path
    // The name is unique among processes that write the same file.
    let name = "\(Self.start(of: Path.lastComponent(of: path)))\(getpid()).\(UInt64.random(in: 0...UInt64.max)).\(Self.mark)"
    temporaryPath = "\(Path.directory(of: path))/\(name)"
    file = try FileDescriptor(opening: temporaryPath, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: mode)
  }

  /// Closes the file and renames it to the path, which replaces the file there. Does not flush it to the disk. Throws a `SystemError`;
  /// the former file is unchanged then.
  package mutating func complete() throws(SystemError) {
    try file.close()
    guard rename(temporaryPath, path) == 0 else { throw SystemError(code: errno) }
    isComplete = true
  }

  deinit {
    if !isComplete { unlink(temporaryPath) }
  }

  /// Removes the temporary files that ended processes of this user left in a directory. A file counts as stale after an hour without a
  /// write.
  ///
  /// - Parameter names: The names of the complete files; nil for all.
  package static func removeStale(in directory: String, of names: [String]?) {
    let starts = names.map { Set($0.map { Path.key(start(of: $0)) }) }
    for name in (try? Path.entries(in: directory)) ?? [] {
      guard let start = start(ofTemporary: name), starts?.contains(start) ?? true else { continue }
      var status = stat()
      let path = "\(directory)/\(name)"
      guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(),
        status.st_mtim.tv_sec < time(nil) - 3600
      else { continue }
      unlink(path)
    }
  }

  /// The end of all temporary names.
  private static let mark = "troupe-partial"
  /// The length of the part of a name that a temporary name contains, in bytes; a name has at most 255.
  private static let keptLength = 200

  /// The first part of the temporary names of a file. The process id, a random number and the mark follow.
  private static func start(of name: String) -> String {
    var kept = ""
    for scalar in name.unicodeScalars {
      guard kept.utf8.count + UTF8.width(scalar) <= keptLength else { break }
      kept.unicodeScalars.append(scalar)
    }
    return ".\(kept)."
  }

  /// The bytes of the first part of a temporary name; nil for any other name.
  private static func start(ofTemporary name: String) -> [UInt8]? {
    let parts = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    let isNumber = { (part: Substring.UTF8View) in UInt64(Substring(part)) != nil }
    guard parts.count >= 5, parts[0].isEmpty, parts.suffix(3).dropLast().allSatisfy(isNumber),
      parts[parts.count - 1].elementsEqual(mark.utf8)
    else { return nil }
    return Array(parts.dropLast(3).joined(separator: [UInt8(ascii: ".")])) + [UInt8(ascii: ".")]
  }
}
