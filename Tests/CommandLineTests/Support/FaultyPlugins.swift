import Foundation
import TestSupport

/// A file of `Tests/Fixtures/faulty`, or a patched build of one, with the host's expected verdict.
struct FaultyPlugin: Sendable {
  /// The code of a plugin in quarantine.
  enum Code: String {
    case crashed, exited, timedOut, meddled, refused
  }

  /// The final state of a plugin, with a part of the reason.
  enum Verdict: Sendable {
    /// The host refuses the file before any of its code runs.
    case refused(String)
    /// Loading fails.
    case rejected(String)
    /// The probe detected harm. `isLocated` requires a location in the plugin's file.
    case quarantined(Code, String, isLocated: Bool = false)
    /// The host cannot detect a fault.
    case works
  }

  /// The source.
  let fixture: String
  /// The file's name without `.so`; that of the source by default.
  let name: String
  let verdict: Verdict
  let options: [String]
  /// Changes the bytes of the built file.
  let patch: (@Sendable (inout [UInt8]) -> Void)?

  init(
    _ fixture: String, as name: String? = nil, _ verdict: Verdict, options: [String] = [],
    patch: (@Sendable (inout [UInt8]) -> Void)? = nil
  ) {
    self.fixture = fixture
    self.name = name ?? String(fixture.prefix { $0 != "." })
    self.verdict = verdict
    self.options = options
    self.patch = patch
  }

  /// Builds it into a directory.
  func add(to directory: TemporaryDirectory) throws {
    let path = directory.file(name + ".so")
    try Repo.compile([Repo.fixture("faulty/" + fixture)], to: path, options: options)
    guard let patch else { return }
    var bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
    patch(&bytes)
    try directory.write(name + ".so", bytes)
  }
}

extension FaultyPlugin {
  /// All faulty plugins. They expect `healthy/empty.c` as `aa-empty.so` in the same directory.
  static let all: [FaultyPlugin] =
    manifests + images + crashes + hangs + exits + atExit + processes + states + factories + requirements + swift

  private static let manifests: [FaultyPlugin] = [
    Self("bad-id.c", .refused("the id \"nope\"")),
    Self("bad-version.c", .refused("the version \"one\"")),
    Self("bad-requirement.c", .refused("requires \"!\"")),
    Self("missing-member.c", .refused("has no \"abi\"")),
    Self("not-json.c", .refused("is not JSON")),
    Self("not-utf8.c", .refused("is not UTF-8")),
    Self("empty-manifest.c", .refused("is not JSON")),
    Self("manifest.c", .refused("not a JSON object"), options: ["-DMANIFEST=\"[]\""]),
    Self("duplicate-id.c", .refused("the id org.example.empty")),
    Self("no-manifest.c", .refused("no Troupe manifest")),
    Self("note-too-long.c", .refused("104857600 bytes")),
    Self("note-of-four-gigabytes.c", .refused("4294967295 bytes")),
    Self("note-truncated.c", .refused("damaged manifest")),
    Self("note-name-too-long.c", .refused("no Troupe manifest")),
    Self("note-name-without-nul.c", .refused("no Troupe manifest")),
    Self("note-of-another-vendor.c", .refused("no Troupe manifest")),
    Self("two-notes.c", .works),
    Self("other-abi-major.c", .refused("requires ABI 2.0")),
    Self("newer-abi-minor.c", .refused("requires ABI 1.999")),
  ]

  /// Faults of the file: patches of a plugin that would otherwise only lack its entry.
  private static let images: [FaultyPlugin] = [
    Self("no-entry.c", .rejected("troupe_plugin_main")),
    Self("no-entry.c", as: "32-bit", .refused("32-bit")) { $0[4] = 1 },
    Self("no-entry.c", as: "big-endian", .refused("big-endian")) { $0[5] = 2 },
    Self("no-entry.c", as: "program", .refused("not a shared library")) { $0[16] = 2 },
    Self("no-entry.c", as: "other-machine", .refused("machine number 4711")) {
      ($0[18], $0[19]) = (0x67, 0x12)
    },
    Self(
      "no-entry.c", as: "executable", .refused("is an executable, not a shared library"),
      options: ["-pie", "-nostartfiles", "-Wl,-e,0"]),
    Self("executable-stack.c", .refused("would make the stack executable"), options: ["-Wl,-z,execstack"]),
    Self("text-relocation.c", .rejected("has relocations in its code"), options: ["-Wl,-z,notext"]),
    Self("no-entry.c", as: "no-stack-header", .refused("would make the stack executable")) { bytes in
      bytes.changeProgramHeaders { $0 == 0x6474_E551 ? (0, $1) : ($0, $1) }
    },
    Self("no-entry.c", as: "writable-code", .refused("has a segment that is writable and executable")) { bytes in
      bytes.changeProgramHeaders { $0 == 1 ? ($0, 7) : ($0, $1) }
    },
    Self("no-entry.c", as: "no-program-headers", .refused("no program headers")) {
      ($0[56], $0[57]) = (0, 0)
    },
    Self("no-entry.c", as: "odd-program-headers", .refused("its program headers")) { $0[54] = 1 },
    Self("no-entry.c", as: "sections-beyond-end", .refused("its section headers reach")) {
      $0[46] = 0x7F
    },
    Self("no-entry.c", as: "truncated", .refused("truncated")) { $0.removeSubrange(700...) },
    Self("no-entry.c", as: "header-only", .refused("truncated")) { $0.removeSubrange(64...) },
    Self("no-entry.c", as: "empty-file", .refused("not an ELF file")) { $0 = [] },
    Self("no-entry.c", as: "text-file", .refused("not an ELF file")) { $0 = Array("#!/bin/sh\n".utf8) },
    Self("missing-dependency.c", .rejected("undefined symbol: from_elsewhere")),
    Self(
      "missing-dependency.c", as: "missing-library", .rejected("libq.so.6: cannot open shared object file"),
      options: ["-DID=\"org.example.missing-library\"", "-Wl,--no-as-needed", "-lm"]
    ) {
      if let name = $0.firstRange(of: Array("libm.so.6".utf8)) { $0[name.lowerBound + 3] = UInt8(ascii: "q") }
    },
  ]

  private static let crashes: [FaultyPlugin] = [
    Self("crash-in-constructor.c", .quarantined(.crashed, "SIGSEGV when its library was opened", isLocated: true)),
    Self("crash-in-entry.c", .quarantined(.crashed, "SIGSEGV in its entry", isLocated: true)),
    Self("crash-in-destructor.c", .quarantined(.crashed, "SIGSEGV when the process exited", isLocated: true)),
    Self("crash-in-thread.c", .quarantined(.crashed, "SIGSEGV in its entry", isLocated: true)),
    Self("stack-overflow.c", .quarantined(.crashed, "SIGSEGV in its entry", isLocated: true)),
    Self("jump-to-null.c", .quarantined(.crashed, "SIGSEGV in its entry", isLocated: true)),
    Self("table-nowhere.c", .quarantined(.crashed, "SIGSEGV in its entry", isLocated: true)),
    Self("memory-file.c", .quarantined(.crashed, "SIGXFSZ in its entry", isLocated: true)),
    Self("bus-error.c", .quarantined(.crashed, "SIGBUS in its entry", isLocated: true)),
    Self("illegal-instruction.c", .quarantined(.crashed, "in its entry", isLocated: true)),
    Self("abort.c", .quarantined(.crashed, "SIGABRT in its entry", isLocated: true)),
    Self("freed-twice.c", .quarantined(.crashed, "SIGABRT in its entry", isLocated: true)),
    Self("memory-without-end.c", .quarantined(.crashed, "SIGABRT in its entry", isLocated: true)),
    Self("exception-in-entry.cpp", .quarantined(.crashed, "/ what():  uncaught\"")),
    Self("exception-in-constructor.cpp", .quarantined(.crashed, "SIGABRT when its library was opened", isLocated: true)),
    Self(
      "pure-virtual-call.cpp",
      .quarantined(.crashed, "\"pure virtual method called / terminate called without an active exception\"")),
  ]

  private static let atExit: [FaultyPlugin] = [
    // Its tests are in CrashLoopTests.
    Self("crash-after-probe.c", .works),
    atExit("crash", "*(volatile int *)8 = 1", .crashed, "SIGSEGV", isLocated: true),
    atExit("hang", "for (;;) {}", .timedOut, "1 s of processor time", isLocated: true),
    atExit("wait", "for (;;) pause()", .timedOut, "3 s"), atExit("exit", "_exit(3)", .exited, "status 3"),
    atExit("destructor", "*(volatile int *)8 = 1", .crashed, "SIGSEGV", isLocated: true, options: ["-DIN_DESTRUCTOR"]),
  ]

  private static func atExit(
    _ name: String, _ action: String, _ code: Code, _ fault: String, isLocated: Bool = false, options: [String] = []
  ) -> FaultyPlugin {
    Self(
      "at-exit.c", as: "\(name)-at-exit", .quarantined(code, "\(fault) when the process exited", isLocated: isLocated),
      options: ["-DID=\"org.example.\(name)-at-exit\"", "-DACTION=\(action)", "-Wl,-z,nodelete"] + options)
  }

  private static let hangs: [FaultyPlugin] = [
    Self(
      "hang-in-constructor.c",
      .quarantined(.timedOut, "1 s of processor time when its library was opened", isLocated: true)),
    Self("hang-in-entry.c", .quarantined(.timedOut, "1 s of processor time in its entry", isLocated: true)),
    Self("hang-in-destructor.c", .quarantined(.timedOut, "1 s of processor time when the process exited", isLocated: true)),
    Self("wait-in-constructor.c", .quarantined(.timedOut, "3 s when its library was opened", isLocated: true)),
    Self("wait-in-entry.c", .quarantined(.timedOut, "3 s in its entry", isLocated: true)),
    Self("deadlock.c", .quarantined(.timedOut, "3 s in its entry", isLocated: true)),
    Self("endless-printing.c", .quarantined(.timedOut, "in its entry", isLocated: true)),
    Self("daemon-and-wait.c", .quarantined(.timedOut, "3 s in its entry", isLocated: true)),
    Self("stop.c", .quarantined(.timedOut, "3 s in its entry")),
    Self("busy-children.c", .quarantined(.timedOut, "1 s of processor time in its entry", isLocated: true)),
    Self("deaf.c", .quarantined(.timedOut, "1 s of processor time in its entry")),
    // Standard input is /dev/null.
    Self("read-standard-input.c", .works),
  ]

  private static let exits: [FaultyPlugin] = [
    Self("exit.c", .quarantined(.exited, "status 3 in its entry")),
    Self("exit-immediately.c", .quarantined(.exited, "status 0 in its entry")),
    Self("quick-exit.c", .quarantined(.exited, "status 5 in its entry")),
    Self("exit-in-constructor.c", .quarantined(.exited, "status 6 when its library was opened")),
    Self("exit-from-thread.c", .quarantined(.exited, "status 7 in its entry")),
    Self("end-of-thread.c", .quarantined(.exited, "status 0 in its entry")),
    Self("exit-as-probe.c", .quarantined(.exited, "status 71 when its library was opened")),
    Self("exec.c", .quarantined(.exited, "status 1 in its entry")),
  ]

  private static let processes: [FaultyPlugin] = [
    Self("fork-and-leave.c", .quarantined(.meddled, "leaves a process behind")),
    Self("fork-and-return.c", .quarantined(.meddled, "leaves a process behind")),
    Self("daemon.c", .quarantined(.meddled, "leaves a process behind")),
    Self("zombie.c", .quarantined(.meddled, "leaves a process behind")),
    Self("daemon-and-crash.c", .quarantined(.crashed, "SIGSEGV in its entry", isLocated: true)),
    Self("leave-group.c", .quarantined(.meddled, "leaves the process group")),
    Self("kill-parent.c", .quarantined(.meddled, "a signal to a process", isLocated: true)),
    Self("kill-group.c", .quarantined(.meddled, "its own process a signal", isLocated: true)),
    Self("kill-itself.c", .quarantined(.meddled, "its own process a signal", isLocated: true)),
    Self("raise-termination.c", .quarantined(.meddled, "its own process a signal", isLocated: true)),
    Self("traced.c", .quarantined(.meddled, "traces a process", isLocated: true)),
    Self("kill-thread.c", .quarantined(.meddled, "a signal to a process", isLocated: true)),
    Self("queue-signal.c", .quarantined(.meddled, "a signal to a process", isLocated: true)),
    Self("signal-by-descriptor.c", .quarantined(.meddled, "a signal to a process", isLocated: true)),
    Self("signal-by-file.c", .quarantined(.meddled, "a signal to a process", isLocated: true)),
    Self("kill-from-child.c", .quarantined(.meddled, "a signal that ends it; run it in a worker")),
    Self("kill-by-program.c", .quarantined(.meddled, "signal to a process that is not its own; run it in a worker")),
    Self("limits-of-others.c", .quarantined(.meddled, "reads or changes a process", isLocated: true)),
    Self("memory-of-others.c", .quarantined(.meddled, "reads or changes a process", isLocated: true)),
    Self("foreign-call.c", .quarantined(.meddled, foreignCall, isLocated: true)),
    Self("strict-mode.c", .quarantined(.meddled, "restricts", isLocated: true)),
    Self("adopt-orphans.c", .quarantined(.meddled, "adopts orphans", isLocated: true)),
    Self("end-with-parent.c", .quarantined(.meddled, "when its parent ends", isLocated: true)),
    Self("forks-without-end.c", .quarantined(.timedOut, "1 s of processor time in its entry")),
    Self("processes-without-end.c", .quarantined(.meddled, "leaves a process behind")),
    Self("thread-left.c", .works),
    Self("thread-ended-late.c", .works),
    Self("busy-thread-left.c", .works),
    Self("threads-without-end.c", .quarantined(.meddled, "starts threads until")),
    Self("unique-symbol.cpp", .works),
  ]

  /// The expected part of the reason for a system call of another architecture's interface; only some machines have one.
  private static var foreignCall: String {
    #if arch(x86_64)
      "calls the kernel"
    #else
      "traces a process"
    #endif
  }

  private static let states: [FaultyPlugin] = [
    Self("forged-answer.c", .quarantined(.meddled, "writes to descriptors")),
    Self("close-standard-input.c", .quarantined(.meddled, "closes descriptors")),
    Self("replace-standard-input.c", .quarantined(.meddled, "closes descriptors")),
    Self("replace-descriptors.c", .quarantined(.meddled, "closes descriptors")),
    Self("output-that-does-not-wait.c", .quarantined(.meddled, "flags of descriptors")),
    Self("lock-memory.c", .quarantined(.meddled, "locks all memory", isLocated: true)),
    Self("separate-descriptors.c", .quarantined(.meddled, "descriptors or directories of its own", isLocated: true)),
    Self(
      "separate-descriptors.c", as: "separate-directories",
      .quarantined(.meddled, "descriptors or directories of its own", isLocated: true),
      options: ["-DID=\"org.example.separate-directories\"", "-DKIND=CLONE_FS"]),
    Self(
      "separate-descriptors.c", as: "separate-own-thread", .works,
      options: ["-DID=\"org.example.separate-own-thread\"", "-DON_OWN_THREAD"]),
    Self("timer.c", .quarantined(.meddled, "starts a timer")),
    // Changes without harm, of which the host warns.
    Self("one-processor.c", .works),
    Self("locale.c", .works),
    Self("rounding-mode.c", .works),
    Self("floating-point-exceptions.c", .works),
    Self("environment.c", .works),
    Self("batch-scheduling.c", .quarantined(.meddled, "is scheduled")),
    Self("close-descriptors.c", .quarantined(.meddled, "closes descriptors")),
    Self("close-in-constructor.c", .quarantined(.meddled, "closes descriptors")),
    Self("close-standard-streams.c", .quarantined(.meddled, "closes descriptors")),
    Self("close-and-crash.c", .quarantined(.crashed, "SIGSEGV in its entry")),
    Self("shut-sockets.c", .quarantined(.meddled, "closes descriptors")),
    Self("write-everywhere.c", .quarantined(.meddled, "writes to descriptors")),
    Self("descriptors-without-end.c", .quarantined(.meddled, "opens descriptors")),
    Self("signal-handler.c", .quarantined(.meddled, "handler of SIGINT")),
    Self("signal-handler-in-constructor.c", .quarantined(.meddled, "handler of SIGPIPE")),
    Self("signal-mask.c", .quarantined(.meddled, "which signals the thread")),
    Self("working-directory.c", .quarantined(.meddled, "the working directory")),
    Self("deleted-directory.c", .quarantined(.meddled, "the working directory")),
    Self("umask.c", .quarantined(.meddled, "the mask of permissions")),
    Self("alarm.c", .quarantined(.meddled, "starts a timer")),
    Self("clear-environment.c", .quarantined(.meddled, "clears the environment")),
    Self("limits.c", .quarantined(.meddled, "lowers the limit RLIMIT_FSIZE")),
    Self("priority.c", .quarantined(.meddled, "the priority")),
    // The host cannot know which effects of a constructor are wrong; this one creates a file.
    Self("constructor.c", .works, options: ["-DMARK=\"/dev/null\""]),
  ]

  private static let factories: [FaultyPlugin] = [
    Self("long-messages.c", .rejected("TROUPE_FAILED: xxx")),
    Self("entry-fails.c", .rejected("TROUPE_FAILED: there is no license")),
    Self("null-factory.c", .rejected("registers NULL")),
    Self("null-uuid.c", .rejected("NULL as its uuid")),
    Self("null-name.c", .rejected("NULL as its name")),
    Self("null-signature.c", .rejected("NULL as its signature")),
    Self("null-function.c", .rejected("NULL as its function")),
    Self("null-tags.c", .rejected("2 tags")),
    Self("null-metadata.c", .rejected("1 entries of metadata")),
    Self("null-table.c", .rejected("vtable is NULL")),
    Self("null-in-table.c", .rejected("NULL for finish")),
    Self("malformed-factory.c", .rejected("a tag that is not UTF-8"), options: ["-DFAULT=good.tags = bad_tags"]),
    Self("too-many-tags.c", .rejected("4294967295 tags")),
    Self("zero-struct-size.c", .rejected("struct_size 0")),
    Self("small-struct-size.c", .rejected("struct_size 8")),
    Self("bad-uuid.c", .rejected("the uuid \"number-one\"")),
    Self("bad-name.c", .rejected("a name that")),
    Self("bad-signature.c", .rejected("column 6: ")),
    Self("bad-contract.c", .rejected("the contract \"org.example.box\"")),
    Self("bad-lifetime.c", .rejected("the lifetime 77")),
    Self("destroy-without-contract.c", .rejected("no contract")),
    Self(
      "duplicate-uuid.c",
      .rejected("\"first\" of org.example.duplicate-uuid-in-c"),
      options: ["-DID=\"org.example.duplicate-uuid-in-c\""]),
    Self("registers-twice.c", .rejected("\"one\" of org.example.registers-twice")),
    Self("registers-on-thread.c", .rejected("TROUPE_WRONG_THREAD")),
    Self("data-function.c", .quarantined(.refused, "whose function is at")),
    Self("data-in-table.c", .rejected("vtable has an address without code for finish")),
    // A fault in `destroy` appears only with an instance.
    Self("crash-in-destroy.c", .works),
    Self("data-destroy.c", .quarantined(.refused, "whose destroy function")),
    // A later version may append members.
    Self("huge-struct-size.c", .works),
    // Its other factories work; each late registration is refused.
    Self("late-registration.c", .works, options: ["-DID=\"org.example.late-registration-in-c\""]),
  ]

  private static let requirements: [FaultyPlugin] = [
    Self("cycle-of-two-a.c", .refused("org.example.cycle-of-two-a → org.example.cycle-of-two-b → org.example.cycle-of-two-a")),
    Self("cycle-of-two-b.c", .refused("org.example.cycle-of-two-b → org.example.cycle-of-two-a → org.example.cycle-of-two-b")),
    Self(
      "cycle-of-three-a.c",
      .refused("org.example.cycle-of-three-a → org.example.cycle-of-three-b → org.example.cycle-of-three-c → ")),
    Self(
      "cycle-of-three-b.c",
      .refused("org.example.cycle-of-three-b → org.example.cycle-of-three-c → org.example.cycle-of-three-a → ")),
    Self(
      "cycle-of-three-c.c",
      .refused("org.example.cycle-of-three-c → org.example.cycle-of-three-a → org.example.cycle-of-three-b → ")),
    Self("needs-itself.c", .refused("org.example.needs-itself → org.example.needs-itself")),
    Self("needs-missing-plugin.c", .refused("needs org.example.missing")),
    Self("needs-other-version.c", .refused("needs org.example.empty ^2.0.0")),
    Self("needs-contract.c", .refused("needs the contract org.example.nothing/1")),
    Self("needs-crash.c", .rejected("needs org.example.crash-in-entry")),
  ]

  private static let swift: [FaultyPlugin] = [
    Self("fatal-error.swift", .quarantined(.crashed, "Fatal error: there is no way on\"")),
    Self("array-index.swift", .quarantined(.crashed, "in its entry", isLocated: true)),
    Self("arithmetic-overflow.swift", .quarantined(.crashed, "in its entry", isLocated: true)),
    Self("unwrapping-nil.swift", .quarantined(.crashed, "in its entry", isLocated: true)),
    Self("forced-cast.swift", .quarantined(.crashed, "Could not cast value of type 'Swift.String'")),
    Self("bad-uuid.swift", as: "bad-uuid-swift", .rejected("number-one")),
    Self("duplicate-uuid.swift", as: "duplicate-uuid-swift", .rejected("\"first\" of org.example.duplicate-uuid")),
    Self("registers-twice.swift", as: "registers-twice-swift", .rejected("\"one\" of org.example.registers-twice-in-swift")),
    Self("late-registration.swift", as: "late-registration-swift", .works),
    Self("throwing-activation.swift", .rejected("failed when it was activated: the device is not plugged in")),
    Self("throwing-transform.swift", .works),
  ]
}

extension [UInt8] {
  /// Changes the type and the flags of each program header of an ELF file.
  fileprivate mutating func changeProgramHeaders(_ change: (_ type: UInt32, _ flags: UInt32) -> (UInt32, UInt32)) {
    withUnsafeMutableBytes { bytes in
      let start = Int(bytes.loadUnaligned(fromByteOffset: 32, as: UInt64.self))
      for index in 0..<Int(bytes.loadUnaligned(fromByteOffset: 56, as: UInt16.self)) {
        let header = start + index * 56
        let (type, flags) = change(
          bytes.loadUnaligned(fromByteOffset: header, as: UInt32.self),
          bytes.loadUnaligned(fromByteOffset: header + 4, as: UInt32.self))
        bytes.storeBytes(of: type, toByteOffset: header, as: UInt32.self)
        bytes.storeBytes(of: flags, toByteOffset: header + 4, as: UInt32.self)
      }
    }
  }
}
