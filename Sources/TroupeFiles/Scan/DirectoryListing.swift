internal import Glibc
internal import TroupeBase

/// An open directory and its plugin files. Closed with the last reference.
package final class Directory: Sendable {
  /// A file in a directory.
  package struct File {
    /// The path; with replacement characters if the name is not UTF-8.
    let path: String
    /// The byte offset of the name in the path.
    let nameStart: Int
    /// Whether the name is UTF-8, so that the path is correct.
    let isReachable: Bool

    /// The name of the file.
    var name: String { String(path[path.utf8.index(path.startIndex, offsetBy: nameStart)...]) }
  }

  private let descriptor: FileDescriptor
  /// The prefix of the path of each file.
  private let prefix: String
  private let names: FileNames

  /// Reads a directory. Throws a `SystemError` if it cannot be read.
  ///
  /// - Parameters:
  ///   - location: The directory.
  ///   - path: The beginning of the paths of its files, another path of the directory.
  init(_ location: TrustedPath.Location, path: String) throws(SystemError) {
    descriptor = try location.directory.openFile(location.name, O_RDONLY | O_DIRECTORY)
    prefix = Self.prefix(path)
    names = try Self.names(descriptor)
  }

  /// Opens a file. Throws a `SystemError`; `ELOOP` for a link.
  func open(_ file: File, _ flags: Int32) throws(SystemError) -> FileDescriptor {
    try FileDescriptor(openingEntry: file.path, from: file.nameStart, of: descriptor, flags)
  }

  /// The number of files whose names end in `.so` or `.troupe.json` and do not begin with a dot.
  var count: Int { names.count }

  /// The file at an index. Files are sorted by name bytewise.
  subscript(index: Int) -> File {
    let (name, nameStart) = (names[index], prefix.utf8.count)
    let path = String(unsafeUninitializedCapacity: nameStart + name.count) { bytes in
      let end = bytes.initialize(fromContentsOf: prefix.utf8)
      return bytes[end...].initialize(fromContentsOf: name)
    }
    // The path has replacement characters if the name is not UTF-8.
    let isReachable = (try? UTF8Span(validating: name.span)) != nil
    return File(path: path, nameStart: nameStart, isReachable: isReachable)
  }

  /// The prefix of the paths of the files in a directory: its path with a final slash.
  static func prefix(_ path: String) -> String { path.utf8.last == UInt8(ascii: "/") ? path : path + "/" }

  private static let suffixes = [".so", PluginFileName.adoptionSuffix].map { Array($0.utf8) }

  /// The rule of the names of plugin files, for users.
  package static let nameRule = "hosts read only files whose names end in .so or .troupe.json and do not begin with a dot"

  /// Whether hosts read the files with a name.
  package static func isPluginName(_ name: some Collection<UInt8>) -> Bool {
    name.first != UInt8(ascii: ".") && suffixes.contains { name.suffix($0.count).elementsEqual($0) }
  }

  private static func names(_ descriptor: borrowing FileDescriptor) throws(SystemError) -> FileNames {
    // The stream closes its descriptor.
    let copy = fcntl(descriptor.number, F_DUPFD_CLOEXEC, 0)
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
        if isPluginName(name) { names.append(name) }
      }
      errno = 0
    }
    guard errno == 0 else { throw SystemError(code: errno) }
    names.sort()
    return names
  }
}

extension DirectoryListing {
  /// Returns the names of all entries of a directory, except for `.` and `..`, in no particular order. Names that are not UTF-8 contain
  /// replacement characters. Throws a `SystemError` if the directory cannot be opened.
  package static func names(in directory: String) throws(SystemError) -> [String] {
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
