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
    let folder = try TemporaryDirectory.untilExit()
    // Other users start the program, too.
    try setMode(0o755, of: folder.path)
    let sources = ["policy.c", "files.c", "calls.c"].map { Tree.root + "/Sources/CIsolation/" + $0 }
    try succeed(
      ["cc", "-std=gnu11", "-O1", "-I", Tree.root + "/Sources/CIsolation/include", "-o", folder.file("attacks")]
        + [Tree.fixture("isolation/attacks.c")] + sources)
    return (folder: folder, path: folder.file("attacks"))
  }

  static let isRoot = geteuid() == 0

  /// The users to attack as: that of the test and, for root, one without privileges.
  static let users = isRoot ? ["", "nobody"] : [""]

  /// The layers that the system has. A container may lack namespaces, and an old kernel Landlock.
  static let available = (try? run("works", .all).layers) ?? []

  /// Runs an attack. Returns the layers in force and the exit status: 0 if the attack succeeds, 1 if it fails.
  static func run(_ name: String, _ layers: Layers, as user: String = "") throws -> (layers: Layers, status: Int32) {
    let program = try program.get()
    let folder = try TemporaryDirectory()
    for part in ["granted", "other"] {
      try FileManager.default.createDirectory(atPath: folder.file(part), withIntermediateDirectories: false)
      try setMode(0o777, of: folder.file(part))
    }
    try setMode(0o755, of: folder.path)
    try setMode(0o666, of: folder.write("other/victim", "content".utf8))
    let prefix = user.isEmpty ? [] : ["setpriv", "--reuid", user, "--regid", "nogroup", "--clear-groups"]
    let result = try TestSupport.run(
      prefix + [program.path, "\(layers.rawValue)", name, folder.file("granted"), folder.file("other")], directory: "/")
    let used = try #require(Int(result.text.trimmingCharacters(in: .newlines)), "\(result.errors)")
    return (Layers(rawValue: used), result.status)
  }
}

@Suite("The policy of a worker")
struct PolicyTests {
  static let fileAttacks = [
    "reads_file", "lists_directory", "reads_host_memory_file", "reads_host_environment", "writes_file", "changes_file",
    "removes_file",
    "escapes_by_link",
  ]
  /// The calls that the filter refuses with SIGSYS.
  static let refusedCalls = [
    "uses_tcp", "uses_udp", "uses_unix_socket", "uses_netlink", "executes", "forks", "traces", "reads_host_memory",
    "signals_host",
    "signals_all", "signals_thread", "opens_process", "limits_host", "uses_io_uring", "uses_userfaultfd", "uses_bpf",
    "makes_namespace", "mounts", "uses_keys",
  ]
  /// The calls that the filter lets fail.
  static let failingCalls = [
    "changes_mode", "changes_mode_of_open_file", "raises_limit", "truncates_file", "starts_with_clone3", "becomes_dumpable",
    "takes_memory_files",
  ]
  static let limitAttacks = ["takes_memory", "takes_descriptors", "fills_disk", "takes_processor"]
  /// The attacks that succeed only for root, or not on each kernel, if there is no policy.
  static let privileged: Set = [
    "changes_mode", "raises_limit", "mounts", "uses_bpf", "uses_io_uring", "uses_userfaultfd", "uses_keys", "makes_namespace",
    "signals_all",
    "reads_host_memory", "reads_host_memory_file", "reads_host_environment", "limits_host",
  ]

  @Test("A plugin can compute, start threads and use what is granted", arguments: Attack.users)
  func healthy(user: String) throws {
    let result = try Attack.run("works", .all, as: user)
    #expect(result.layers.isSuperset(of: [.privileges, .calls, .limits]))
    #expect(result.status == 0)
  }

  @Test("Without a policy the attacks succeed", arguments: fileAttacks + refusedCalls + failingCalls + limitAttacks)
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
    "The network, programs, other processes and rare calls of the kernel are refused", arguments: refusedCalls, Attack.users)
  func calls(name: String, user: String) throws {
    #expect(try Attack.run(name, .all, as: user).status == -SIGSYS)
    #expect(try Attack.run(name, [.privileges, .calls], as: user).status == -SIGSYS)
  }

  @Test("Calls that libraries try fail", arguments: failingCalls, Attack.users)
  func failures(name: String, user: String) throws {
    #expect(try Attack.run(name, .all, as: user).status == 1)
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
    #expect(try Attack.run("works", layers, as: user) == (layers, 0))
    #expect(try Attack.run("executes", layers, as: user).status != 0)
    if missing != .calls { #expect(try Attack.run("uses_tcp", layers, as: user).status == -SIGSYS) }
    if layers.contains(.files) { #expect(try Attack.run("reads_file", layers, as: user).status == 1) }
    if missing != .limits { #expect(try Attack.run("takes_descriptors", layers, as: user).status == 1) }
  }
}
