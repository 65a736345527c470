internal import CLinux
internal import Glibc
internal import Synchronization
internal import TroupeFiles

/// A copy of a file in memory that the loader can open and that no process can change, including this one.
///
/// The host hashes the copy that it opens. The copy lives as long as this object and as long as the loader maps it.
final class SealedCopy: @unchecked Sendable {
  // Sendable because its members are constant, and `bytes` is read only by the thread that makes the copy, before others have it.
  /// The path at which the loader can open the copy during the life of this object. No other copy in this process has had this path: for
  /// a path that it knows, the loader returns the open library.
  let path: String
  let stamp: FileStamp
  /// The content. Keeps the copy.
  let bytes: FileBytes

  /// Copies an open file, which it reads once from beginning to end.
  ///
  /// - Parameter name: The name of the copy in `/proc/self/maps`, `/memfd:NAME (deleted)`.
  /// - Throws: A `Diagnosis` without a subject.
  init(of file: RegularFile, name: String) throws(Diagnosis) {
    do throws(SystemError) {
      try FileSizeLimit.check(file.bytes.count)
    } catch {
      throw Self.failure("filled", error, remedy: "raise the limit for files (ulimit -f)")
    }
    let copy = try Self.memory(name)
    path = Self.path(of: copy.rawValue)
    try Self.fill(copy, from: file.bytes)
    do throws(SystemError) {
      stamp = FileStamp(try copy.status())
    } catch {
      throw Self.failure("filled", error)
    }
    guard linux_add_seals(copy.rawValue) == 0 else { throw Self.failure("sealed", SystemError(code: errno)) }
    bytes = FileBytes(copy, size: file.bytes.count)
    guard access(path, R_OK) == 0 else {
      throw Diagnosis(
        .notLoadable, problem: "cannot be opened as a copy: \(path) does not exist",
        remedy: "mount /proc, or let the host open the file itself"
      )
    }
  }

  private static func fill(_ copy: borrowing FileDescriptor, from bytes: FileBytes) throws(Diagnosis) {
    var offset: UInt64 = 0
    while offset < bytes.count {
      let piece: [UInt8]
      do {
        piece = try bytes.read(at: offset, count: Int(min(pieceSize, bytes.count - offset)))
      } catch {
        throw Diagnosis(.changed, problem: "cannot be copied: it \(error)", remedy: "retry after the change")
      }
      do throws(SystemError) {
        try copy.write(piece)
      } catch {
        throw failure("filled", error)
      }
      offset += UInt64(piece.count)
    }
  }

  private static let pieceSize: UInt64 = 1 << 18

  private static func failure(
    _ what: String, _ error: SystemError, remedy: String = "make memory available"
  ) -> Diagnosis {
    Diagnosis(
      .notLoadable, problem: "cannot be copied into memory, which could not be \(what): \(error)",
      remedy: "\(remedy), or let the host open the file itself")
  }
}

// MARK: - Memory that the loader can open

extension SealedCopy {
  private static func memory(_ name: String) throws(Diagnosis) -> FileDescriptor {
    let descriptor = linux_memfd_create(String(decoding: name.utf8.prefix(maximumNameLength), as: UTF8.self))
    guard descriptor >= 0 else {
      let error = SystemError(code: errno)
      guard error.code == EACCES else { throw failure("made", error) }
      throw Diagnosis(
        .notLoadable,
        problem: "cannot be copied into memory that may hold code, which this system forbids (vm.memfd_noexec is 2)",
        remedy: "set it to 1 with sysctl, or let the host open the file itself")
    }
    return FileDescriptor(owning: descriptor)
  }

  /// The largest length of a name for memfd_create(2), in bytes.
  private static let maximumNameLength = 249

  /// Returns a path to a descriptor with a spelling that no other copy has, from a counter.
  private static func path(of descriptor: Int32) -> String {
    let number = count.add(1, ordering: .relaxed).newValue
    return "\(descriptorDirectory)\(OpenedPaths.spelling(number))\(descriptor)"
  }

  /// The prefix of the paths of all copies.
  static let descriptorDirectory = "/proc/self/fd/"
  private static let count = Atomic<UInt64>(0)
}
