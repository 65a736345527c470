internal import Glibc

/// What belongs to a whole process, so that a plugin that changes it does so to everybody in it.
struct ProcessState {
  private let handlers: [UInt]
  private let locale: String
  private let directory: String
  private let mask: mode_t
  private let rounding: Int32
  private let hasTimer: Bool
  /// What some descriptors lead to, by their numbers.
  private let descriptors: [(number: Int32, file: FileKey?)]
  /// The threads of the process.
  let threads: Set<String>

  /// What tells an open file from another.
  private struct FileKey: Equatable {
    let device, inode: UInt64

    /// Nil for a descriptor that is closed.
    init?(_ descriptor: Int32) {
      var status = stat()
      guard fstat(descriptor, &status) == 0 else { return nil }
      (device, inode) = (UInt64(status.st_dev), UInt64(status.st_ino))
    }
  }

  /// The state now.
  ///
  /// - Parameter descriptors: Those besides the standard streams that have to stay what they are.
  init(descriptors: [Int32]) {
    handlers = Self.signals.map(Self.handler)
    locale = setlocale(LC_ALL, nil).map { String(cString: $0) } ?? ""
    directory =
      getcwd(nil, 0).map { path in
        defer { free(path) }
        return String(cString: path)
      } ?? ""
    // There is no way to look at it but to set it.
    let mask = umask(0o77)
    umask(mask)
    self.mask = mask
    rounding = fegetround()
    var timer = itimerval()
    hasTimer =
      getitimer(Int32(ITIMER_REAL.rawValue), &timer) == 0 && (timer.it_value.tv_sec != 0 || timer.it_value.tv_usec != 0)
    self.descriptors = ([STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] + descriptors).map { ($0, FileKey($0)) }
    threads = Set(Self.entries("/proc/self/task"))
  }

  /// What was done to the process between this state and a later one, each as the end of a sentence.
  func changes(in later: ProcessState) -> [String] {
    var changes: [String] = []
    for (index, signal) in Self.signals.enumerated() where handlers[index] != later.handlers[index] {
      changes.append("changes the handler of \(SignalName.of(signal))")
    }
    if locale != later.locale { changes.append("changes the locale") }
    if directory != later.directory { changes.append("changes the working directory") }
    if mask != later.mask { changes.append("changes the mask of permissions of new files") }
    if rounding != later.rounding { changes.append("changes how floating-point numbers are rounded") }
    if !hasTimer && later.hasTimer { changes.append("starts the timer of the process") }
    if zip(descriptors, later.descriptors).contains(where: { $0.file != $1.file }) { changes.append(Self.closing) }
    return changes
  }

  /// What is said of somebody who closes descriptors.
  static let closing = "closes descriptors that are not its own"

  /// Whether the process has started others that it has not waited for.
  static var hasChildren: Bool {
    var information = siginfo_t()
    return waitid(P_ALL, 0, &information, WEXITED | WNOHANG | WNOWAIT) == 0 || errno != ECHILD
  }

  /// Every signal that can have a handler.
  private static let signals: [Int32] = (1...64).filter { $0 != SIGKILL && $0 != SIGSTOP && !(32...33).contains($0) }

  /// What is done about a signal, as a number; 0 for the default.
  private static func handler(_ signal: Int32) -> UInt {
    var action = sigaction()
    guard sigaction(signal, nil, &action) == 0 else { return 0 }
    return unsafeBitCast(action.__sigaction_handler.sa_handler, to: UInt.self)
  }

  private static func entries(_ directory: String) -> [String] {
    guard let stream = opendir(directory) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: $0.pointee)) { String(cString: $0) }
      }
      if !name.hasPrefix(".") { names.append(name) }
    }
    return names
  }
}
