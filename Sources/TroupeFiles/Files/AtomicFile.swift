internal import Glibc
internal import TroupeBase

/// Replaces files atomically: after a crash or kill -9, a file has its old or its new content.
///
///     .registry.4711.83….troupe-partial   write, fsync
///     registry                            rename over the old file, fsync of the directory
package enum AtomicFile {
  /// - Parameters:
  ///   - directoryMode: The permissions of missing parent directories, which are created.
  ///   - ownsDirectory: Pass true if all files in the directory are written by this function. It then removes stale temporary files of
  ///     other files as well.
  /// - Throws: A `SystemError`; `EFBIG` if the size exceeds the limit of the process. The file is unchanged then.
  package static func write(
    _ bytes: [UInt8], to path: String, mode: UInt32 = 0o600, directoryMode: UInt32 = 0o700, ownsDirectory: Bool = false
  ) throws(SystemError) {
    try FileSizeLimit.check(UInt64(bytes.count))
    let directory = Path.directory(of: path)
    try makeDirectory(directory, directoryMode)
    PartialFile.removeStale(in: directory, of: ownsDirectory ? nil : [Path.lastComponent(of: path)])
    let partial = try PartialFile(for: path, mode: mode)
    try partial.file.write(bytes)
    guard fsync(partial.file.rawValue) == 0 else { throw SystemError(code: errno) }
    try partial.complete()
    // Flushes the new directory entry to the disk.
    if let parent = try? FileDescriptor(opening: directory, O_RDONLY | O_DIRECTORY) { fsync(parent.rawValue) }
  }

  package static func makeDirectory(_ path: String, _ mode: UInt32) throws(SystemError) {
    if mkdir(path, mode) == 0 || errno == EEXIST { return }
    guard errno == ENOENT, path != "/", path != "." else { throw SystemError(code: errno) }
    try makeDirectory(Path.directory(of: path), mode)
    guard mkdir(path, mode) == 0 || errno == EEXIST else { throw SystemError(code: errno) }
  }
}

/// A file that appears under its path when it is complete. Until then it has a temporary name in the same directory.
///
/// The deinitializer removes the temporary file, unless `complete()` has succeeded. A process that is killed leaves it behind for
/// `removeStale`.
package struct PartialFile: ~Copyable {
  /// Open for writing until `complete()`.
  package private(set) var file: FileDescriptor
  package let temporaryPath: String
  private let path: String
  private var isComplete = false

  /// The directory must exist.
  package init(for path: String, mode: UInt32) throws(SystemError) {
    self.path = path
    // The name is unique among processes that write the same file.
    let name = "\(Self.start(of: Path.lastComponent(of: path)))\(getpid()).\(UInt64.random(in: 0...UInt64.max)).\(Self.mark)"
    temporaryPath = "\(Path.directory(of: path))/\(name)"
    file = try FileDescriptor(opening: temporaryPath, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: mode)
  }

  /// Closes the file and renames it to the path, which replaces the file there. Does not flush it to the disk. If this throws, the former
  /// file is unchanged.
  package consuming func complete() throws(SystemError) {
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
  /// - Parameter names: The names of the complete files. Nil stands for all.
  package static func removeStale(in directory: String, of names: [String]?) {
    let starts = names.map { Set($0.map { Path.key(start(of: $0)) }) }
    for name in (try? Path.entries(in: directory)) ?? [] {
      guard let start = start(ofTemporary: name), starts?.contains(start) ?? true else { continue }
      let path = "\(directory)/\(name)"
      guard let status = try? Path.status(path, followsLinks: false), status.kind == S_IFREG, status.st_uid == geteuid(),
        status.st_mtim.tv_sec < time(nil) - 3600
      else { continue }
      unlink(path)
    }
  }

  /// All temporary names end with it.
  private static let mark = "troupe-partial"
  /// A temporary name contains at most this part of the name, in bytes. The system allows names of 255.
  private static let keptLength = 200

  /// The first part of the temporary names of a file. The PID, a random number and the mark follow.
  private static func start(of name: String) -> String {
    var kept = ""
    for scalar in name.unicodeScalars {
      guard kept.utf8.count + UTF8.width(scalar) <= keptLength else { break }
      kept.unicodeScalars.append(scalar)
    }
    return ".\(kept)."
  }

  /// Returns nil for any other name.
  private static func start(ofTemporary name: String) -> [UInt8]? {
    let parts = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    let isNumber = { (part: Substring.UTF8View) in UInt64(Substring(part)) != nil }
    guard parts.count >= 5, parts[0].isEmpty, parts.suffix(3).dropLast().allSatisfy(isNumber),
      parts[parts.count - 1].elementsEqual(mark.utf8)
    else { return nil }
    return Array(parts.dropLast(3).joined(separator: [UInt8(ascii: ".")])) + [UInt8(ascii: ".")]
  }
}

/// The largest file that this process may write (`ulimit -f`; setrlimit(2)).
package enum FileSizeLimit {
  /// Throws `EFBIG` if a file of that many bytes exceeds the limit. A write beyond the limit raises SIGXFSZ, which
  /// ends the process by default. The host does not change the signal handlers of the program that embeds it.
  package static func check(_ count: UInt64) throws(SystemError) {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0, count > limit.rlim_cur else { return }
    throw SystemError(code: EFBIG)
  }
}
