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

  /// Writes a file and gives its path, once nobody has it open for writing any more.
  ///
  /// A process that another test starts meanwhile has what this one has open until it becomes another program, which may take
  /// long on a machine that has much to do. A host would say that the file is still being written.
  @discardableResult
  public func write(_ name: String, _ bytes: some Sequence<UInt8>) throws -> String {
    try Data(bytes).write(to: URL(filePath: file(name)))
    let end = ContinuousClock.now + .seconds(10)
    while Self.isBeingWritten(file(name)), ContinuousClock.now < end { sched_yield() }
    return file(name)
  }

  /// Whether the system refuses a lease for reading because somebody has the file open for writing; see fcntl(2).
  private static func isBeingWritten(_ path: String) -> Bool {
    // F_SETLEASE and F_SETSIG, which Swift's Glibc does not show.
    let (setLease, setSignal): (Int32, Int32) = (1024, 10)
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    // Whoever breaks the lease has a signal sent that nobody notices who does not handle it.
    _ = fcntl(descriptor, setSignal, SIGURG)
    return fcntl(descriptor, setLease, Int32(F_RDLCK)) != 0 && errno == EAGAIN
  }
}
