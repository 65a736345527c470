package import Glibc

/// Atomic replacement of files: after a crash, a file has its old or its new content.
package enum AtomicFile {
  /// Replaces a file: writes a temporary file beside it, flushes it to the disk, and renames it.
  ///
  /// - Parameters:
  ///   - directoryMode: The permissions of missing parent directories, which are created.
  ///   - ownsDirectory: Whether this function writes all files in the directory. If so, it also removes stale temporary files of other
  ///     files there.
  /// - Throws: A `SystemError`; `EFBIG` if the size exceeds the limit of the process. The file is unchanged then.
  package static func write(
    _ bytes: [UInt8], to path: String, mode: mode_t = 0o600, directoryMode: mode_t = 0o700, ownsDirectory: Bool = false
  ) throws(SystemError) {
    try FileSizeLimit.check(UInt64(bytes.count))
    let directory = Path.directory(of: path)
    try makeDirectory(directory, directoryMode)
    removeLeftovers(of: ownsDirectory ? nil : path, in: directory)
    // The name is unique among processes that write the same file.
    let temporary = "\(directory)/.\(Path.lastComponent(of: path)).\(getpid()).\(UInt64.random(in: 0...UInt64.max))"
    let file = try FileDescriptor(opening: temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: mode)
    do throws(SystemError) {
      try file.write(bytes)
      guard fsync(file.number) == 0, rename(temporary, path) == 0 else { throw SystemError(code: errno) }
    } catch {
      unlink(temporary)
      throw error
    }
    // Flushes the new directory entry to the disk.
    if let folder = try? FileDescriptor(opening: directory, O_RDONLY | O_DIRECTORY) { fsync(folder.number) }
  }

  /// Removes temporary files that a terminated process left behind: those of a file, or all. A file counts as stale after an hour
  /// without a write.
  private static func removeLeftovers(of path: String?, in directory: String) {
    let start = path.map { ".\(Path.lastComponent(of: $0))." } ?? "."
    for name in (try? Directory.names(in: directory)) ?? [] {
      var status = stat()
      guard name.hasPrefix(start), isTemporary(name), stat("\(directory)/\(name)", &status) == 0,
        status.st_mtim.tv_sec < time(nil) - 3600
      else { continue }
      unlink("\(directory)/\(name)")
    }
  }

  /// Whether a name has the suffix of a temporary file: a process id and a random number.
  private static func isTemporary(_ name: String) -> Bool {
    let parts = name.split(separator: ".", omittingEmptySubsequences: false).suffix(2)
    return parts.count == 2 && parts.allSatisfy { UInt64($0) != nil }
  }

  /// Creates a directory and its missing parents.
  package static func makeDirectory(_ path: String, _ mode: mode_t) throws(SystemError) {
    if mkdir(path, mode) == 0 || errno == EEXIST { return }
    guard errno == ENOENT, path != "/", path != "." else { throw SystemError(code: errno) }
    try makeDirectory(Path.directory(of: path), mode)
    guard mkdir(path, mode) == 0 || errno == EEXIST else { throw SystemError(code: errno) }
  }
}
