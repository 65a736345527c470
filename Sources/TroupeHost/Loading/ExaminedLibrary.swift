internal import Glibc
internal import TroupeFiles

/// The examined library, opened again right before the loader opens it. One descriptor serves to compare its stamp, to detect writers
/// and to read the content.
final class ExaminedLibrary {
  /// The content of the file. Keeps the file open.
  let bytes: FileBytes
  private let stamp: FileStamp

  /// Opens the file; nil if it cannot be opened any more.
  ///
  /// - Parameter library: The file, without links, and its stamp at the examination.
  init?(_ library: (path: String, stamp: FileStamp)) {
    // As in the examination: without O_NONBLOCK, opening a named pipe would wait for a writer.
    guard let file = try? FileDescriptor(opening: library.path, O_RDONLY | O_NONBLOCK) else { return nil }
    stamp = library.stamp
    bytes = FileBytes(file, size: UInt64(clamping: stamp.size))
  }

  /// Whether the file is the examined one and unchanged since.
  var isUnchanged: Bool { (try? bytes.descriptor.status()).map { FileStamp($0) } == stamp }

  /// Whether a process has the file open for writing; see `RegularFile.isBeingWritten(_:patience:)`.
  func isBeingWritten(patience: Duration) -> Bool {
    withExtendedLifetime(bytes) { RegularFile.isBeingWritten(descriptor: bytes.descriptor.rawValue, patience: patience) }
  }
}
