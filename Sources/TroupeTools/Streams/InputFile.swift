internal import Glibc
package import TroupeHost

/// A file to read from start to end. `-` is standard input.
package struct InputFile: Sendable {
  /// The path, as the user wrote it.
  package let path: String
  /// The absolute path: a plugin may change the current directory.
  private let absolutePath: String
  /// The file at the path when the command started; nil for standard input.
  let identity: FileIdentity?

  static let standardInput = InputFile(path: "-", absolutePath: "-", identity: nil)

  private init(path: String, absolutePath: String, identity: FileIdentity?) {
    (self.path, self.absolutePath, self.identity) = (path, absolutePath, identity)
  }

  /// Returns the files that operands name, or standard input without operands. Throws a `Diagnosis` for an unreadable file, before the
  /// command reads any.
  ///
  /// - Parameter mayFail: True to accept unreadable files, which then fail alone when they are read.
  package static func named(_ operands: [String], mayFail: Bool = false) throws(Diagnosis) -> [InputFile] {
    guard !operands.isEmpty else { return [standardInput] }
    return try operands.map { path throws(Diagnosis) in
      guard path != standardInput.path else { return standardInput }
      guard !path.isEmpty else { throw Diagnosis(.usage, "FILE", problem: "is empty", remedy: "name a file") }
      var status = stat()
      let isPresent = stat(path, &status) == 0
      if !mayFail {
        if !isPresent || access(path, R_OK) != 0 { throw failure(path, errno) }
        if status.st_mode & S_IFMT == S_IFDIR { throw failure(path, EISDIR) }
      }
      do throws(SystemError) {
        return InputFile(
          path: path, absolutePath: try Path.absolute(path), identity: isPresent ? FileIdentity(status) : nil)
      } catch {
        throw failure(path, error.code)
      }
    }
  }

  /// Opens the file for the time of a closure. Throws the error of the closure or a `Diagnosis`.
  func reading(_ body: (ByteStream) throws -> Void) throws {
    if path == Self.standardInput.path { return try body(.input) }
    let file: FileDescriptor
    do throws(SystemError) {
      file = try FileDescriptor(opening: absolutePath, O_RDONLY)
    } catch {
      throw Self.failure(path, error.code)
    }
    try body(ByteStream(descriptor: file.rawValue, name: path))
  }

  /// Nil unless the file is still a regular file.
  var modificationTime: timespec? {
    var status = stat()
    return stat(absolutePath, &status) == 0 && status.st_mode & S_IFMT == S_IFREG ? status.st_mtim : nil
  }

  private static let maximumSize = 1 << 31

  /// Reads all bytes of the file. Throws a `Diagnosis` if it cannot be read, has more than 2 GiB, or is a device, which may have
  /// no end.
  package func content() throws -> [UInt8] {
    var content: [UInt8] = []
    try reading { stream in
      if path != Self.standardInput.path, stream.isDevice {
        throw Diagnosis(
          .unreadable, path, problem: "is a device", remedy: "name a regular file or a pipe, or write @- for standard input")
      }
      content = try stream.content(limit: Self.maximumSize)
    }
    return content
  }

  private static func failure(_ path: String, _ code: Int32) -> Diagnosis {
    let error = SystemError(code: code)
    return Diagnosis(
      error.fileCode(else: .unreadable), path, problem: "cannot be read: \(error)", remedy: error.fileRemedy ?? "")
  }
}
