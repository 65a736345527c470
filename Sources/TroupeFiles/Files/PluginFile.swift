package import Glibc

/// An open plugin file. Closed with the last reference to its bytes.
package struct PluginFile {
  /// The reason why a file cannot be opened, as the end of a sentence that begins with the file.
  package struct Unreadable: Error {
    package let problem: String
    package let remedy: String
  }

  /// The identity and version of the file.
  package var identity: Identity { Identity(status) }

  /// The owner, mode and size of the file.
  package let status: stat
  /// The content of the file. Keeps the file open.
  package let bytes: FileBytes

  /// Opens a file, following links. Throws `Unreadable` if it does not exist, may not be read, or is not a regular file.
  ///
  /// - Parameter memory: Buffers to reuse.
  package init(path: String, memory: ReadMemory = ReadMemory()) throws(Unreadable) {
    let descriptor = open(path, Self.flags)
    guard descriptor >= 0 else { throw Self.unreadable(path, code: errno) }
    try self.init(descriptor: descriptor, path, memory)
  }

  /// Opens the file at the end of a path that was followed. Throws `Unreadable` as `init(path:memory:)` does.
  ///
  /// - Parameter path: The path that was followed, for the fault.
  init(_ location: TrustedPath.Location, path: String, memory: ReadMemory = ReadMemory()) throws(Unreadable) {
    let descriptor: Int32
    do {
      descriptor = try location.directory.openFile(location.name, Self.flags)
    } catch {
      throw Self.unreadable(path, code: error.code)
    }
    try self.init(descriptor: descriptor, path, memory)
  }

  /// Opens a file in a directory. Returns nil if it is a link. Throws `Unreadable` as `init(path:memory:)` does.
  init?(_ file: Directory.File, in directory: Directory, memory: ReadMemory) throws(Unreadable) {
    let descriptor = file.path.withCString { path in
      openat(directory.descriptor, path + file.nameStart, Self.flags | O_NOFOLLOW)
    }
    if descriptor < 0 && errno == ELOOP { return nil }
    guard descriptor >= 0 else { throw Self.unreadable(file.path, code: errno) }
    try self.init(descriptor: descriptor, file.path, memory)
  }

  /// Takes ownership of a descriptor. Closes it if the file is rejected.
  private init(descriptor: Int32, _ path: String, _ memory: ReadMemory) throws(Unreadable) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      let code = errno
      close(descriptor)
      throw Self.unreadable(path, code: code)
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      let kind = status.st_mode & S_IFMT == S_IFDIR ? "a directory" : "not a regular file"
      throw Unreadable(problem: "is \(kind)", remedy: "remove it or give it another name; \(Self.whatIs)")
    }
    self.status = status
    bytes = FileBytes(descriptor: descriptor, size: UInt64(status.st_size), memory: memory)
  }

  // Without `O_NONBLOCK`, opening a named pipe would wait for a writer.
  static let flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK

  private static let whatIs = "a plugin is a shared library, or a file that adopts one"

  /// The reason why a file cannot be opened, for the `errno` of the attempt.
  static func unreadable(_ path: String, code: Int32) -> Unreadable {
    var link = stat()
    let isLink = lstat(path, &link) == 0 && link.st_mode & S_IFMT == S_IFLNK
    return switch code {
    case ENOENT where isLink:
      Unreadable(problem: "is a link to a missing file", remedy: "remove the link or restore its target")
    case ELOOP: Unreadable(problem: "is a link that leads back to itself", remedy: "remove the link")
    case ENOENT: Unreadable(problem: "does not exist", remedy: "check the path")
    case EACCES: Unreadable(problem: "may not be read", remedy: "give yourself the permission, with chmod u+r for example")
    // The error of `open` for a socket.
    case ENXIO:
      Unreadable(problem: "is not a regular file", remedy: "remove it or give it another name; \(Self.whatIs)")
    default: Unreadable(problem: "cannot be opened: \(SystemError(code: code))", remedy: "check the file")
    }
  }
}
