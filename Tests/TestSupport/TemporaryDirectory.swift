internal import Foundation
internal import Synchronization

/// A temporary directory of a test, removed with the last reference.
public final class TemporaryDirectory: Sendable {
  /// The absolute path, without a slash at the end.
  public let path: String

  /// Creates an empty directory that is writable by the user only.
  public init() throws {
    path = FileManager.default.temporaryDirectory.path + "/troupe-test-" + UUID().uuidString
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
  }

  /// Creates a directory that lives as long as the process, for files that several tests share.
  public static func untilExit() throws -> TemporaryDirectory {
    let directory = try TemporaryDirectory()
    let isFirst = lasting.withLock { paths in
      paths.append(directory.path)
      return paths.count == 1
    }
    if isFirst { atexit { TemporaryDirectory.removeLasting() } }
    return directory
  }

  private static let lasting = Mutex<[String]>([])

  private static func removeLasting() {
    for path in lasting.withLock({ $0 }) { try? FileManager.default.removeItem(atPath: path) }
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// Returns the path of a file in the directory.
  public func file(_ name: String) -> String { path + "/" + name }

  /// Writes a file and returns its path.
  @discardableResult
  public func write(_ name: String, _ bytes: some Sequence<UInt8>) throws -> String {
    try writeFile(file(name), bytes)
    return file(name)
  }
}

/// Writes a file. Unlike Foundation's writer, keeps programs that other tests start meanwhile from inheriting the file.
public func writeFile(_ path: String, _ bytes: some Sequence<UInt8>) throws {
  let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
  guard descriptor >= 0 else { throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: path]) }
  let file = FileHandle(fileDescriptor: descriptor)
  try file.write(contentsOf: Data(bytes))
  try file.close()
}

/// Writes a copy of a file, with the usual permissions, as `writeFile` does.
public func copyFile(_ path: String, to copy: String) throws {
  try writeFile(copy, Data(contentsOf: URL(filePath: path)))
}

/// Sets the permissions of a file or directory.
public func setMode(_ mode: Int, of path: String) throws {
  try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
}
