import Foundation
import TestSupport
import Testing

/// A sample of `scripts/check-denied-calls`.
@Suite("Calls under a filter of the system that denies a system call")
struct DeniedCallsTests {
  private static let files = Result {
    let directory = try TemporaryDirectory.untilExit()
    try FileManager.default.createDirectory(atPath: directory.file("plugins"), withIntermediateDirectories: false)
    try Repo.compile([Repo.fixture("isolation/functions.c")], to: directory.file("plugins/functions.so"))
    let sources = Repo.root + "/Sources/CSandbox"
    try succeed(
      [
        "cc", "-I", sources + "/include", "-o", directory.file("deny"), Repo.fixture("isolation/deny.c"),
        sources + "/system_calls.c",
      ])
    return directory
  }

  /// Calls a function with a denied system call.
  private func call(_ name: String, _ error: String, _ options: [String]) throws -> Run {
    let files = try Self.files.get()
    let home = try TemporaryDirectory()
    return try run(
      [
        "env", "HOME=\(home.path)", "XDG_CACHE_HOME=\(home.path)", files.file("deny"), name, error, Repo.troupe, "call", "area",
        "3", "4",
      ]
        + ["--plugins", files.file("plugins")] + options)
  }

  @Test(
    "The call has its result if Troupe can do without the system call",
    arguments: ["pidfd_open", "seccomp", "unshare", "landlock_create_ruleset", "access", "futex_waitv", "close_range"],
    ["EPERM", "ENOSYS"])
  func fallback(name: String, error: String) throws {
    for options in [[], ["--isolate", "all"]] {
      let result = try call(name, error, options)
      #expect(result.status == 0 && result.text == "12.0\n", "\(options): \(result.errors)")
    }
  }

  @Test(
    "The system call is named if probes or the program need it",
    arguments: [
      "eventfd2", "epoll_create1", "epoll_ctl", "clone", "setpgid", "socketpair", "sendmsg", "getppid", "dup",
    ],
    ["EPERM", "ENOSYS"])
  func probes(name: String, error: String) throws {
    let result = try call(name, error, [])
    #expect(result.status == 69 || result.status == 71)
    #expect(
      result.errors.contains(
        "the system call \(name) is refused (\(error)); allow it in the sandbox or container that runs this program"))
  }

  @Test(
    "The system call is named if workers need it",
    arguments: ["memfd_create", "ftruncate", "pipe2", "landlock_add_rule", "prctl", "clone"],
    ["EPERM", "ENOSYS"])
  func workers(name: String, error: String) throws {
    let result = try call(name, error, ["--isolate", "all"])
    #expect(result.status == 69)
    #expect(
      result.errors.contains(
        "cannot be loaded in a worker: the system call \(name) is refused (\(error)); allow it in the sandbox or container that runs this program"
      ))
  }

  @Test("A filter that denies clone3 with EPERM is named, since the C library makes clone only after ENOSYS")
  func clone3() throws {
    #expect(try call("clone3", "ENOSYS", []).text == "12.0\n")
    #expect(try call("clone3", "EPERM", []).errors.contains("the system call clone3 is refused (EPERM)"))
  }
}
