internal import CProbe
internal import Glibc
internal import TroupeFiles

/// The state of a whole process, which a plugin must not change.
package struct ProcessState {
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
  private let settings: troupe_probe_settings
  private let status: ProcessStatus
  private let timersByNumber: Set<String>
  private let namespaces: [String]
  /// The standard streams and the watched descriptors.
  private let descriptors: [Descriptor]
  /// The descriptors besides the standard streams that must not change.
  let watched: [Int32]
  /// The threads of the process.
  package let threads: Set<String>

  /// The identity of an open file.
  private struct FileKey: Equatable {
    let device, inode: UInt64

    /// Reads the file of a descriptor; nil if the descriptor is closed.
    init?(_ descriptor: Int32) {
      var status = stat()
      guard fstat(descriptor, &status) == 0 else { return nil }
      self.init(status)
    }

    /// Reads the file at a path; nil if it is missing.
    init?(path: String) {
      var status = stat()
      guard stat(path, &status) == 0 else { return nil }
      self.init(status)
    }

    private init(_ status: stat) {
      (device, inode) = (UInt64(status.st_dev), UInt64(status.st_ino))
    }
  }

  /// A descriptor with its file and its flags.
  private struct Descriptor: Equatable {
    let number: Int32
    let file: FileKey?
    let flags: [Int32]

    init(_ number: Int32) {
      self.number = number
      file = FileKey(number)
      flags = [fcntl(number, F_GETFL), fcntl(number, F_GETFD)]
    }
  }

  /// A resource limit of the process.
  private struct Limit: Equatable {
    let soft, hard: rlim_t

    init(_ resource: Int32) {
      var limits = rlimit()
      getrlimit(resource, &limits)
      (soft, hard) = (limits.rlim_cur, limits.rlim_max)
    }
  }

  /// Reads the current state.
  ///
  /// - Parameter descriptors: The descriptors besides the standard streams that must not change.
  package init(descriptors: [Int32]) {
    handlers = Self.signals.map(Self.handler)
    locale = setlocale(LC_ALL, nil).map { String(cString: $0) } ?? ""
    directories = [FileKey(path: "."), FileKey(path: "/")]
    // The mask can only be read by setting it.
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
    settings = troupe_probe_settings()
    status = ProcessStatus()
    timersByNumber = ProcessStatus.timers
    namespaces = ProcessStatus.namespaces
    self.descriptors = ([STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] + descriptors).map(Descriptor.init)
    watched = descriptors
    threads = Self.runningThreads
  }

  /// A kind of state.
  package enum Part: Sendable {
    case signals, environment, locale, directories, fileMask, floats, timers, limits, scheduling, descriptors
    /// The user, the groups, the capabilities, the namespaces and other attributes of the process.
    case identity
  }

  /// A change of one part, as the end of a sentence.
  package typealias Change = (part: Part, description: String)

  /// The changes from this state to a later one.
  package func changes(in later: ProcessState) -> [Change] {
    var changes: [Change] = []
    func add(_ part: Part, _ description: String, if isChanged: Bool) {
      if isChanged { changes.append((part, description)) }
    }
    for (index, signal) in Self.signals.enumerated() {
      add(.signals, "changes the handler of \(SignalName.of(signal))", if: handlers[index] != later.handlers[index])
    }
    add(.signals, "changes which signals the thread that loads it blocks", if: blocked != later.blocked)
    add(.environment, "changes the environment, which another thread may be reading", if: environment != later.environment)
    add(.locale, "changes the locale", if: locale != later.locale)
    let isOther = status.identity != later.status.identity
    add(.identity, "changes the user or the groups of the process", if: isOther)
    for (index, name) in ["working", "root"].enumerated() {
      // Another user may lack the permission.
      let isHidden = isOther && later.directories[index] == nil
      add(.directories, "changes the \(name) directory", if: directories[index] != later.directories[index] && !isHidden)
    }
    let (old, new) = (status.capabilities, later.status.capabilities)
    add(.identity, "changes the capabilities of the process", if: !isOther && old != new)
    let isDumpable = settings.is_dumpable
    add(
      .identity, "changes whether the process can be dumped and traced",
      if: !isOther && isDumpable != later.settings.is_dumpable)
    add(.fileMask, "changes the mask of permissions of new files", if: mask != later.mask)
    add(
      .floats, "changes how floating-point numbers are calculated, as linking with -ffast-math does",
      if: floats != later.floats)
    add(.timers, "starts a timer of the process", if: startsTimer(later))
    add(.limits, "changes the limits of the process", if: limits != later.limits)
    add(.scheduling, "changes the priority of the process", if: priority != later.priority)
    add(.identity, "leaves the process group", if: group != later.group)
    add(
      .scheduling, "changes how the process is scheduled",
      if: (settings.policy, settings.priority) != (later.settings.policy, later.settings.priority))
    add(.scheduling, "changes on which processors the process runs", if: status.places != later.status.places)
    add(.identity, "restricts what its process may ask of the kernel", if: status.filters != later.status.filters)
    // The kernel resets it for another user.
    add(.identity, Self.endingWithParent, if: !isOther && settings.death_signal != later.settings.death_signal)
    add(.identity, "changes the personality of the process", if: settings.personality != later.settings.personality)
    add(.identity, "moves the process to another namespace", if: namespaces != later.namespaces)
    if zip(descriptors, later.descriptors).contains(where: { $0.file != $1.file }) {
      changes.append((.descriptors, Self.closing))
    } else {
      add(.descriptors, "changes the flags of descriptors that are not its own", if: descriptors != later.descriptors)
    }
    return changes
  }

  private func startsTimer(_ later: ProcessState) -> Bool {
    zip(timers, later.timers).contains { !$0 && $1 } || !later.timersByNumber.isSubset(of: timersByNumber)
  }

  /// Whether a watched descriptor has the same file in another state.
  package func hasSame(_ descriptor: Int32, as other: ProcessState) -> Bool {
    descriptors.first { $0.number == descriptor }?.file == other.descriptors.first { $0.number == descriptor }?.file
  }

  /// The change of a plugin that sets a parent-death signal.
  static let endingWithParent = "changes which signal the process gets when its parent ends"

  /// The change of a plugin that closes foreign descriptors.
  static let closing = "closes descriptors that are not its own"

  /// The change of a plugin that writes to foreign descriptors.
  static let writing = "writes to descriptors that are not its own"

  /// The change of a plugin that exhausts the descriptors.
  package static let exhausting = "opens descriptors until there are none left"

  /// The change of a plugin whose threads would lose their code.
  package static let abandoning =
    "leaves threads running in a library that can be closed under them (end them, or link it with -Wl,-z,nodelete)"

  /// The numbers of the running threads.
  package static var runningThreads: Set<String> { Set((try? Directory.names(in: "/proc/self/task")) ?? []) }

  /// The running threads besides some others. Waits for threads that are about to end: the kernel lists a joined thread for a moment
  /// longer.
  package static func threads(outliving others: Set<String>) -> Set<String> {
    var rest: Set<String> = []
    let start = clock()
    for _ in 0..<500 {
      rest = runningThreads.subtracting(others)
      // A thread that works on for so long does not end.
      if rest.isEmpty || clock() - start > endingTime { break }
      usleep(1000)
    }
    return rest
  }

  /// The processor time within which threads may end, as clock(3) counts it.
  private static let endingTime = 100_000

  /// Whether the process has children that it has not waited for.
  package static var hasChildren: Bool {
    var information = siginfo_t()
    return waitid(P_ALL, 0, &information, WEXITED | WNOHANG | WNOWAIT) == 0 || errno != ECHILD
  }

  /// The signals that can have a handler.
  private static let signals: [Int32] = (1...64).filter { $0 != SIGKILL && $0 != SIGSTOP && !(32...33).contains($0) }

  /// The address of a signal handler; 0 for the default.
  private static func handler(_ signal: Int32) -> UInt {
    var action = sigaction()
    guard sigaction(signal, nil, &action) == 0 else { return 0 }
    return unsafeBitCast(action.__sigaction_handler.sa_handler, to: UInt.self)
  }

  /// The environment variables with their values.
  private static var variables: Set<[UInt8]> {
    var variables: Set<[UInt8]> = []
    var next = troupe_probe_environment()
    while let variable = next?.pointee {
      variables.insert(Array(UnsafeRawBufferPointer(start: variable, count: strlen(variable))))
      next = next.map { $0 + 1 }
    }
    return variables
  }
}
