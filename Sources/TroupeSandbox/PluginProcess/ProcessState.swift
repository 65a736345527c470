internal import CSandbox
internal import Glibc
internal import TroupeFiles

/// A snapshot of the state that all code of a process shares, and that a plugin must not change: signal handlers, the
/// environment, the locale, limits, foreign descriptors and more.
///
/// A probe takes one snapshot before it loads a plugin and one afterwards. `changes(in:)` describes the differences. Some parts
/// belong to the calling thread, such as the signal mask and the floating-point state, so both snapshots are taken on one
/// thread.
package struct ProcessState {
  private let handlers: [Handler]
  private let locale: [String]
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
  package let threads: Set<String>

  private struct FileKey: Equatable {
    let device, inode: UInt64

    init?(_ descriptor: Int32) {
      var status = stat()
      guard fstat(descriptor, &status) == 0 else { return nil }
      self.init(status)
    }

    init?(path: String) {
      var status = stat()
      guard stat(path, &status) == 0 else { return nil }
      self.init(status)
    }

    private init(_ status: stat) {
      (device, inode) = (UInt64(status.st_dev), UInt64(status.st_ino))
    }
  }

  private struct Descriptor: Equatable {
    let rawValue: Int32
    let file: FileKey?
    let flags: [Int32]

    init(_ rawValue: Int32) {
      self.rawValue = rawValue
      file = FileKey(rawValue)
      flags = [fcntl(rawValue, F_GETFL), fcntl(rawValue, F_GETFD)]
    }
  }

  /// The action of a signal.
  private struct Handler {
    /// The address of the function, 0 for the default, 1 for `SIG_IGN`.
    let address: UInt
    let usesAlternateStack: Bool
    /// The flags by which a signal is lost: children that nobody can wait for, and a handler that works once. Runtimes may change the
    /// other flags, as Go does to have handlers of others run on the alternate stack.
    let losingFlags: Int32

    init(_ signal: Int32) {
      var action = sigaction()
      let isKnown = sigaction(signal, nil, &action) == 0
      address = isKnown ? unsafeBitCast(action.__sigaction_handler.sa_handler, to: UInt.self) : 0
      let flags = isKnown ? action.sa_flags : 0
      usesAlternateStack = flags & SA_ONSTACK != 0
      losingFlags = flags & (SA_NOCLDWAIT | Int32(bitPattern: SA_RESETHAND))
    }

    /// Whether this handler of a plugin leaves a signal to the program, as the Go runtime does. It must run on the alternate
    /// stack of a thread, since a handler without one cannot report a stack overflow. It must forward the faults of other code
    /// to the previous handler. It may replace the default action of SIGPIPE, which programs with sockets ignore, and of
    /// SIGURG, which does nothing.
    ///
    /// Sends the signal of a fault to the calling thread; a handler that forwards nothing may end the process.
    func leaves(_ signal: Int32, to old: Handler) -> Bool {
      guard address > 1, usesAlternateStack else { return false }
      switch signal {
      case SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP: return troupe_probe_forwards(signal) != 0
      case SIGPIPE, SIGURG: return old.address == 0
      default: return false
      }
    }
  }

  private struct Limit: Equatable {
    let soft, hard: rlim_t

    static let names = [
      "RLIMIT_CPU", "RLIMIT_FSIZE", "RLIMIT_DATA", "RLIMIT_STACK", "RLIMIT_CORE", "RLIMIT_RSS", "RLIMIT_NPROC", "RLIMIT_NOFILE",
      "RLIMIT_MEMLOCK", "RLIMIT_AS", "RLIMIT_LOCKS", "RLIMIT_SIGPENDING", "RLIMIT_MSGQUEUE", "RLIMIT_NICE", "RLIMIT_RTPRIO",
      "RLIMIT_RTTIME",
    ]

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
    handlers = Self.signals.map(Handler.init)
    locale = Self.categories.map { category, _ in setlocale(category, nil).map { String(cString: $0) } ?? "" }
    directories = [FileKey(path: "."), FileKey(path: "/")]
    // umask(2) returns the mask only when it sets another one. Files that other threads create meanwhile get the stricter mask.
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
    limits = Limit.names.indices.map { Limit(Int32($0)) }
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

  package enum Part: Sendable {
    case signals, environment, locale, directories, fileMask, floats, timers, limits, scheduling, descriptors
    /// The user, the groups, the capabilities, the namespaces and other attributes of the process.
    case identity
  }

  package struct Change {
    package let part: Part
    /// The end of a sentence that begins with the plugin.
    package let description: String
    /// Whether common runtimes make such a change while they are loaded and the program still works. It is then a warning, and
    /// not an error.
    package let isHarmless: Bool
  }

  /// The signals with another handler in a later state, each as the end of a sentence.
  package func handlerChanges(in later: ProcessState) -> [String] {
    changedHandlers(in: later).map { Self.handling(Self.signals[$0]) }
  }

  private func changedHandlers(in later: ProcessState) -> [Int] {
    handlers.indices.filter { handlers[$0].address != later.handlers[$0].address }
  }

  private static func handling(_ signal: Int32) -> String { "changes the handler of \(SignalName.of(signal))" }

  /// The changes from this state to a later one, which must be the current state of the process: it sends signals to changed
  /// handlers, see `Handler.leaves`.
  package func changes(in later: ProcessState) -> [Change] {
    var changes: [Change] = []
    func add(_ part: Part, _ description: String, if isChanged: Bool, isHarmless: Bool = false) {
      if isChanged { changes.append(Change(part: part, description: description, isHarmless: isHarmless)) }
    }
    for index in changedHandlers(in: later) {
      let signal = Self.signals[index]
      add(.signals, Self.handling(signal), if: !later.handlers[index].leaves(signal, to: handlers[index]))
    }
    for (index, signal) in Self.signals.enumerated() where handlers[index].address == later.handlers[index].address {
      add(
        .signals, "changes the flags of the handler of \(SignalName.of(signal))",
        if: handlers[index].losingFlags != later.handlers[index].losingFlags)
    }
    let masked = Self.signals.indices.filter { blocked[$0] != later.blocked[$0] }.map { Self.signals[$0] }
    let names = masked.map(SignalName.of).joined(separator: ", ")
    // Libraries that write to sockets, such as Poco, block SIGPIPE.
    add(
      .signals, "changes which signals the thread that loads it blocks: \(names)", if: !masked.isEmpty,
      isHarmless: masked == [SIGPIPE])
    changes += environmentChanges(in: later)
    // The program then reads and prints numbers and texts as after its own call of setlocale(3), by the locale that its users
    // choose.
    let sets = Self.categories.indices.filter { locale[$0] != later.locale[$0] }
    let values = sets.map { "\(Self.categories[$0].name) to \(later.locale[$0])" }
    add(.locale, "sets the locale: \(values.joined(separator: ", "))", if: !sets.isEmpty, isHarmless: true)
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
    add(.floats, Self.calculating, if: floats != later.floats)
    add(.timers, "starts a timer of the process", if: startsTimer(later))
    for (name, (old, new)) in zip(Limit.names, zip(limits, later.limits)) {
      let isRaised = new.soft >= old.soft && new.hard >= old.hard
      // The runtime of Go and the JVM raise the limit of open files.
      add(.limits, "\(isRaised ? "raises" : "lowers") the limit \(name) of the process", if: old != new, isHarmless: isRaised)
    }
    add(.scheduling, "changes the priority of the process", if: priority != later.priority)
    add(.identity, "leaves the process group", if: group != later.group)
    add(
      .scheduling, "changes how the process is scheduled",
      if: (settings.policy, settings.priority) != (later.settings.policy, later.settings.priority))
    // libgomp does with OMP_PROC_BIND, and OpenBLAS where it is built so.
    add(
      .scheduling, "changes on which processors the thread that loads it runs", if: status.places != later.status.places,
      isHarmless: true)
    add(.identity, "restricts what its process may ask of the kernel", if: status.filters != later.status.filters)
    // The kernel resets it for another user.
    add(.identity, Self.endingWithParent, if: !isOther && settings.death_signal != later.settings.death_signal)
    add(.identity, "changes the personality of the process", if: settings.personality != later.settings.personality)
    add(.identity, "moves the process to another namespace", if: namespaces != later.namespaces)
    if zip(descriptors, later.descriptors).contains(where: { $0.file != $1.file }) {
      add(.descriptors, Self.closing, if: true)
    } else {
      add(.descriptors, "changes the flags of descriptors that are not its own", if: descriptors != later.descriptors)
    }
    return changes
  }

  /// The changed environment variables, by name. Setting one is a race with threads that read the environment, which many
  /// libraries accept while they are loaded; clearing it takes the program's own settings away.
  private func environmentChanges(in later: ProcessState) -> [Change] {
    func names(_ variables: Set<[UInt8]>) -> Set<String> {
      Set(variables.map { String(decoding: $0.prefix { $0 != UInt8(ascii: "=") }, as: UTF8.self).onOneLine })
    }
    func change(_ description: String, isHarmless: Bool) -> Change {
      Change(part: .environment, description: description, isHarmless: isHarmless)
    }
    let (old, new) = (names(environment), names(later.environment))
    if !old.isEmpty, old.isDisjoint(with: new) { return [change("clears the environment", isHarmless: false)] }
    let set = names(later.environment.subtracting(environment)).sorted()
    let removed = old.subtracting(new).sorted()
    func list(_ names: [String]) -> String {
      "the environment variable\(names.count == 1 ? "" : "s") \(names.listed(atMost: 5)), while another thread may read the environment"
    }
    return (set.isEmpty ? [] : [change("sets \(list(set))", isHarmless: true)])
      + (removed.isEmpty ? [] : [change("removes \(list(removed))", isHarmless: true)])
  }

  private func startsTimer(_ later: ProcessState) -> Bool {
    zip(timers, later.timers).contains { !$0 && $1 } || !later.timersByNumber.isSubset(of: timersByNumber)
  }

  /// Whether a watched descriptor has the same file in another state.
  package func hasSame(_ descriptor: Int32, as other: ProcessState) -> Bool {
    descriptors.first { $0.rawValue == descriptor }?.file == other.descriptors.first { $0.rawValue == descriptor }?.file
  }

  /// The change of a plugin that sets the rounding, the exceptions or the flushing of subnormal numbers.
  package static let calculating = "changes how floating-point numbers are calculated, as linking with -ffast-math does"

  static let endingWithParent = "changes which signal the process gets when its parent ends"

  static let closing = "closes descriptors that are not its own"

  static let writing = "writes to descriptors that are not its own"

  package static let exhausting = "opens descriptors until there are none left"

  package static let exhaustingThreads = "starts threads until there are none left"

  /// The numbers of the running threads.
  package static var runningThreads: Set<String> { Set((try? Path.entries(in: "/proc/self/task")) ?? []) }

  /// The running threads besides some others. Waits for threads that are about to end: the kernel lists a joined thread for a
  /// moment longer.
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

  /// The processor time within which threads may end, in microseconds.
  private static let endingTime = 100_000

  /// Whether the process has children that it has not waited for.
  package static var hasChildren: Bool {
    // Also those of clone(2) that send another signal than SIGCHLD at their end.
    let ofEverySignal: Int32 = 0x4000_0000
    var information = siginfo_t()
    return waitid(P_ALL, 0, &information, WEXITED | WNOHANG | WNOWAIT | ofEverySignal) == 0 || errno != ECHILD
  }

  /// The signals that can have a handler.
  private static let signals: [Int32] = (1...64).filter { $0 != SIGKILL && $0 != SIGSTOP && !(32...33).contains($0) }

  private static let categories: [(category: Int32, name: String)] = [
    (LC_CTYPE, "LC_CTYPE"), (LC_NUMERIC, "LC_NUMERIC"), (LC_TIME, "LC_TIME"), (LC_COLLATE, "LC_COLLATE"),
    (LC_MONETARY, "LC_MONETARY"), (LC_MESSAGES, "LC_MESSAGES"), (LC_PAPER, "LC_PAPER"), (LC_NAME, "LC_NAME"),
    (LC_ADDRESS, "LC_ADDRESS"), (LC_TELEPHONE, "LC_TELEPHONE"), (LC_MEASUREMENT, "LC_MEASUREMENT"),
    (LC_IDENTIFICATION, "LC_IDENTIFICATION"),
  ]

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
