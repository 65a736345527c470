import Foundation
import TestSupport

/// A file of `Tests/Fixtures/faulty`, or a patched build of one, with the host's expected verdict.
struct FaultyPlugin: Sendable {
  /// The final state of a plugin, with a part of the reason.
  enum Verdict: Sendable {
    /// The host refuses the file before any of its code runs.
    case refused(String)
    /// Loading fails.
    case rejected(String)
    /// The probe detected harm.
    case quarantined(String)
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
    try Tree.compile([Tree.fixture("faulty/" + fixture)], to: path, options: options)
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
    Self("bad-id.c", .refused("has a manifest that has the id \"nope\", which is not in reverse DNS notation")),
    Self("bad-version.c", .refused("has a manifest that has the version \"one\", which is not a semantic version")),
    Self("bad-requirement.c", .refused("has a manifest that requires \"!\"")),
    Self("missing-member.c", .refused("has a manifest that has no \"abi\"")),
    Self("not-json.c", .refused("has a manifest that is not JSON")),
    Self("not-utf8.c", .refused("has a manifest that is not UTF-8")),
    Self("empty-manifest.c", .refused("has a manifest that is not JSON")),
    Self("manifest.c", .refused("has a manifest that is not a JSON object"), options: ["-DMANIFEST=\"[]\""]),
    Self("duplicate-id.c", .refused("has the id org.example.empty, as ")),
    Self("no-manifest.c", .refused("has no Troupe manifest")),
    Self("note-too-long.c", .refused("has a manifest of 104857600 bytes, and 65536 are allowed")),
    Self("note-of-four-gigabytes.c", .refused("has a manifest of 4294967295 bytes, and 65536 are allowed")),
    Self("note-truncated.c", .refused("has a damaged manifest: the note reaches beyond the notes' end")),
    Self("note-name-too-long.c", .refused("has no Troupe manifest")),
    Self("note-name-without-nul.c", .refused("has no Troupe manifest")),
    Self("note-of-somebody-else.c", .refused("has no Troupe manifest")),
    Self("two-notes.c", .works),
    Self("other-abi-major.c", .refused("is for version 2.0 of the ABI, and this host has 1.0")),
    Self("newer-abi-minor.c", .refused("needs version 1.999 of the ABI, and this host has the older 1.0")),
  ]

  /// Faults of the file: patches of a plugin that would otherwise only lack its entry.
  private static let images: [FaultyPlugin] = [
    Self("no-entry.c", .rejected("has no function troupe_plugin_main")),
    Self("no-entry.c", as: "32-bit", .refused("is a 32-bit library")) { $0[4] = 1 },
    Self("no-entry.c", as: "big-endian", .refused("is a big-endian library")) { $0[5] = 2 },
    Self("no-entry.c", as: "program", .refused("is an ELF file, but not a shared library")) { $0[16] = 2 },
    Self("no-entry.c", as: "other-machine", .refused("is for machine number 4711, and this host runs on ")) {
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
    Self("no-entry.c", as: "no-program-headers", .refused("is damaged: it has no program headers")) {
      ($0[56], $0[57]) = (0, 0)
    },
    Self("no-entry.c", as: "odd-program-headers", .refused("is damaged: its program headers have a wrong size")) { $0[54] = 1 },
    Self("no-entry.c", as: "sections-beyond-end", .refused("is truncated: its section headers reach beyond its end")) {
      $0[46] = 0x7F
    },
    Self("no-entry.c", as: "truncated", .refused("is truncated: ")) { $0.removeSubrange(700...) },
    Self("no-entry.c", as: "header-only", .refused("is truncated: ")) { $0.removeSubrange(64...) },
    Self("no-entry.c", as: "empty-file", .refused("is not an ELF file")) { $0 = [] },
    Self("no-entry.c", as: "text-file", .refused("is not an ELF file")) { $0 = Array("#!/bin/sh\n".utf8) },
    Self("missing-dependency.c", .rejected("undefined symbol: from_elsewhere")),
    Self(
      "missing-dependency.c", as: "missing-library", .rejected("libq.so.6: cannot open shared object file"),
      options: ["-DID=\"org.example.missing-library\"", "-Wl,--no-as-needed", "-lm"]
    ) {
      if let name = $0.firstRange(of: Array("libm.so.6".utf8)) { $0[name.lowerBound + 3] = UInt8(ascii: "q") }
    },
  ]

  private static let crashes: [FaultyPlugin] = [
    Self(
      "crash-in-constructor.c", .quarantined("crashed with SIGSEGV when its library was opened, at crash-in-constructor.so+0x")),
    Self("crash-in-entry.c", .quarantined("crashed with SIGSEGV in its entry, at crash-in-entry.so+0x")),
    Self(
      "crash-in-destructor.c", .quarantined("crashed with SIGSEGV when its library was closed, at crash-in-destructor.so+0x")),
    Self("crash-in-thread.c", .quarantined("crashed with SIGSEGV in its entry, at crash-in-thread.so+0x")),
    Self("stack-overflow.c", .quarantined("crashed with SIGSEGV in its entry, at stack-overflow.so+0x")),
    Self("jump-to-null.c", .quarantined("crashed with SIGSEGV in its entry, at jump-to-null.so+0x")),
    Self("table-nowhere.c", .quarantined("crashed with SIGSEGV in its entry, at table-nowhere.so+0x")),
    Self("memory-file.c", .quarantined("crashed with SIGXFSZ in its entry, at memory-file.so+0x")),
    Self("bus-error.c", .quarantined("crashed with SIGBUS in its entry, at bus-error.so+0x")),
    Self("illegal-instruction.c", .quarantined(" in its entry, at illegal-instruction.so+0x")),
    Self("abort.c", .quarantined("crashed with SIGABRT in its entry, at abort.so+0x")),
    Self("freed-twice.c", .quarantined("crashed with SIGABRT in its entry, at freed-twice.so+0x")),
    Self("memory-without-end.c", .quarantined("crashed with SIGABRT in its entry, at memory-without-end.so+0x")),
    Self("exception-in-entry.cpp", .quarantined("/ what():  uncaught\"")),
    Self(
      "exception-in-constructor.cpp",
      .quarantined("crashed with SIGABRT when its library was opened, at exception-in-constructor.so+0x")),
    Self(
      "pure-virtual-call.cpp", .quarantined("\"pure virtual method called / terminate called without an active exception\"")),
  ]

  private static let atExit: [FaultyPlugin] = [
    // Its tests are in CrashLoopTests.
    Self("crash-after-probe.c", .works),
    atExit("crash", "*(volatile int *)8 = 1", "crashed with SIGSEGV when the process exited, at crash-at-exit.so+0x"),
    atExit("hang", "for (;;) {}", "used more than 1 s of processor time when the process exited, at hang-at-exit.so+0x"),
    atExit("wait", "for (;;) pause()", "waited for more than 3 s when the process exited"),
    atExit("exit", "_exit(3)", "ended the process with status 3 when the process exited"),
    atExit(
      "destructor", "*(volatile int *)8 = 1", "crashed with SIGSEGV when the process exited, at destructor-at-exit.so+0x",
      options: ["-DIN_DESTRUCTOR"]),
  ]

  private static func atExit(_ name: String, _ action: String, _ reason: String, options: [String] = []) -> FaultyPlugin {
    Self(
      "at-exit.c", as: "\(name)-at-exit", .quarantined(reason),
      options: ["-DID=\"org.example.\(name)-at-exit\"", "-DACTION=\(action)", "-Wl,-z,nodelete"] + options)
  }

  private static let hangs: [FaultyPlugin] = [
    Self(
      "hang-in-constructor.c",
      .quarantined("used more than 1 s of processor time when its library was opened, at hang-in-constructor.so+0x")),
    Self("hang-in-entry.c", .quarantined("used more than 1 s of processor time in its entry, at hang-in-entry.so+0x")),
    Self(
      "hang-in-destructor.c",
      .quarantined("used more than 1 s of processor time when its library was closed, at hang-in-destructor.so+0x")),
    Self(
      "wait-in-constructor.c",
      .quarantined("waited for more than 3 s when its library was opened, at wait-in-constructor.so+0x")),
    Self("wait-in-entry.c", .quarantined("waited for more than 3 s in its entry, at wait-in-entry.so+0x")),
    Self("deadlock.c", .quarantined("waited for more than 3 s in its entry, at deadlock.so+0x")),
    Self("endless-printing.c", .quarantined(" in its entry, at endless-printing.so+0x")),
    Self("daemon-and-wait.c", .quarantined("waited for more than 3 s in its entry, at daemon-and-wait.so+0x")),
    Self("stop.c", .quarantined("waited for more than 3 s in its entry")),
    Self("busy-children.c", .quarantined("used more than 1 s of processor time in its entry, at busy-children.so+0x")),
    Self("deaf.c", .quarantined("used more than 1 s of processor time in its entry")),
    // Standard input is /dev/null.
    Self("read-standard-input.c", .works),
  ]

  private static let exits: [FaultyPlugin] = [
    Self("exit.c", .quarantined("ended the process with status 3 in its entry")),
    Self("exit-immediately.c", .quarantined("ended the process with status 0 in its entry")),
    Self("quick-exit.c", .quarantined("ended the process with status 5 in its entry")),
    Self("exit-in-constructor.c", .quarantined("ended the process with status 6 when its library was opened")),
    Self("exit-from-thread.c", .quarantined("ended the process with status 7 in its entry")),
    Self("end-of-thread.c", .quarantined("ended the process with status 0 in its entry")),
    Self("exit-as-probe.c", .quarantined("ended the process with status 71 when its library was opened")),
    Self("exec.c", .quarantined("ended the process with status 1 in its entry")),
  ]

  private static let processes: [FaultyPlugin] = [
    Self("fork-and-leave.c", .quarantined("it leaves a process behind")),
    Self("fork-and-return.c", .quarantined("it leaves a process behind")),
    Self("daemon.c", .quarantined("it leaves a process behind")),
    Self("zombie.c", .quarantined("it leaves a process behind")),
    Self("daemon-and-crash.c", .quarantined("crashed with SIGSEGV in its entry, at daemon-and-crash.so+0x")),
    Self("leave-group.c", .quarantined("it leaves the process group")),
    Self(
      "kill-parent.c", .quarantined("it sends a signal to a process that is not its own in its entry, at kill-parent.so+0x")),
    Self("kill-group.c", .quarantined("it sends its own process a signal that ends it in its entry, at kill-group.so+0x")),
    Self("kill-itself.c", .quarantined("it sends its own process a signal that ends it in its entry, at kill-itself.so+0x")),
    Self(
      "raise-termination.c",
      .quarantined("it sends its own process a signal that ends it in its entry, at raise-termination.so+0x")),
    Self("traced.c", .quarantined("it traces a process, or has itself traced, in its entry, at traced.so+0x")),
    Self(
      "kill-thread.c", .quarantined("it sends a signal to a process that is not its own in its entry, at kill-thread.so+0x")),
    Self(
      "queue-signal.c", .quarantined("it sends a signal to a process that is not its own in its entry, at queue-signal.so+0x")),
    Self(
      "signal-by-descriptor.c",
      .quarantined("it sends a signal to a process that is not its own in its entry, at signal-by-descriptor.so+0x")),
    Self(
      "signal-by-file.c",
      .quarantined("it sends a signal to a process that is not its own in its entry, at signal-by-file.so+0x")),
    Self("kill-from-child.c", .quarantined("it sends its own process a signal that ends it; fix it")),
    Self("kill-by-program.c", .quarantined("it sends a signal to a process that is not its own; fix it")),
    Self(
      "limits-of-others.c",
      .quarantined("it reads or changes a process that is not its own in its entry, at limits-of-others.so+0x")),
    Self(
      "memory-of-others.c",
      .quarantined("it reads or changes a process that is not its own in its entry, at memory-of-others.so+0x")),
    Self("foreign-call.c", .quarantined(foreignCall)),
    Self(
      "strict-mode.c", .quarantined("it restricts what its process may ask of the kernel in its entry, at strict-mode.so+0x")),
    Self(
      "adopt-orphans.c",
      .quarantined("it changes which process adopts orphans in its entry, at adopt-orphans.so+0x")),
    Self(
      "end-with-parent.c",
      .quarantined("it changes which signal the process gets when its parent ends in its entry, at end-with-parent.so+0x")),
    Self("forks-without-end.c", .quarantined("used more than 1 s of processor time in its entry")),
    Self("processes-without-end.c", .quarantined("it leaves a process behind")),
    Self("thread-left.c", .quarantined("it leaves threads running in a library that can be closed under them")),
    Self(
      "thread-left.c", as: "thread-that-may-stay", .works,
      options: ["-Wl,-z,nodelete", "-DID=\"org.example.thread-that-may-stay\""]),
    Self("thread-ended-late.c", .works),
    Self("busy-thread-left.c", .quarantined("it leaves threads running in a library that can be closed under them")),
    Self("threads-without-end.c", .quarantined("it leaves threads running in a library that can be closed under them")),
    Self("unique-symbol.cpp", .works),
  ]

  /// The expected reason for a system call of another architecture's interface; only some machines have one.
  private static var foreignCall: String {
    #if arch(x86_64)
      "it calls the kernel as a program for another machine does in its entry, at foreign-call.so+0x"
    #else
      "it traces a process, or has itself traced, in its entry, at foreign-call.so+0x"
    #endif
  }

  private static let states: [FaultyPlugin] = [
    Self("forged-answer.c", .quarantined("it writes to descriptors that are not its own")),
    Self("close-standard-input.c", .quarantined("it closes descriptors that are not its own")),
    Self("replace-standard-input.c", .quarantined("it closes descriptors that are not its own")),
    Self("replace-descriptors.c", .quarantined("it closes descriptors that are not its own")),
    Self("output-that-does-not-wait.c", .quarantined("it changes the flags of descriptors that are not its own")),
    Self("lock-memory.c", .quarantined("it locks all memory of the process in its entry, at lock-memory.so+0x")),
    Self("timer.c", .quarantined("it starts a timer of the process")),
    Self(
      "one-processor.c",
      ProcessInfo.processInfo.processorCount > 1
        ? .quarantined("it changes on which processors the process runs") : .works),
    Self("batch-scheduling.c", .quarantined("it changes how the process is scheduled")),
    Self("close-descriptors.c", .quarantined("it closes descriptors that are not its own")),
    Self("close-in-constructor.c", .quarantined("it closes descriptors that are not its own")),
    Self("close-standard-streams.c", .quarantined("it closes descriptors that are not its own")),
    Self("close-and-crash.c", .quarantined("crashed with SIGSEGV in its entry")),
    Self("shut-sockets.c", .quarantined("it closes descriptors that are not its own")),
    Self("write-everywhere.c", .quarantined("it writes to descriptors that are not its own")),
    Self("descriptors-without-end.c", .quarantined("it opens descriptors until there are none left")),
    Self("signal-handler.c", .quarantined("it changes the handler of SIGINT")),
    Self("signal-handler-in-constructor.c", .quarantined("it changes the handler of SIGPIPE")),
    Self("signal-mask.c", .quarantined("it changes which signals the thread that loads it blocks")),
    Self("locale.c", .quarantined("it changes the locale")),
    Self("working-directory.c", .quarantined("it changes the working directory")),
    Self("deleted-directory.c", .quarantined("it changes the working directory")),
    Self("umask.c", .quarantined("it changes the mask of permissions of new files")),
    Self("rounding-mode.c", .quarantined("it changes how floating-point numbers are calculated")),
    Self("floating-point-exceptions.c", .quarantined("it changes how floating-point numbers are calculated")),
    Self("alarm.c", .quarantined("it starts a timer of the process")),
    Self("environment.c", .quarantined("it changes the environment, which another thread may be reading")),
    Self("clear-environment.c", .quarantined("it changes the environment, which another thread may be reading")),
    Self("limits.c", .quarantined("it changes the limits of the process")),
    Self("priority.c", .quarantined("it changes the priority of the process")),
    // The host cannot know which effects of a constructor are wrong; this one creates a file.
    Self("constructor.c", .works, options: ["-DMARK=\"/dev/null\""]),
  ]

  private static let factories: [FaultyPlugin] = [
    Self("long-messages.c", .rejected("was refused by its own entry, which returned TROUPE_FAILED: xxx")),
    Self("entry-fails.c", .rejected("was refused by its own entry, which returned TROUPE_FAILED: there is no licence")),
    Self("null-factory.c", .rejected("it registers NULL; pass the address of a troupe_factory")),
    Self("null-uuid.c", .rejected("a factory: has NULL as its uuid")),
    Self("null-name.c", .rejected("has NULL as its name")),
    Self("null-signature.c", .rejected("the factory \"one\": has NULL as its signature")),
    Self("null-function.c", .rejected("the factory \"one\": has NULL as its function")),
    Self("null-tags.c", .rejected("the factory \"one\": has 2 tags but NULL for them")),
    Self("null-metadata.c", .rejected("the factory \"one\": has 1 entries of metadata but NULL for them")),
    Self("null-table.c", .rejected("the factory \"one\": vtable is NULL")),
    Self("null-in-table.c", .rejected("the factory \"one\": vtable has NULL for finish")),
    Self(
      "malformed-factory.c", .rejected("the factory \"good\": has a tag that is not UTF-8"),
      options: ["-DFAULT=good.tags = bad_tags"]),
    Self("too-many-tags.c", .rejected("the factory \"one\": has 4294967295 tags; at most 1024 are allowed")),
    Self("zero-struct-size.c", .rejected("it registers a factory with struct_size 0; set it to sizeof(troupe_factory)")),
    Self("small-struct-size.c", .rejected("it registers a factory with struct_size 8; set it to sizeof(troupe_factory)")),
    Self("bad-uuid.c", .rejected("it registers a factory with the uuid \"number-one\", which is not one")),
    Self("bad-name.c", .rejected("has a name that is not UTF-8")),
    Self("bad-signature.c", .rejected("the factory \"one\": signature \"int ((\": column 6: ")),
    Self("bad-contract.c", .rejected("the factory \"one\": has the contract \"org.example.box\"")),
    Self("bad-lifetime.c", .rejected("the factory \"one\": has the lifetime 77")),
    Self("destroy-without-contract.c", .rejected("the factory \"one\": has a destroy function but no contract")),
    Self(
      "duplicate-uuid.c",
      .rejected("which \"first\" of org.example.duplicate-uuid-in-c already has; make another with uuidgen"),
      options: ["-DID=\"org.example.duplicate-uuid-in-c\""]),
    Self("registers-twice.c", .rejected("which \"one\" of org.example.registers-twice already has; make another with uuidgen")),
    Self(
      "registers-on-thread.c",
      .rejected("returned TROUPE_WRONG_THREAD: it registers on another thread than the one that runs its entry")),
    Self("data-function.c", .quarantined("registers the factory \"one\", whose function is at an address without code")),
    Self("data-in-table.c", .rejected("the factory \"one\": vtable has an address without code for finish")),
    // A fault in `destroy` appears only with an instance.
    Self("crash-in-destroy.c", .works),
    Self("data-destroy.c", .quarantined("whose destroy function is at an address without code")),
    // A later version may append members.
    Self("huge-struct-size.c", .works),
    // Its other factories work; each late registration is refused.
    Self("late-registration.c", .works, options: ["-DID=\"org.example.late-registration-in-c\""]),
  ]

  private static let requirements: [FaultyPlugin] = [
    Self(
      "cycle-of-two-a.c",
      .refused("needs itself: org.example.cycle-of-two-a → org.example.cycle-of-two-b → org.example.cycle-of-two-a")),
    Self(
      "cycle-of-two-b.c",
      .refused("needs itself: org.example.cycle-of-two-b → org.example.cycle-of-two-a → org.example.cycle-of-two-b")),
    Self(
      "cycle-of-three-a.c",
      .refused("needs itself: org.example.cycle-of-three-a → org.example.cycle-of-three-b → org.example.cycle-of-three-c → ")),
    Self(
      "cycle-of-three-b.c",
      .refused("needs itself: org.example.cycle-of-three-b → org.example.cycle-of-three-c → org.example.cycle-of-three-a → ")),
    Self(
      "cycle-of-three-c.c",
      .refused("needs itself: org.example.cycle-of-three-c → org.example.cycle-of-three-a → org.example.cycle-of-three-b → ")),
    Self("needs-itself.c", .refused("needs itself: org.example.needs-itself → org.example.needs-itself")),
    Self("needs-nobody.c", .refused("needs org.example.nobody, and no plugin of that id was found")),
    Self("needs-other-version.c", .refused("needs org.example.empty ^2.0.0, and ")),
    Self("needs-contract.c", .refused("needs the contract org.example.nothing/1, which no plugin that was found provides")),
    Self("needs-crash.c", .rejected("needs org.example.crash-in-entry, and ")),
  ]

  private static let swift: [FaultyPlugin] = [
    Self("fatal-error.swift", .quarantined("Fatal error: there is no way on\"")),
    Self("array-index.swift", .quarantined(" in its entry, at array-index.so+0x")),
    Self("arithmetic-overflow.swift", .quarantined(" in its entry, at arithmetic-overflow.so+0x")),
    Self("unwrapping-nil.swift", .quarantined(" in its entry, at unwrapping-nil.so+0x")),
    Self("forced-cast.swift", .quarantined("Could not cast value of type 'Swift.String'")),
    Self("bad-uuid.swift", as: "bad-uuid-swift", .rejected("number-one")),
    Self(
      "duplicate-uuid.swift", as: "duplicate-uuid-swift",
      .rejected("which \"first\" of org.example.duplicate-uuid already has; make another with uuidgen")),
    Self(
      "registers-twice.swift", as: "registers-twice-swift",
      .rejected("which \"one\" of org.example.registers-twice-in-swift already has; make another with uuidgen")),
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
