internal import Glibc

/// An open directory and the plugin files in it. Closed when the last reference goes.
final class Directory: Sendable {
  /// A file in a directory.
  struct File {
    /// Its path; with marks in it where the name is not UTF-8.
    let path: String
    /// The last part of the path.
    let name: String
    /// Whether the name is UTF-8, so that the path leads to the file.
    let isReachable: Bool
  }

  /// What the system knows the directory as.
  let descriptor: Int32
  /// The files whose names end in `.so` or `.troupe.json` and do not begin with a dot, sorted by name bytewise.
  let files: [File]

  /// Opens and reads a directory. Throws a `SystemError` if it cannot be read.
  init(_ path: String) throws(SystemError) {
    let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw SystemError(code: errno) }
    do throws(SystemError) {
      let prefix = Self.prefix(path)
      files = try Self.names(descriptor).map { bytes in
        let valid = String(validating: bytes, as: UTF8.self)
        let name = valid ?? String(decoding: bytes, as: UTF8.self)
        return File(path: prefix + name, name: name, isReachable: valid != nil)
      }
    } catch {
      close(descriptor)
      throw error
    }
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  /// What the path of each file in a directory begins with.
  static func prefix(_ path: String) -> String { path.utf8.last == UInt8(ascii: "/") ? path : path + "/" }

  private static let suffixes = [".so", AdoptionFile.suffix].map { Array($0.utf8) }

  private static func names(_ descriptor: Int32) throws(SystemError) -> [[UInt8]] {
    // The stream takes its descriptor with it when it is closed.
    let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
    guard copy >= 0 else { throw SystemError(code: errno) }
    guard let stream = fdopendir(copy) else {
      let code = errno
      close(copy)
      throw SystemError(code: code)
    }
    defer { closedir(stream) }
    var names: [[UInt8]] = []
    errno = 0
    while let entry = readdir(stream) {
      let name: [UInt8]? = withUnsafeBytes(of: &entry.pointee.d_name) { tuple in
        let name = tuple.prefix { $0 != 0 }
        return name.first != UInt8(ascii: ".") && suffixes.contains { name.suffix($0.count).elementsEqual($0) }
          ? Array(name) : nil
      }
      if let name { names.append(name) }
      errno = 0
    }
    guard errno == 0 else { throw SystemError(code: errno) }
    names.sort(by: precedes)
    return names
  }

  /// Whether a name comes before another, byte by byte.
  private static func precedes(_ one: [UInt8], _ other: [UInt8]) -> Bool {
    let order = memcmp(one, other, min(one.count, other.count))
    return order == 0 ? one.count < other.count : order < 0
  }
}
