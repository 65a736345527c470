internal import CLinux
internal import Glibc

/// The file systems of files.
package enum MountPoint {
  /// Returns the directory at which the file system of a file is mounted, if it is mounted with `noexec`: the loader can map no code from
  /// it. Nil for any other file system, and if the file does not exist.
  package static func withoutExecution(_ path: String) -> String? {
    guard let file = Path.resolved(path) else { return nil }
    var system = statvfs()
    guard statvfs(file, &system) == 0, system.f_flag & linux_mount_without_execution != 0 else { return nil }
    return top(of: file)
  }

  /// The problem of a file on such a file system, as a sentence without its end.
  package static func problem(of file: String, _ mount: String) -> String {
    "\(file) is on a file system that is mounted with noexec, \(mount)"
  }

  /// The topmost directory above a file that is on the same file system.
  private static func top(of file: String) -> String {
    let device = FileStamp.of(file)?.device
    var top = file
    while top != "/", FileStamp.of(Path.directory(of: top))?.device == device { top = Path.directory(of: top) }
    return top
  }
}
