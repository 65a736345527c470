import Foundation
import TestSupport
import Testing

/// Runs a program that restricts itself as a worker does, and then attacks the system.
enum Attack {
  /// The layers as `policy.h` numbers them.
  struct Layers: OptionSet, CustomTestStringConvertible {
    let rawValue: Int
    static let privileges = Layers(rawValue: 1)
    static let calls = Layers(rawValue: 2)
    static let files = Layers(rawValue: 4)
    static let network = Layers(rawValue: 8)
    static let limits = Layers(rawValue: 16)
    static let all = Layers(rawValue: 31)
    var testDescription: String { "layers \(rawValue)" }
  }

  static let program = Result {
    let directory = try TemporaryDirectory.untilExit()
    // Other users start the program, too.
    try setMode(0o755, of: directory.path)
    let sources = ["policy.c", "system_calls.c"].map { Repo.root + "/Sources/CSandbox/" + $0 }
    try succeed(
      ["cc", "-std=gnu11", "-O1", "-I", Repo.root + "/Sources/CSandbox/include", "-o", directory.file("attacks")]
        + [Repo.fixture("isolation/attacks.c")] + sources)
    return (directory: directory, path: directory.file("attacks"))
  }

  static let isRoot = geteuid() == 0

  /// The users to attack as: that of the test and, for root, one without privileges.
  static let users = isRoot ? ["", "nobody"] : [""]

  /// The layers that the system has. A container may lack namespaces, and an old kernel Landlock.
  static let available = (try? run("works", .all).layers) ?? []

  /// The end of an attack.
  struct End {
    /// The layers in force.
    var layers: Layers
    /// The exit status: 0 if the attack succeeds, 1 if it fails; a negative signal.
    var status: Int32
    /// The error number of a failed attack.
    var error: Int32?
    var message: String
  }

  /// Runs an attack.
  ///
  /// - Parameter admitted: The number of a system call that the policy allows.
  static func run(_ name: String, _ layers: Layers, as user: String = "", admitted: Int? = nil) throws -> End {
    let program = try program.get()
    let directory = try TemporaryDirectory()
    for part in ["granted", "other"] {
      try FileManager.default.createDirectory(atPath: directory.file(part), withIntermediateDirectories: false)
      try setMode(0o777, of: directory.file(part))
    }
    try setMode(0o755, of: directory.path)
    try setMode(0o666, of: directory.write("other/victim", "content".utf8))
    let environment = admitted.map { ["env", "ADMITTED=\($0)"] } ?? []
    let prefix = user.isEmpty ? [] : ["setpriv", "--reuid", user, "--regid", "nogroup", "--clear-groups"]
    let result = try TestSupport.run(
      prefix + environment + [program.path, "\(layers.rawValue)", name, directory.file("granted"), directory.file("other")],
      directory: "/")
    let numbers = result.text.split(separator: "\n").compactMap { Int32($0) }
    let used = try #require(numbers.first, "\(result.errors)")
    return End(
      layers: Layers(rawValue: Int(used)), status: result.status, error: numbers.count > 1 ? numbers[1] : nil,
      message: result.errors)
  }
}

@Suite("The policy of a worker")
struct PolicyTests {
  @Test("A worker of root makes no program that runs as root", .enabled(if: Attack.isRoot, "needs root"))
  func privilegedProgram() throws {
    #expect(try Attack.run("makes_privileged_program", []).status == 0)
    #expect(try Attack.run("makes_privileged_program", .privileges).status == 1)
  }

  static let fileAttacks = [
    "reads_file", "lists_directory", "reads_host_memory_file", "reads_host_environment", "writes_file", "changes_file",
    "removes_file",
    "escapes_by_link",
  ]
  /// Attacks by calls that fail with EPERM.
  static let refusedCalls = [
    "uses_tcp", "uses_udp", "uses_unix_socket", "uses_netlink", "executes", "forks", "reads_host_memory", "signals_host",
    "signals_all", "signals_thread", "opens_process", "limits_host", "uses_userfaultfd", "uses_bpf", "makes_namespace",
    "mounts",
    "uses_keys", "starts_shell",
  ]
  /// Calls of healthy libraries, with the error numbers with which they fail.
  static let failingCalls: [String: Int32] = [
    "changes_mode": EPERM, "changes_mode_of_open_file": EPERM, "raises_limit": EPERM, "truncates_file": EPERM,
    "becomes_dumpable": EPERM, "takes_memory_files": EPERM, "sets_memory_policy": EPERM, "reads_memory_policy": EPERM,
    "schedules_in_real_time": EPERM, "schedules_as_usual": EPERM, "watches_files": EPERM, "reads_attribute": ENOTSUP,
    "starts_with_clone3": ENOSYS, "uses_io_uring": ENOSYS, "starts_asynchronous_input": ENOSYS,
  ]
  /// Attacks for which the filter ends the process.
  static let endingCalls = ["traces", "writes_host_memory", "loads_into_kernel", "calls_as_other_architecture"]
  static let limitAttacks = ["takes_memory", "takes_descriptors", "fills_disk", "takes_processor"]
  /// The attacks that succeed only for root, or not on each kernel, if there is no policy.
  static let privileged: Set = [
    "changes_mode", "raises_limit", "mounts", "uses_bpf", "uses_io_uring", "uses_userfaultfd", "uses_keys", "makes_namespace",
    "signals_all",
    "reads_host_memory", "reads_host_memory_file", "reads_host_environment", "limits_host", "writes_host_memory",
    "loads_into_kernel", "schedules_in_real_time", "starts_with_clone3", "calls_as_other_architecture",
    "starts_asynchronous_input", "reads_memory_policy", "sets_memory_policy", "reads_attribute",
  ]

  @Test(
    "A plugin can compute, start threads, use what is granted, and ask for facts about itself",
    arguments: ["works", "reads_own_memory", "uses_harmless_calls"], Attack.users)
  func healthy(name: String, user: String) throws {
    let result = try Attack.run(name, .all, as: user)
    #expect(result.layers.isSuperset(of: [.privileges, .calls, .limits]))
    #expect(result.status == 0)
  }

  @Test(
    "Without a policy the attacks succeed",
    arguments: fileAttacks + refusedCalls + failingCalls.keys + endingCalls + limitAttacks)
  func control(name: String) throws {
    let result = try Attack.run(name, [])
    #expect(result.layers.isEmpty)
    #expect(result.status == 0 || Self.privileged.contains(name))
  }

  @Test(
    "No file is reachable but the granted ones", .enabled(if: Attack.available.contains(.files), "the kernel has no Landlock"),
    arguments: fileAttacks, Attack.users)
  func files(name: String, user: String) throws {
    #expect(try Attack.run(name, .all, as: user).status == 1)
    // Without the other layers, too.
    #expect(try Attack.run(name, [.privileges, .files], as: user).status == 1)
  }

  @Test(
    "The network, programs, other processes and rare calls of the kernel are refused with EPERM", arguments: refusedCalls,
    Attack.users)
  func calls(name: String, user: String) throws {
    for layers in [Attack.Layers.all, [.privileges, .calls]] {
      let end = try Attack.run(name, layers, as: user)
      #expect(end.status == 1)
      #expect(end.error == EPERM)
    }
  }

  @Test("Calls that libraries try fail with the error number that they expect", arguments: failingCalls, Attack.users)
  func failures(call: (key: String, value: Int32), user: String) throws {
    let end = try Attack.run(call.key, .all, as: user)
    #expect(end.status == 1)
    #expect(end.error == call.value)
  }

  @Test("A call that only attacks make ends the process", arguments: endingCalls, Attack.users)
  func attacks(name: String, user: String) throws {
    #expect(try Attack.run(name, .all, as: user).status == -SIGSYS)
    #expect(try Attack.run(name, [.privileges, .calls], as: user).status == -SIGSYS)
  }

  @Test(
    "Each call that the table refuses fails with its error number, and calls of newer kernels with ENOSYS",
    arguments: Attack.users)
  func refusals(user: String) throws {
    let end = try Attack.run("makes_refused_calls", [.privileges, .calls], as: user)
    #expect(end.status == 1, "\(end.message)")
    #expect(end.error == EPERM)
  }

  /// The number of a system call in this machine's headers, whose macros Swift does not import.
  private static func number(_ name: String) throws -> Int? {
    let directory = try TemporaryDirectory()
    try directory.write("number.c", "#include <sys/syscall.h>\nSYS_\(name)\n".utf8)
    return try run(["cc", "-E", "-P", directory.file("number.c")]).text.split(separator: "\n").last.flatMap { Int($0) }
  }

  @Test("A policy admits a single call")
  func admission() throws {
    #expect(try Attack.run("schedules_as_usual", .all, admitted: Self.number("sched_setscheduler")).status == 0)
    #expect(try Attack.run("watches_files", .all, admitted: Self.number("inotify_init1")).status == 0)
    #expect(try Attack.run("watches_files", .all, admitted: Self.number("sched_setscheduler")).status == 1)
  }

  @Test("The table has all system calls of this machine's headers up to its newest")
  func names() throws {
    let directory = try TemporaryDirectory()
    let sources = Repo.root + "/Sources/CSandbox"
    try succeed([
      "cc", "-I", sources + "/include", "-o", directory.file("table"), Repo.fixture("isolation/system-calls.c"),
      sources + "/system_calls.c",
    ])
    let table = try run([directory.file("table")]).text.split(separator: "\n").map { $0.split(separator: " ") }
    let known = Dictionary(uniqueKeysWithValues: table.map { ("\($0[1])", Int($0[0]) ?? -1) })
    try directory.write("names.c", "#include <sys/syscall.h>\n".utf8)
    let macros = try run(["cc", "-dM", "-E", directory.file("names.c")]).text.split(separator: "\n")
    let newest = known.values.max() ?? 0
    let names = macros.compactMap { line -> String? in
      let words = line.split(separator: " ")
      guard words.count > 2, words[1].hasPrefix("__NR_"), Int(words[2]) ?? 0 <= newest else { return nil }
      return String(words[1].dropFirst(5))
    }
    #expect(names.count > 250)
    #expect(Set(names).subtracting(known.keys).isEmpty)
    #expect(names.allSatisfy { known[$0, default: -1] >= 0 })
    #expect(try known["openat"] == Self.number("openat"))
  }

  @Test("Memory, descriptors, files and processor time are limited", arguments: limitAttacks, Attack.users)
  func limits(name: String, user: String) throws {
    let expected = name == "takes_processor" ? -SIGKILL : 1
    #expect(try Attack.run(name, .all, as: user).status == expected)
    #expect(try Attack.run(name, .limits, as: user).status == expected)
  }

  @Test(
    "A layer that is missing is reported, and the others hold", arguments: [Attack.Layers.calls, .files, .network, .limits],
    Attack.users)
  func missingLayer(missing: Attack.Layers, user: String) throws {
    let layers = Attack.available.subtracting(missing)
    let healthy = try Attack.run("works", layers, as: user)
    #expect(healthy.layers == layers && healthy.status == 0)
    #expect(try Attack.run("executes", layers, as: user).status != 0)
    if missing != .calls { #expect(try Attack.run("uses_tcp", layers, as: user).error == EPERM) }
    if layers.contains(.files) { #expect(try Attack.run("reads_file", layers, as: user).status == 1) }
    if missing != .limits { #expect(try Attack.run("takes_descriptors", layers, as: user).status == 1) }
  }
}
