internal import Glibc
package import TroupeFiles

/// The directory of a site. Replaces and removes files of earlier catalogs, and never any other file.
///
/// The file `catalog-files.txt` lists the files of the site and marks the directory as that of a catalog. It is written before the pages,
/// with the old and the new ones, and again after them, so that the next run cleans up after an interrupted one. Each file is replaced
/// atomically: a visitor sees its old or its new content.
package struct SiteDirectory {
  private static let list = "catalog-files.txt"
  private static let heading = "# The files of this catalog, which troupe catalog writes and removes."
  private static let pluginDirectory = "plugins"

  private let path: String
  /// The pages of plugins in the directory, by earlier lists.
  private let oldPages: [String]

  /// Opens the directory of an earlier catalog, or creates a directory. Throws a `Diagnosis` if it contains other files only.
  package init(_ path: String) throws(Diagnosis) {
    self.path = path
    do throws(SystemError) {
      try AtomicFile.makeDirectory(path, 0o777)
    } catch {
      throw Self.failure(path, error)
    }
    let names: [String]
    do throws(SystemError) {
      names = try Path.entries(in: path)
    } catch {
      throw Self.failure(path, error)
    }
    if names.contains(Self.list) {
      oldPages = try Self.pages(listedIn: "\(path)/\(Self.list)")
    } else if let name = names.sorted().first(where: { !$0.hasPrefix(".") }) {
      throw Diagnosis(
        .usage, path, problem: "contains files such as \(name) and is no catalog", remedy: "name a new or an empty directory")
    } else {
      oldPages = []
    }
  }

  /// Writes the files, and removes the pages of plugins that an earlier catalog has and this one has not. Throws a `Diagnosis`.
  package func write(_ files: [SiteFile]) throws(Diagnosis) {
    let paths = files.map(\.path)
    // First with both, so that the next catalog removes the pages of an interrupted one.
    try write(list: Set(paths).union(oldPages))
    try makeDirectory(Self.pluginDirectory)
    PartialFile.removeStale(in: path, of: paths.filter { !$0.contains("/") } + [Self.list])
    PartialFile.removeStale(in: "\(path)/\(Self.pluginDirectory)", of: nil)
    // On one thread, since several would wait for the lock of the directory.
    for file in files { try replace(file.path, file.bytes) }
    try removePages(Set(oldPages).subtracting(paths))
    try write(list: Set(paths))
  }

  private func write(list paths: Set<String>) throws(Diagnosis) {
    try replace(Self.list, Array((([Self.heading] + paths.sorted()).joined(separator: "\n") + "\n").utf8))
  }

  private func makeDirectory(_ directory: String) throws(Diagnosis) {
    do throws(SystemError) {
      try AtomicFile.makeDirectory("\(path)/\(directory)", 0o777)
    } catch {
      throw Self.failure("\(path)/\(directory)", error)
    }
    var status = stat()
    guard lstat("\(path)/\(directory)", &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
      throw Diagnosis(
        .usage, "\(path)/\(directory)", problem: "is a link, or no directory", remedy: "remove it, or name another directory")
    }
  }

  /// Replaces a file. Skips equal files: some file systems flush on rename. Does not call fsync: the next run rewrites files that a crash
  /// damaged.
  private func replace(_ name: String, _ bytes: [UInt8]) throws(Diagnosis) {
    let file = "\(path)/\(name)"
    if (try? Self.content(file)) == bytes { return }
    do throws(SystemError) {
      let partial = try PartialFile(for: file, mode: 0o666)
      try partial.file.write(bytes)
      try partial.complete()
    } catch {
      throw Self.failure(file, error)
    }
  }

  private func removePages(_ paths: Set<String>) throws(Diagnosis) {
    for page in paths.sorted() {
      guard unlink("\(path)/\(page)") != 0, errno != ENOENT else { continue }
      throw Self.failure("\(path)/\(page)", SystemError(code: errno))
    }
  }

  /// Reads the pages of plugins in a list. Ignores all other paths: a list of unknown origin must not name files outside the site.
  private static func pages(listedIn list: String) throws(Diagnosis) -> [String] {
    let bytes: [UInt8]?
    do throws(SystemError) {
      bytes = try content(list)
    } catch {
      throw failure(list, error)
    }
    guard let bytes else {
      throw Diagnosis(.usage, list, problem: "is no regular file", remedy: "remove it, or name another directory")
    }
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init).filter { path in
      let parts = path.split(separator: "/", omittingEmptySubsequences: false)
      return parts.count == 2 && parts[0] == pluginDirectory && parts[1].hasSuffix(".html") && !parts[1].hasPrefix(".")
    }
  }

  /// Returns the content of a regular file; nil for any other file, such as a pipe, which could block.
  private static func content(_ path: String) throws(SystemError) -> [UInt8]? {
    let file = try FileDescriptor(opening: path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    guard try file.status().st_mode & S_IFMT == S_IFREG else { return nil }
    return try file.readToEnd()
  }

  private static func failure(_ path: String, _ error: SystemError) -> Diagnosis {
    let isForbidden = [EACCES, EPERM, EROFS].contains(error.code)
    return Diagnosis(
      isForbidden ? .notPermitted : .inputOutput, path, problem: "cannot be written: \(error)",
      remedy: "name a directory that you can write with -o")
  }
}
