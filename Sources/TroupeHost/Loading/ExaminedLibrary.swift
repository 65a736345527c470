internal import Glibc

/// The library that was examined, opened once more right before the loader opens it: is it still the same, is somebody writing
/// it, and what is in it. One descriptor answers all of that.
final class ExaminedLibrary {
  /// What is in the file, which it keeps open.
  let bytes: FileBytes
  private let descriptor: Int32
  private let identity: PluginFile.Identity

  /// Opens the file. Nil if it cannot be opened any more.
  ///
  /// - Parameter library: The file, without links, and what told it from another.
  init?(_ library: (path: String, identity: PluginFile.Identity)) {
    // As whoever examined it: without O_NONBLOCK opening a named pipe would wait for somebody to write to it.
    descriptor = open(library.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    identity = library.identity
    bytes = FileBytes(descriptor: descriptor, size: UInt64(clamping: identity.size))
  }

  /// Whether the file is the one that was examined and has not been changed since.
  var isUnchanged: Bool {
    var status = stat()
    return fstat(descriptor, &status) == 0 && PluginFile.Identity(status) == identity
  }

  /// Whether a process has the file open for writing; see `PluginFile.isBeingWritten(_:patience:)`.
  func isBeingWritten(patience: Duration) -> Bool {
    withExtendedLifetime(bytes) { PluginFile.isBeingWritten(descriptor: descriptor, patience: patience) }
  }
}
