package import Glibc
internal import TroupeBase

/// An open plugin file. Closed with the last reference to its bytes.
package struct PluginFile {
  /// Changes with every version of the file.
  package var stamp: FileStamp { FileStamp(status) }

  /// The owner, mode and size of the file.
  package let status: stat
  /// The content of the file. Keeps the file open.
  package let bytes: FileBytes

  /// Opens a file, following links. Throws a `Diagnosis` if it does not exist, may not be read, or is not a regular file.
  ///
  /// - Parameter memory: Buffers to reuse.
  package init(path: String, memory: BufferPool = BufferPool()) throws(Diagnosis) {
    // Opening a device can have an effect, such as starting a watchdog.
    try Self.checkKind(
      Self.reading(path) { () throws(SystemError) in
        var status = stat()
        guard stat(path, &status) == 0 else { throw SystemError(code: errno) }
        return status
      }, path)
    try self.init(
      Self.opening(path) { () throws(SystemError) in try FileDescriptor(opening: path, Self.flags) }, path, memory)
  }

  /// Opens the file at the end of a path that was followed. Throws what `init(path:memory:)` throws.
  ///
  /// - Parameter path: The path that was followed, for the fault.
  init(_ location: TrustedPath.Location, path: String, memory: BufferPool = BufferPool()) throws(Diagnosis) {
    try Self.checkKind(Self.reading(path) { () throws(SystemError) in try location.directory.status(of: location.name) }, path)
    let descriptor = try Self.opening(path) { () throws(SystemError) in
      try location.directory.openFile(location.name, Self.flags)
    }
    try self.init(descriptor, path, memory)
  }

  /// Opens a file in a directory. Returns nil if it is a link. Throws what `init(path:memory:)` throws.
  init?(_ file: DirectoryListing.File, in directory: Directory, memory: BufferPool) throws(Diagnosis) {
    let descriptor: FileDescriptor
    do throws(SystemError) {
      descriptor = try directory.open(file, Self.flags)
    } catch {
      if error.code == ELOOP { return nil }
      throw Self.unreadable(file.path, code: error.code)
    }
    try self.init(descriptor, file.path, memory)
  }

  private static func opening(
    _ path: String, _ open: () throws(SystemError) -> FileDescriptor
  ) throws(Diagnosis) -> FileDescriptor {
    do throws(SystemError) {
      return try open()
    } catch {
      throw unreadable(path, code: error.code)
    }
  }

  private init(_ descriptor: consuming FileDescriptor, _ path: String, _ memory: BufferPool) throws(Diagnosis) {
    status = try Self.reading(path) { () throws(SystemError) in try descriptor.status() }
    try Self.checkKind(status, path)
    bytes = FileBytes(descriptor, size: UInt64(status.st_size), memory: memory)
  }

  private static func reading(_ path: String, _ status: () throws(SystemError) -> stat) throws(Diagnosis) -> stat {
    do throws(SystemError) { return try status() } catch { throw unreadable(path, code: error.code) }
  }

  private static func checkKind(_ status: stat, _ path: String) throws(Diagnosis) {
    guard status.st_mode & S_IFMT != S_IFREG else { return }
    let kind = status.st_mode & S_IFMT == S_IFDIR ? "a directory" : "not a regular file"
    throw Diagnosis(.unreadable, path, problem: "is \(kind)", remedy: removal)
  }

  // Without `O_NONBLOCK`, opening a named pipe would wait for a writer.
  static let flags = O_RDONLY | O_NONBLOCK

  private static let removal = "remove it or give it another name; a plugin is a shared library, or a file that adopts one"

  /// The reason why a file cannot be opened, for the `errno` of the attempt.
  static func unreadable(_ path: String, code: Int32) -> Diagnosis {
    var link = stat()
    let isLink = lstat(path, &link) == 0 && link.st_mode & S_IFMT == S_IFLNK
    let (problem, remedy) =
      switch code {
      case ENOENT where isLink: ("is a link to a missing file", "remove the link or restore its target")
      case ELOOP: ("is a link that leads back to itself", "remove the link")
      case ENOENT: ("does not exist", "check the path")
      case EACCES: ("may not be read", AccessDenial(path)?.remedy ?? "name a file that you may read")
      case EILSEQ: ("leads to a name that is not UTF-8", "rename the target of the link")
      // The error of `open` for a socket.
      case ENXIO: ("is not a regular file", removal)
      default: ("cannot be opened: \(SystemError(code: code))", "check the file")
      }
    return Diagnosis(.unreadable, path, problem: problem, remedy: remedy)
  }

  /// Returns the whole content. Throws a `Diagnosis` if it cannot be read.
  package func content(_ path: String) throws(Diagnosis) -> [UInt8] {
    do throws(ReadError) {
      return try bytes.read(at: 0, count: Int(bytes.count))
    } catch {
      throw Diagnosis(.unreadable, path, problem: "\(error)", remedy: "retry after the file is complete")
    }
  }
}
