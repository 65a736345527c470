import CSandbox
import Foundation

@testable import TroupeBase
@testable import TroupeFiles
@testable import TroupeSandbox

/// Writes what the fuzzer begins with into the directory that `FUZZ_SEEDS` names. Written by the code that is tested, the seeds
/// are of the format that it has.
@_cdecl("LLVMFuzzerInitialize")
public func initialize(
  _ count: UnsafeMutablePointer<CInt>?, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>?
) -> CInt {
  guard let directory = getenv("FUZZ_SEEDS").map({ String(cString: $0) }) else { return 0 }
  for (name, form, bytes) in seeds {
    do {
      try Data([form.rawValue] + bytes).write(to: URL(filePath: "\(directory)/\(name)"))
    } catch {
      fatalError("\(directory): \(error)")
    }
  }
  return 0
}

private var seeds: [(name: String, form: Form, bytes: [UInt8])] {
  var file = ProbeCacheFile(host: "h", directory: "/p")
  let empty = file
  file.entries = ["a.so": entry("/p/a.so"), "b.troupe.json": entry("/p/b.troupe.json", "/lib/b.so.1")]
  let request = ProbeRequest(
    host: "h", path: "/p/a.so", library: "/p/a.so", id: "a", needs: ["/p/b.so"], configuration: ["a": ["key": "value"]],
    memory: 1 << 32, descriptors: 256, pins: [Pins.Entry(ContentHash(of: [1]), plugin: "a")].compactMap(\.self))
  let diagnosis = Diagnosis(.refused, "/p/a.so", problem: "fails", remedy: "fix it", backtrace: ["a.so+0x1"])
  let signal = CrashReport(number: 11, cause: 0, instruction: 0x2010, frames: [0x3010, 0x2010, 0x1010])
  let maps = Array("1000-2000 r-xp 00000000 08:01 11 /h\n2000-3000 r-xp 00001000 08:01 12 /a.so\n".utf8)
  let reports: [(String, ProbeReport)] = [
    ("registered", .registered(summary)), ("rejected", .rejected(diagnosis)),
    ("meddled", .changedProcessState(["forks", "leaves"])),
    ("unusable", .unusable(diagnosis)), ("failed", .failed("it is gone")),
  ]
  let opening = (TROUPE_PROBE_STEP, RecordWriter.bytes(ProbeStep(.opening, "a")))
  let ready = (TROUPE_PROBE_READY, [] as [UInt8])
  return [
    ("empty", .registry, empty.bytes), ("whole", .registry, file.bytes),
    ("none", .entries, empty.records), ("two", .entries, file.records),
    ("request", .request, RecordWriter.bytes(request)), ("step", .step, RecordWriter.bytes(ProbeStep(.entering, "a"))),
    ("signal", .signal, RecordWriter.bytes(signal)), ("status", .status, RecordWriter.bytes(Int32(0x8B))),
    (
      "crash", .conversation,
      messages([
        ready, opening, (0, Array("Fatal error\n".utf8)), (TROUPE_PROBE_SIGNAL, RecordWriter.bytes(signal)),
        (TROUPE_PROBE_MAPS, maps), (TROUPE_PROBE_END, RecordWriter.bytes(ChildEnd(status: SIGSEGV))),
      ])
    ),
    ("not-started", .conversation, messages([(TROUPE_PROBE_NOT_STARTED, RecordWriter.bytes(EAGAIN))])),
  ]
    + reports.map { ($0.0, .report, RecordWriter.bytes($0.1)) }
    + reports.map {
      let report = (TROUPE_PROBE_REPORT, RecordWriter.bytes($0.1))
      let end = (TROUPE_PROBE_END, RecordWriter.bytes(ChildEnd()))
      return ($0.0 + "-end", .conversation, messages([ready, opening, report, (TROUPE_PROBE_DONE, []), end]))
    }
}

private func entry(_ paths: String...) -> ProbeCacheFile.Entry {
  let states = paths.map {
    FileState(
      path: $0,
      stamp: FileStamp(
        device: 1, inode: 2, size: 3, mode: 0o100644, modified: .init(seconds: -5, nanoseconds: 7),
        changed: .init(seconds: 6, nanoseconds: 8)))
  }
  return ProbeCacheFile.Entry(
    files: states, content: ContentHash(of: [1]), configuration: ContentHash(of: []), summary: summary)
}

private let summary = PluginSummary(
  registrations: [
    RegistrationDescription(
      plugin: "o.a", uuid: UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)), name: "one", contract: "o.b/1",
      tags: ["x", "y"], signature: "void ()", lifetime: .singleton, metadata: ["key": "value"]),
    RegistrationDescription(
      plugin: "o.a", uuid: nil, name: "two", contract: nil, tags: [], signature: "(Int) -> String", lifetime: .transient,
      metadata: [:], location: "A/B.swift:7", types: .swift(instance: "SS", arguments: ["Si"])),
  ], isComplete: true)

/// The inputs of `checkConversation`.
private func messages(_ messages: [(kind: Int, content: [UInt8])]) -> [UInt8] {
  messages.flatMap { [UInt8($0.kind), UInt8($0.content.count)] + $0.content }
}
