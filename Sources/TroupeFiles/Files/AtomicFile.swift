internal import Glibc
internal import TroupeBase

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
    _ bytes: [UInt8], to path: String, mode: UInt32 = 0o600, directoryMode: UInt32 = 0o700, ownsDirectory: Bool = false
  ) throws(SystemError) {
    try FileSizeLimit.check(UInt64(bytes.count))
    let directory = Path.directory(of: path)
    try makeDirectory(directory, directoryMode)
    PartialFile.removeStale(in: directory, of: ownsDirectory ? nil : [Path.lastComponent(of: path)])
    var partial = try PartialFile(for: path, mode: mode)
    try partial.file.write(bytes)
    guard fsync(partial.file.number) == 0 else { throw SystemError(code: errno) }
    try partial.complete()
    // Flushes the new directory entry to the disk.
    if let folder = try? FileDescriptor(opening: directory, O_RDONLY | O_DIRECTORY) { fsync(folder.number) }
  }

  /// Creates a directory and its missing parents.
  package static func makeDirectory(_ path: String, _ mode: UInt32) throws(SystemError) {
    if mkdir(path, mode) == 0 || errno == EEXIST { return }
    guard errno == ENOENT, path != "/", path != "." else { throw SystemError(code: errno) }
    try makeDirectory(Path.directory(of: path), mode)
    guard mkdir(path, mode) == 0 || errno == EEXIST else { throw SystemError(code: errno) }
  }
}
