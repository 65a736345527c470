internal import CLinux
internal import Glibc

/// Where file systems are mounted. The loader can map no code from one that is mounted with `noexec`.
package enum MountPoint {
  /// Returns the mount point of a file's file system if it is mounted with `noexec`.
  package static func withoutExecution(_ path: String) -> String? {
    guard let file = Path.resolved(path) else { return nil }
    var system = statvfs()
    guard statvfs(file, &system) == 0, system.f_flag & linux_st_noexec != 0 else { return nil }
    return top(of: file)
  }

  /// Returns the problem as a sentence without its end.
  package static func problem(of file: String, _ mount: String) -> String {
    "\(file) is on a file system that is mounted with noexec, \(mount)"
  }

  /// Returns the topmost directory above a file that is on the same file system.
  private static func top(of file: String) -> String {
    let device = FileStamp.of(file)?.device
    var top = file
    while top != "/", FileStamp.of(Path.directory(of: top))?.device == device { top = Path.directory(of: top) }
    return top
  }
}
