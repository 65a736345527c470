import Foundation
import TestSupport
import Testing

/// Every process that a host starts ends with the host, whichever system call a filter around the host denies.
@Suite("Processes of a host that ends", .timeLimit(.minutes(60)))
struct LifelineTests {
  /// The calls by which the processes of a probe watch each other.
  static let calls = ["wait4", "waitid", "poll", "ppoll", "kill", "prctl", "pidfd_open", "ioctl", "recvmsg", "clock_nanosleep"]

  /// Runs a program while a system call is denied.
  private static let denial = Result {
    let directory = try TemporaryDirectory.untilExit()
    try succeed([
      "cc", "-std=gnu11", "-I", Repo.root + "/Sources/CSandbox/include", "-o", directory.file("deny"),
      Repo.fixture("isolation/deny.c"), Repo.root + "/Sources/CSandbox/system_calls.c",
    ])
    return (directory: directory, path: directory.file("deny"))
  }

  /// The processes that have a variable in their environment.
  private static func processes(with variable: String) -> [String] {
    let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return all.filter { number in
      guard let environment = try? Data(contentsOf: URL(filePath: "/proc/\(number)/environ")) else { return false }
      return environment.range(of: Data(variable.utf8)) != nil
    }
  }

  @Test("No process of a probe outlives a host that is killed", arguments: calls, ["EPERM", "ENOSYS"])
  func killedHost(call: String, error: String) throws {
    let plugins = try TemporaryDirectory()
    try Repo.compile([Repo.fixture("faulty/wait-in-constructor.c")], to: plugins.file("waiting.so"))
    try expectEnd(with: plugins, ["inspect", plugins.file("waiting.so")], call, error)
    // The probes of two plugins have a process between them and the host that forks them.
    try Repo.compile([Repo.fixture("healthy/empty.c")], to: plugins.file("empty.so"))
    try expectEnd(with: plugins, ["resolve", "--tag", "none", "--plugins", plugins.path], call, error)
  }

  private func expectEnd(with plugins: TemporaryDirectory, _ arguments: [String], _ call: String, _ error: String) throws {
    let mark = "TROUPE_LIFELINE=\(UUID())"
    var environment = ProcessInfo.processInfo.environment
    environment["TROUPE_LIFELINE"] = String(mark.dropFirst("TROUPE_LIFELINE=".count))
    environment["XDG_CACHE_HOME"] = plugins.file("cache")
    let command = [try Self.denial.get().path, call, error, Repo.troupe]
    let host = try SpawnedProcess(command + arguments, environment: environment)
    // The host, and the two processes of the probe, unless the host has given up.
    while Self.processes(with: mark).count < 3, kill(host.processID, 0) == 0, !Self.hasEnded(host.processID) { sched_yield() }
    kill(host.processID, SIGKILL)
    _ = try host.wait()
    while !Self.processes(with: mark).isEmpty { sched_yield() }
  }

  private static func hasEnded(_ process: pid_t) -> Bool {
    let status = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
    return status?.contains(") Z ") ?? true
  }

  @Test("Probes go on without a call for which there is another", arguments: ["wait4", "poll", "ppoll", "kill"])
  func otherCall(call: String) throws {
    let plugins = try TemporaryDirectory()
    try Repo.compile([Repo.fixture("isolation/grants.c")], to: plugins.file("grants.so"))
    try Repo.compile([Repo.fixture("healthy/empty.c")], to: plugins.file("empty.so"))
    for arguments in [["call", "descriptors", "--plugins", plugins.path], ["inspect", plugins.file("grants.so")]] {
      let result = try run(
        [Self.denial.get().path, call, "EPERM", Repo.troupe] + arguments, environment: ["XDG_CACHE_HOME": plugins.file("cache")]
      )
      #expect(result.status == 0, "\(result.errors)")
    }
  }
}
