package import Glibc
internal import TroupeBase

/// An open regular file: a plugin's library, an adoption file, a file of pins. Closed with the last reference to its bytes.
///
/// A path can name anything, so the file is checked before it is opened and again after: opening a device can have an effect, and opening
/// a named pipe can wait for ever. Whether its content may be used is decided elsewhere, by `TrustedPath` and `Admission`. All errors are
/// diagnoses of the path, with a remedy.
package struct RegularFile {
  package var stamp: FileStamp { FileStamp(status) }

  package let status: stat
  /// Keeps the file open.
  package let bytes: FileBytes

  /// Follows links.
  ///
  /// - Parameter memory: Buffers to reuse.
  package init(path: String, memory: BufferPool = BufferPool()) throws(Diagnosis) {
    // Opening a device can have an effect, such as starting a watchdog.
    try Self.checkKind(Self.read(path, try Path.status(path)), path)
    try self.init(Self.read(path, try FileDescriptor(opening: path, Self.flags)), path, memory)
  }

  /// - Parameter path: The path that was followed, for diagnoses.
  init(_ location: TrustedPath.Location, path: String, memory: BufferPool = BufferPool()) throws(Diagnosis) {
    try Self.checkKind(Self.read(path, try location.directory.status(of: location.name)), path)
    try self.init(Self.read(path, try location.directory.openFile(location.name, Self.flags)), path, memory)
  }

  /// Returns nil for a link.
  init?(_ file: DirectoryListing.File, in directory: DirectoryListing, memory: BufferPool) throws(Diagnosis) {
    let descriptor: FileDescriptor
    do throws(SystemError) {
      descriptor = try directory.open(file, Self.flags)
    } catch {
      if error.code == ELOOP { return nil }
      throw Self.unreadable(file.path, code: error.code)
    }
    try self.init(descriptor, file.path, memory)
  }

  private init(_ descriptor: consuming FileDescriptor, _ path: String, _ memory: BufferPool) throws(Diagnosis) {
    do throws(SystemError) { status = try descriptor.status() } catch { throw Self.unreadable(path, code: error.code) }
    try Self.checkKind(status, path)
    bytes = FileBytes(descriptor, size: UInt64(status.st_size), memory: memory)
  }

  /// Returns a value, and converts the error to a diagnosis of the path.
  private static func read<Value: ~Copyable>(
    _ path: String, _ value: @autoclosure () throws(SystemError) -> Value
  ) throws(Diagnosis) -> Value {
    do throws(SystemError) { return try value() } catch { throw unreadable(path, code: error.code) }
  }

  private static func checkKind(_ status: stat, _ path: String) throws(Diagnosis) {
    guard status.kind != S_IFREG else { return }
    let kind = status.kind == S_IFDIR ? "a directory" : "not a regular file"
    throw Diagnosis(.unreadable, path, problem: "is \(kind)", remedy: removal)
  }

  // Without `O_NONBLOCK`, opening a named pipe would wait for a writer.
  static let flags = O_RDONLY | O_NONBLOCK

  private static let removal = "remove it or give it another name; a plugin is a shared library, or a file that adopts one"

  /// Explains the `errno` of an attempt to open a file.
  static func unreadable(_ path: String, code: Int32) -> Diagnosis {
    let isLink = (try? Path.status(path, followsLinks: false))?.kind == S_IFLNK
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

  /// Reads a file that this process or another one of the user has written, such as a cache. Returns nil if it is missing or longer than a
  /// limit, belongs to another user, or others may write to it.
  package static func own(_ path: String, maximumSize: Int) -> [UInt8]? {
    guard let file = try? RegularFile(path: path), file.isOwn, file.status.st_size <= maximumSize else { return nil }
    return try? file.content(path)
  }

  /// The file belongs to the user, and no other user may write to it.
  package var isOwn: Bool { status.st_uid == geteuid() && status.st_mode & (S_IWGRP | S_IWOTH) == 0 }

  /// Reads the whole file.
  package func content(_ path: String) throws(Diagnosis) -> [UInt8] {
    do throws(ReadError) {
      return try bytes.read(at: 0, count: Int(bytes.count))
    } catch {
      throw Diagnosis(.unreadable, path, problem: "\(error)", remedy: "retry after the file is complete")
    }
  }
}
