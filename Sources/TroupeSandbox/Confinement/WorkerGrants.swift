internal import CLinux
internal import Glibc
package import TroupeFiles

/// The files and directories that a policy grants, opened once, when the policy is made.
///
/// A path can lead elsewhere later: a plugin that may write to a directory can replace the entries of that directory by links.
/// So a worker gets no paths. It inherits these descriptors behind that of the channel, makes the rules of its policy from
/// them, and closes them before it opens a plugin.
package final class WorkerGrants: Sendable {
  package var paths: [String] { code.map(\.path) }
  /// The descriptors in this process, in ascending order. A worker has them in the same order from
  /// `ChildProcess.firstFurtherDescriptor` on.
  package let descriptors: [Int32]
  /// The descriptors in a worker, by the access that they grant.
  package let readable: [Int32]
  package let writable: [Int32]
  private let files: [SharedDescriptor]
  /// The plugins' files and libraries. A replaced one is noticed, see `replacedFile`.
  private let code: [(path: String, file: SharedDescriptor)]
  /// Why libraries that the loader would find are not granted.
  package let refusals: [Diagnosis]

  /// The directories of the system's libraries, which a worker may read with all that is in them.
  package static let systemDirectories = ["/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib"]

  private static let devices = ["/dev/null", "/dev/zero", "/dev/urandom", "/etc/ld.so.cache"]

  /// Opens the paths of a policy and of the system. Throws a `SystemError` if there is no descriptor left.
  ///
  /// - Parameters:
  ///   - plugins: The files of the plugins. One that has changed since grants nothing.
  ///   - libraries: The libraries outside of `systemDirectories` that the plugins need.
  package init(_ policy: WorkerPolicy, plugins: [FileState], _ libraries: NeededLibraries) throws(SystemError) {
    var readable: [SharedDescriptor] = []
    var writable: [SharedDescriptor] = []
    for path in Self.systemDirectories + Self.devices + policy.readable {
      if let file = try Self.open(path) { readable.append(file) }
    }
    var code = libraries.files.map { (path: $0.path, file: $0.descriptor) }
    for plugin in plugins {
      if let file = try Self.open(plugin.path, of: plugin.stamp) { code.append((plugin.path, file)) }
    }
    readable += code.map(\.file)
    for path in ["/dev/null"] + policy.writable {
      if let file = try Self.open(path) { writable.append(file) }
    }
    files = (readable + writable).sorted { $0.rawValue < $1.rawValue }
    descriptors = files.map(\.rawValue)
    // A worker has the descriptors in the same order, without gaps.
    let childDescriptors = Dictionary(zip(descriptors, ChildProcess.firstFurtherDescriptor...)) { first, _ in first }
    self.readable = readable.compactMap { childDescriptors[$0.rawValue] }
    self.writable = writable.compactMap { childDescriptors[$0.rawValue] }
    self.code = code
    refusals = libraries.refusals
  }

  /// The path of a plugin's file or library that leads to another file by now, or to none; nil if there is no such path. A
  /// worker may read only the file that was opened.
  package var replacedFile: String? {
    code.first { path, file in
      var status = stat()
      guard fstat(file.rawValue, &status) == 0, let present = FileStamp.of(path) else { return true }
      return (present.device, present.inode) != (UInt64(status.st_dev), UInt64(status.st_ino))
    }?.path
  }

  /// Opens a path with `O_PATH`, following links. Returns nil if there is nothing to grant.
  private static func open(_ path: String, of stamp: FileStamp? = nil) throws(SystemError) -> SharedDescriptor? {
    do throws(SystemError) {
      let file = try FileDescriptor(opening: path, linux_o_path)
      if let stamp, FileStamp(try file.status()) != stamp { return nil }
      // The lower descriptors are the standard streams and the channel in a worker.
      guard file.rawValue < ChildProcess.firstFurtherDescriptor else { return SharedDescriptor(file) }
      return SharedDescriptor(try file.copy(from: ChildProcess.firstFurtherDescriptor))
    } catch {
      guard [EMFILE, ENFILE, ENOMEM].contains(error.code) else { return nil }
      throw error
    }
  }
}
