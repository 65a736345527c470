import Foundation
import Testing

@testable import TroupeFiles
@testable import TroupeSandbox

private let directory = "changes the working directory"
private let environment = "sets the environment variable TROUPE_STATE, while another thread may read the environment"
private let timer = "starts a timer of the process"

/// Makes each change in a separate process, which prints unexpected results on standard error.
@Suite("The state of a process")
struct ProcessStateTests {
  @Test("An unchanged process has no changes")
  func unchanged() async {
    await #expect(processExitsWith: .success) {
      let before = ProcessState(descriptors: [])
      try expectChanges(before, [])
    }
  }

  @Test("Each change is named")
  func changes() async throws {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      func check(_ text: String, _ change: () -> Void) throws {
        let before = ProcessState(descriptors: [])
        change()
        try expectChanges(before, [text], status: 0)
      }
      try check("changes the handler of SIGUSR1") { signal(SIGUSR1, SIG_IGN) }
      try check("changes the handler of SIGRTMIN+3") { signal(37, SIG_IGN) }
      try check("changes the flags of the handler of SIGCHLD") {
        var action = sigaction()
        action.sa_flags = SA_NOCLDWAIT
        sigaction(SIGCHLD, &action, nil)
      }
      try check("changes which signals the thread that loads it blocks: SIGUSR2") {
        // The threads of a pool may have every signal blocked already.
        var set = sigset_t()
        pthread_sigmask(SIG_BLOCK, nil, &set)
        if sigismember(&set, SIGUSR2) == 1 { sigdelset(&set, SIGUSR2) } else { sigaddset(&set, SIGUSR2) }
        pthread_sigmask(SIG_SETMASK, &set, nil)
      }
      try check(environment) { setenv("TROUPE_STATE", "1", 1) }
      try check(environment) { setenv("TROUPE_STATE", "2", 1) }
      try check(environment.replacing("sets", with: "removes")) { unsetenv("TROUPE_STATE") }
      try check("sets the locale: LC_NUMERIC to C.UTF-8, LC_TIME to C.UTF-8") {
        setlocale(LC_NUMERIC, "C.UTF-8")
        setlocale(LC_TIME, "C.UTF-8")
      }
      try check(directory) { chdir("/proc") }
      try check("changes the mask of permissions of new files") { umask(0o123) }
      try check("changes how floating-point numbers are calculated, as linking with -ffast-math does") {
        fesetround(FE_DOWNWARD)
      }
      try check(timer) { alarm(1000) }
      try check("lowers the limit RLIMIT_NOFILE of the process") {
        var limit = rlimit(rlim_cur: 100, rlim_max: 100)
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
      }
      try check("changes the priority of the process") { setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 7) }
      try check(timer) {
        var timer: timer_t?
        timer_create(CLOCK_MONOTONIC, nil, &timer)
      }
      try check("changes how the process is scheduled") {
        var parameters = sched_param()
        let batch: Int32 = 3
        sched_setscheduler(0, batch, &parameters)
      }
      try check("changes the flags of descriptors that are not its own") { _ = fcntl(STDIN_FILENO, F_SETFL, O_NONBLOCK) }
      try check(ProcessState.closing) { close(STDIN_FILENO) }
      try check(ProcessState.closing) { _ = open("/dev/zero", O_RDONLY) }
    }
    #expect(result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) } == "")
  }

  @Test("Variables, the locale and raised limits are changes without harm; lowered limits and a cleared environment are not")
  func harm() async {
    await #expect(processExitsWith: .success) {
      func check(_ isHarmless: [Bool], _ change: () -> Void) {
        let before = ProcessState(descriptors: [])
        change()
        let changes = before.changes(in: ProcessState(descriptors: []))
        guard changes.map(\.isHarmless) == isHarmless else { exit(1) }
      }
      func limit(_ soft: rlim_t) {
        var limits = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits)
        limits.rlim_cur = soft
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits)
      }
      check([true]) { setenv("TROUPE_STATE", "1", 1) }
      check([true]) { setlocale(LC_CTYPE, "C.UTF-8") }
      check([false]) { limit(64) }
      check([true]) { limit(128) }
      check([false]) { clearenv() }
    }
  }

  @Test("A change of the user or the groups is named", .enabled(if: geteuid() == 0, "only the superuser may"))
  func users() async {
    await #expect(processExitsWith: .success) {
      let before = ProcessState(descriptors: [])
      chdir("/")
      let moved = ProcessState(descriptors: [])
      setgid(65534)
      let user = "changes the user or the groups of the process"
      try expectChanges(moved, [user])
      setuid(65534)
      try expectChanges(moved, [user])
      guard before.hasSame(STDIN_FILENO, as: moved) else { exit(2) }
    }
  }

  @Test("Several changes are named at once, and a timer that ended is not")
  func several() async {
    await #expect(processExitsWith: .success) {
      alarm(1000)
      let before = ProcessState(descriptors: [])
      alarm(0)
      chdir("/proc")
      setenv("TROUPE_STATE", "1", 1)
      try expectChanges(before, [environment, directory])
    }
  }

  @Test("A descriptor that refers to another file is named")
  func descriptors() async {
    await #expect(processExitsWith: .success) {
      let one = open("/dev/null", O_RDONLY)
      let before = ProcessState(descriptors: [one])
      try expectChanges(before, [])
      dup2(open("/dev/zero", O_RDONLY), one)
      try expectChanges(before, [ProcessState.closing])
    }
  }

  @Test("Running threads and children that were not waited for are detected")
  func threadsAndChildren() async {
    await #expect(processExitsWith: .success) {
      let before = ProcessState.runningThreads
      var thread = pthread_t()
      pthread_create(&thread, nil, { _ in while true { pause() } }, nil)
      guard ProcessState.runningThreads.subtracting(before).count == 1, !ProcessState.hasChildren else { exit(1) }
      var child: pid_t = 0
      var arguments: [UnsafeMutablePointer<CChar>?] = [strdup("true"), nil]
      guard posix_spawn(&child, "/bin/true", nil, nil, &arguments, environ) == 0, ProcessState.hasChildren else { exit(2) }
      waitpid(child, nil, 0)
      exit(ProcessState.hasChildren ? 3 : 0)
    }
  }
}

/// Ends the process with a message and a status unless the changes since a state are as expected.
private func expectChanges(_ before: ProcessState, _ expected: [String], status: Int32 = 1) throws {
  let changes = before.changes(in: ProcessState(descriptors: before.watched)).map(\.description)
  guard changes == expected else {
    FileHandle.standardError.write(Data("\(changes) and not \(expected)\n".utf8))
    exit(status)
  }
}
