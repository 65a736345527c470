internal import Glibc
internal import TroupeBase

/// The processes that have a file open for writing and that this process may inspect; see proc(5).
///
/// Cost: some microseconds for each process and each of its descriptors.
struct FileWriters {
  /// A process that has the file open for writing.
  struct Writer: CustomStringConvertible {
    let process: Int32
    /// The name of its program.
    let name: String
    /// Whether it was forked and still runs the program of its parent.
    let isForked: Bool

    /// The process for the user, such as `the process 4711 (cp)`.
    var description: String { "the process \(process) (\(name.onOneLine))" }
  }

  private var writers: [Writer] = []

  /// Finds the processes that have the file behind a descriptor open for writing.
  init(of descriptor: Int32) {
    var status = stat()
    guard fstat(descriptor, &status) == 0, let processes = try? Path.entries(in: "/proc") else { return }
    for process in processes.compactMap(Int32.init) where Self.writes(process, status) {
      if let writer = Self.writer(process) { writers.append(writer) }
    }
  }

  /// The writer to report: preferably one that is not forked.
  var first: Writer? { writers.first { !$0.isForked } ?? writers.first }

  /// Whether there are writers, and all of them are forked processes that are about to run another program.
  var willRunAnotherProgram: Bool {
    !writers.isEmpty && writers.allSatisfy { $0.isForked && $0.process != getpid() }
  }

  private static func writes(_ process: Int32, _ file: stat) -> Bool {
    let folder = "/proc/\(process)/fd"
    return ((try? Path.entries(in: folder)) ?? []).contains { descriptor in
      var status = stat()
      return stat("\(folder)/\(descriptor)", &status) == 0 && status.st_dev == file.st_dev && status.st_ino == file.st_ino
        && isOpenForWriting("/proc/\(process)/fdinfo/\(descriptor)")
    }
  }

  /// Whether a descriptor is open for writing, by its `fdinfo` file.
  private static func isOpenForWriting(_ path: String) -> Bool {
    let line = ProcessStatus.text(path).split(separator: "\n").first { $0.utf8.starts(with: "flags:".utf8) }
    guard let flags = line.flatMap({ Int32($0.dropFirst("flags:".count).drop { $0 == "\t" }, radix: 8) }) else { return false }
    return flags & O_ACCMODE != O_RDONLY
  }

  /// A process by its `stat` file: its number, its name in parentheses, and numbers, of which the seventh holds flags.
  private static func writer(_ process: Int32) -> Writer? {
    let text = ProcessStatus.text("/proc/\(process)/stat")
    guard let start = text.firstIndex(of: "("), let end = text.lastIndex(of: ")") else { return nil }
    let numbers = text[text.index(after: end)...].split(separator: " ")
    guard numbers.count > 6, let flags = UInt32(numbers[6]) else { return nil }
    return Writer(
      process: process, name: String(text[text.index(after: start)..<end]), isForked: flags & forkedWithoutExec != 0)
  }

  /// `PF_FORKNOEXEC` in the kernel's linux/sched.h.
  private static let forkedWithoutExec: UInt32 = 0x40
}
