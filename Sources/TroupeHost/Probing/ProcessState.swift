internal import CProbe
internal import Glibc

/// What belongs to a whole process, so that a plugin that changes it does so to everybody in it.
struct ProcessState {
  private let handlers: [UInt]
  private let locale: String
  private let directories: [FileKey?]
  private let mask: mode_t
  private let floats: Int32
  private let timers: [Bool]
  private let environment: Set<[UInt8]>
  private let blocked: [Bool]
  private let limits: [Limit]
  private let priority: Int32
  private let group: pid_t
  /// What some descriptors lead to, by their numbers.
  private let descriptors: [(number: Int32, file: FileKey?)]
  /// The descriptors that have to stay what they are, besides the standard streams.
  let watched: [Int32]
  /// The threads of the process.
  let threads: Set<String>

  /// What tells an open file from another.
  private struct FileKey: Equatable {
    let device, inode: UInt64

    /// Nil for a descriptor that is closed.
    init?(_ descriptor: Int32) {
      var status = stat()
      guard fstat(descriptor, &status) == 0 else { return nil }
      self.init(status)
    }

    /// Nil for what is not there.
    init?(path: String) {
      var status = stat()
      guard stat(path, &status) == 0 else { return nil }
      self.init(status)
    }

    private init(_ status: stat) {
      (device, inode) = (UInt64(status.st_dev), UInt64(status.st_ino))
    }
  }

  /// How much of something the process may take.
  private struct Limit: Equatable {
    let soft, hard: rlim_t

    init(_ resource: Int32) {
      var limits = rlimit()
      getrlimit(resource, &limits)
      (soft, hard) = (limits.rlim_cur, limits.rlim_max)
    }
  }

  /// The state now.
  ///
  /// - Parameter descriptors: Those besides the standard streams that have to stay what they are.
  init(descriptors: [Int32]) {
    handlers = Self.signals.map(Self.handler)
    locale = setlocale(LC_ALL, nil).map { String(cString: $0) } ?? ""
    directories = [FileKey(path: "."), FileKey(path: "/")]
    // There is no way to look at it but to set it.
    let mask = umask(0o77)
    umask(mask)
    self.mask = mask
    floats = troupe_probe_float_state()
    timers = [ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF].map {
      var timer = itimerval()
      return getitimer(Int32($0.rawValue), &timer) == 0 && (timer.it_value.tv_sec != 0 || timer.it_value.tv_usec != 0)
    }
    environment = Self.variables
    var set = sigset_t()
    pthread_sigmask(SIG_BLOCK, nil, &set)
    blocked = Self.signals.map { sigismember(&set, $0) == 1 }
    limits = (0..<16).map(Limit.init)
    priority = getpriority(Int32(PRIO_PROCESS.rawValue), 0)
    group = getpgrp()
    self.descriptors = ([STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] + descriptors).map { ($0, FileKey($0)) }
    watched = descriptors
    threads = Self.runningThreads
  }

  /// What was done to the process between this state and a later one, each as the end of a sentence.
  func changes(in later: ProcessState) -> [String] {
    var changes: [String] = []
    for (index, signal) in Self.signals.enumerated() where handlers[index] != later.handlers[index] {
      changes.append("changes the handler of \(SignalName.of(signal))")
    }
    if blocked != later.blocked { changes.append("changes which signals the thread that loads it blocks") }
    if environment != later.environment { changes.append("changes the environment, which another thread may be reading") }
    if locale != later.locale { changes.append("changes the locale") }
    if directories[0] != later.directories[0] { changes.append("changes the working directory") }
    if directories[1] != later.directories[1] { changes.append("changes the root directory") }
    if mask != later.mask { changes.append("changes the mask of permissions of new files") }
    if floats != later.floats {
      changes.append("changes how floating-point numbers are calculated, as linking with -ffast-math does")
    }
    if zip(timers, later.timers).contains(where: { !$0 && $1 }) { changes.append("starts a timer of the process") }
    if limits != later.limits { changes.append("changes the limits of the process") }
    if priority != later.priority { changes.append("changes the priority of the process") }
    if group != later.group { changes.append("leaves the process group") }
    if zip(descriptors, later.descriptors).contains(where: { $0.file != $1.file }) { changes.append(Self.closing) }
    return changes
  }

  /// What is said of somebody who closes descriptors.
  static let closing = "closes descriptors that are not its own"

  /// What is said of somebody who writes to descriptors that others have opened.
  static let writing = "writes to descriptors that are not its own"

  /// What is said of somebody who leaves nothing to open for others.
  static let exhausting = "opens descriptors until there are none left"

  /// What is said of somebody whose threads would lose their code.
  static let abandoning =
    "leaves threads running in a library that can be closed under them (end them, or link it with -Wl,-z,nodelete)"

  /// The threads that run now, by their numbers.
  static var runningThreads: Set<String> { Set(entries("/proc/self/task")) }

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

  /// The environment, each variable with its value.
  private static var variables: Set<[UInt8]> {
    var variables: Set<[UInt8]> = []
    var next = troupe_probe_environment()
    while let variable = next?.pointee {
      variables.insert(Array(UnsafeRawBufferPointer(start: variable, count: strlen(variable))))
      next = next.map { $0 + 1 }
    }
    return variables
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
