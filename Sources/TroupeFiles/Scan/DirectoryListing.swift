internal import Glibc
internal import TroupeBase

/// An open directory and the sorted names that its plugin files had when it was opened. Closed with the last reference.
///
/// A file is opened by its name relative to the open directory, so that a renamed directory on the path does not matter. A directory can
/// have many thousands of files, so the names are one block of bytes, and paths are created one at a time.
package final class DirectoryListing: Sendable {
  /// An entry of one listing, of any type of file. Only that listing opens it.
  package struct File {
    /// Contains replacement characters if the name is not UTF-8.
    let path: String
    /// The byte offset of the name in the path.
    let nameStart: Int
    /// False if the path has replacement characters, so that it cannot be opened.
    let isUTF8: Bool

    var name: String { String(path[path.utf8.index(path.startIndex, offsetBy: nameStart)...]) }
  }

  private let descriptor: FileDescriptor
  private let prefix: String
  private let names: FileNames

  /// - Parameter path: The path of the directory as it was named, which may have links; the location has none. The paths of its files begin with it.
  init(_ location: TrustedPath.Location, path: String) throws(SystemError) {
    descriptor = try location.directory.openFile(location.name, O_RDONLY | O_DIRECTORY)
    prefix = Path.withTrailingSlash(path)
    names = try Self.names(descriptor)
  }

  /// Throws `ELOOP` for a link.
  func open(_ file: File, _ flags: Int32) throws(SystemError) -> FileDescriptor {
    try FileDescriptor(openingEntry: file.path, from: file.nameStart, of: descriptor, flags)
  }

  var count: Int { names.count }

  /// Files are sorted by name bytewise.
  subscript(index: Int) -> File {
    let (name, nameStart) = (names[index], prefix.utf8.count)
    let path = String(unsafeUninitializedCapacity: nameStart + name.count) { bytes in
      let end = bytes.initialize(fromContentsOf: prefix.utf8)
      return bytes[end...].initialize(fromContentsOf: name)
    }
    return File(path: path, nameStart: nameStart, isUTF8: (try? UTF8Span(validating: name.span)) != nil)
  }

  private static func names(_ descriptor: borrowing FileDescriptor) throws(SystemError) -> FileNames {
    // The stream closes its descriptor.
    let copy = fcntl(descriptor.rawValue, F_DUPFD_CLOEXEC, 0)
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
        if PluginFileName.isValid(name) { names.append(name) }
      }
      errno = 0
    }
    guard errno == 0 else { throw SystemError(code: errno) }
    names.sort()
    return names
  }
}

/// A list of file names in one block of memory.
///
/// Sorting compares two integers in most cases, since most names differ in their first eight bytes.
struct FileNames: RandomAccessCollection, Sendable {
  private struct Name {
    /// The first eight bytes as a big-endian number, which sorts like the name.
    let beginning: UInt64
    let start, count: Int
  }

  private var bytes: [UInt8] = []
  private var slots: [Name] = []

  var startIndex: Int { 0 }
  var endIndex: Int { slots.count }

  subscript(index: Int) -> ArraySlice<UInt8> {
    let slot = slots[index]
    return bytes[slot.start..<slot.start + slot.count]
  }

  /// A name must not contain NUL.
  mutating func append(_ name: some Collection<UInt8>) {
    var beginning: UInt64 = 0
    for byte in name.prefix(8) { beginning = beginning << 8 | UInt64(byte) }
    // Pads a short name with NUL, which sorts before every other byte.
    beginning <<= 8 * UInt64(8 - Swift.min(name.count, 8))
    slots.append(Name(beginning: beginning, start: bytes.count, count: name.count))
    bytes += name
  }

  /// Sorts bytewise.
  mutating func sort() {
    bytes.withUnsafeBufferPointer { bytes in
      guard let base = bytes.baseAddress else { return }
      slots.sort { one, other in
        if one.beginning != other.beginning { return one.beginning < other.beginning }
        let order = memcmp(base + one.start, base + other.start, Swift.min(one.count, other.count))
        return order == 0 ? one.count < other.count : order < 0
      }
    }
  }
}
