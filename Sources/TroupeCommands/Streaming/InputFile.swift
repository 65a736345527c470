internal import Glibc

/// A file that is read from its beginning to its end. `-` is standard input.
struct InputFile {
  /// The path, as the user wrote it.
  let path: String

  /// Standard input.
  static let standardInput = InputFile("-")

  private init(_ path: String) { self.path = path }

  /// The files that operands name, standard input if there are none. Throws a `CommandFailure` for one that cannot be read, so that
  /// nothing has been done by then.
  static func named(_ operands: [String]) throws(CommandFailure) -> [InputFile] {
    for path in operands where path != standardInput.path {
      var status = stat()
      if access(path, R_OK) != 0 { throw failure(path, errno) }
      if stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR { throw failure(path, EISDIR) }
    }
    return operands.isEmpty ? [standardInput] : operands.map(InputFile.init)
  }

  /// Opens the file for as long as a closure runs. Throws what that throws, or a `CommandFailure`.
  func reading(_ body: (ByteStream) throws -> Void) throws {
    if path == Self.standardInput.path { return try body(.input) }
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Self.failure(path, errno) }
    defer { close(descriptor) }
    try body(ByteStream(descriptor: descriptor, name: path))
  }

  private static func failure(_ path: String, _ code: Int32) -> CommandFailure {
    CommandFailure(code == EACCES ? .notPermitted : .noInput, "\(path): cannot be read: \(String(cString: strerror(code)))")
  }
}
