internal import Glibc

/// A directory as a list of names.
enum Directory {
  /// The paths of the files in a directory whose names end in `.so`, sorted by name bytewise.
  ///
  /// Throws a `SystemError` if the directory cannot be read.
  static func libraries(in directory: String) throws(SystemError) -> [String] {
    guard let stream = opendir(directory) else { throw SystemError(code: errno) }
    defer { closedir(stream) }
    var names: [String] = []
    errno = 0
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { tuple in
        tuple.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: tuple.pointee)) { String(cString: $0) }
      }
      if name.hasSuffix(".so") && !name.hasPrefix(".") { names.append(name) }
      errno = 0
    }
    guard errno == 0 else { throw SystemError(code: errno) }
    let prefix = directory.hasSuffix("/") ? directory : directory + "/"
    return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.map { prefix + $0 }
  }
}
