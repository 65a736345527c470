internal import Foundation
internal import Synchronization

/// A directory of a test's own, removed with the last reference.
public final class TemporaryDirectory: Sendable {
  /// Its absolute path, without a slash behind it.
  public let path: String

  /// Makes an empty directory that nobody else may write to.
  public init() throws {
    path = FileManager.default.temporaryDirectory.path + "/troupe-test-" + UUID().uuidString
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
  }

  /// Makes a directory for as long as the process, for what several tests share.
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

  /// The path of a file in it.
  public func file(_ name: String) -> String { path + "/" + name }

  /// Writes a file and returns its path.
  @discardableResult
  public func write(_ name: String, _ bytes: some Sequence<UInt8>) throws -> String {
    try writeFile(file(name), bytes)
    return file(name)
  }
}

/// Writes a file. No program that another test starts meanwhile inherits it, unlike a file that Foundation writes.
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
