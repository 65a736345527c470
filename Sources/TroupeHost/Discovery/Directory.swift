internal import Glibc

/// An open directory and the plugin files in it. Closed when the last reference goes.
final class Directory: Sendable {
  /// A file in a directory.
  struct File {
    /// Its path; with marks in it where the name is not UTF-8.
    let path: String
    /// Where in the path its last part begins, in bytes.
    let nameStart: Int
    /// Whether the name is UTF-8, so that the path leads to the file.
    let isReachable: Bool

    /// The last part of the path.
    var name: String { String(path[path.utf8.index(path.startIndex, offsetBy: nameStart)...]) }
  }

  /// What the system knows the directory as.
  let descriptor: Int32
  /// What the path of each file begins with.
  private let prefix: String
  private let names: FileNames

  /// Reads a directory. Throws a `SystemError` if it cannot be read.
  ///
  /// - Parameters:
  ///   - location: The directory.
  ///   - path: The beginning of the paths of its files, another path of the directory.
  init(_ location: TrustedPath.Location, path: String) throws(SystemError) {
    let descriptor = try location.directory.openFile(location.name, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    do throws(SystemError) {
      prefix = Self.prefix(path)
      names = try Self.names(descriptor)
    } catch {
      close(descriptor)
      throw error
    }
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  /// The number of files whose names end in `.so` or `.troupe.json` and do not begin with a dot.
  var count: Int { names.count }

  /// One of these files, which are sorted by name bytewise.
  subscript(index: Int) -> File {
    let (name, nameStart) = (names[index], prefix.utf8.count)
    let path = String(unsafeUninitializedCapacity: nameStart + name.count) { bytes in
      let end = bytes.initialize(fromContentsOf: prefix.utf8)
      return bytes[end...].initialize(fromContentsOf: name)
    }
    // Bytes that are not UTF-8 have become others.
    let isReachable = (try? UTF8Span(validating: name.span)) != nil
    return File(path: path, nameStart: nameStart, isReachable: isReachable)
  }

  /// What the path of each file in a directory begins with.
  static func prefix(_ path: String) -> String { path.utf8.last == UInt8(ascii: "/") ? path : path + "/" }

  private static let suffixes = [".so", AdoptionFile.suffix].map { Array($0.utf8) }

  private static func names(_ descriptor: Int32) throws(SystemError) -> FileNames {
    // The stream takes its descriptor with it when it is closed.
    let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
    guard copy >= 0 else { throw SystemError(code: errno) }
    guard let stream = fdopendir(copy) else {
      let code = errno
      close(copy)
      throw SystemError(code: code)
    }
    defer { closedir(stream) }
    var names = FileNames()
    errno = 0
    while let entry = readdir(stream) {
      withUnsafeBytes(of: &entry.pointee.d_name) { tuple in
        let name = tuple.prefix { $0 != 0 }
        guard name.first != UInt8(ascii: "."), suffixes.contains(where: { name.suffix($0.count).elementsEqual($0) }) else {
          return
        }
        names.append(name)
      }
      errno = 0
    }
    guard errno == 0 else { throw SystemError(code: errno) }
    names.sort()
    return names
  }
}

extension Directory {
  /// The names of everything in a directory, in no order, but for the directory itself and the one above. Names that are not
  /// UTF-8 have marks in them. Throws a `SystemError` if it cannot be read.
  static func names(in directory: String) throws(SystemError) -> [String] {
    guard let stream = opendir(directory) else { throw SystemError(code: errno) }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if name != "." && name != ".." { names.append(name) }
    }
    return names
  }
}
