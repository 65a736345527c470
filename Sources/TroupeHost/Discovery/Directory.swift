internal import Glibc

/// A directory as a list of names.
enum Directory {
  /// A file in a directory.
  struct File {
    /// Its path; with marks in it where the name is not UTF-8.
    let path: String
    /// Whether the name is UTF-8, so that the path leads to the file.
    let isReachable: Bool
  }

  /// The files in a directory whose names end in `.so` or `.troupe.json` and do not begin with a dot, sorted by name bytewise.
  ///
  /// Throws a `SystemError` if the directory cannot be read.
  static func plugins(in directory: String) throws(SystemError) -> [File] {
    guard let stream = opendir(directory) else { throw SystemError(code: errno) }
    defer { closedir(stream) }
    let suffixes = [".so", AdoptionFile.suffix].map { Array($0.utf8) }
    var names: [[UInt8]] = []
    errno = 0
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { tuple in
        tuple.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: tuple.pointee)) { name in
          Array(UnsafeRawBufferPointer(start: name, count: strlen(name)))
        }
      }
      let isPlugin = suffixes.contains { name.suffix($0.count).elementsEqual($0) }
      if isPlugin, name.first != UInt8(ascii: ".") { names.append(name) }
      errno = 0
    }
    guard errno == 0 else { throw SystemError(code: errno) }
    let prefix = directory.utf8.last == UInt8(ascii: "/") ? directory : directory + "/"
    return names.sorted { $0.lexicographicallyPrecedes($1) }.map { name in
      File(path: prefix + String(decoding: name, as: UTF8.self), isReachable: String(validating: name, as: UTF8.self) != nil)
    }
  }
}
