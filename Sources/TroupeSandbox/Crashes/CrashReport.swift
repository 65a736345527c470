package import CSandbox
internal import Glibc
package import TroupeFiles

/// A fatal signal and what it has interrupted: `struct troupe_crash` of the host, a probe or a worker, all of which a plugin may forge.
package struct CrashReport: Hashable, Sendable {
  package let number: Int32
  /// The cause (probe.h) for which the probe refused a system call; 0 for another signal.
  let cause: Int32
  /// The number of the system call for which the filter of a worker sent the signal; -1 for none.
  private var systemCall: Int32 = -1
  /// The address of the interrupted instruction.
  private(set) var instruction: UInt64
  /// The return addresses with those of the handler, the innermost first.
  private(set) var frames: [UInt64]
  /// The memory of an argument behind which the instruction has reached; nil for another signal.
  let overrun: Overrun?

  /// A call has allocated the memory for an argument of the function at an address.
  struct Overrun: Hashable, Sendable {
    let function: UInt64
    let position: UInt32
    /// The begin of the parameter's name; empty for none.
    let name: String
    let size: UInt64
    /// Nil if the machine does not say.
    let isWrite: Bool?

    init?(_ crash: troupe_crash) {
      guard crash.argument.position > 0 else { return nil }
      (function, position, size) = (crash.argument.function, crash.argument.position, crash.argument.size)
      name = withUnsafeBytes(of: crash.argument.name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      isWrite = crash.is_write < 0 ? nil : crash.is_write > 0
    }
  }

  package init(number: Int32, cause: Int32, instruction: UInt64, frames: [UInt64]) {
    (self.number, self.cause, self.instruction, self.frames, overrun) = (number, cause, instruction, frames, nil)
  }

  package init(_ crash: troupe_crash) {
    let frames = withUnsafeBytes(of: crash.calls) { Array($0.bindMemory(to: UInt64.self).prefix(Int(crash.call_count))) }
    (number, cause, instruction, self.frames) = (crash.signal, crash.cause, crash.instruction, frames)
    (systemCall, overrun) = (crash.system_call, Overrun(crash))
  }

  /// The interrupted instruction and the return addresses around it, without those of the handler. A handler that failed has left none.
  var calls: [UInt64] { frames.firstIndex(of: instruction).map { Array(frames[$0...]) } ?? [instruction] }

  /// The report as if one of the calls were the innermost.
  func at(_ call: UInt64) -> CrashReport {
    var report = self
    (report.instruction, report.frames) = (call, [call])
    return report
  }

  /// The system call for which the filter ended the process, such as `ptrace`; nil if it is unknown.
  package var refusedCall: String? {
    number == SIGSYS ? troupe_system_call_name(systemCall).map { String(cString: $0) } : nil
  }

  /// The largest number of frames that a probe sends.
  static let maximumFrameCount = 64
}

extension CrashReport: Recordable {
  package func write(to writer: inout RecordWriter) { writer.write(number, cause, instruction, frames) }

  package init(from reader: inout RecordReader) throws(ReadError) {
    (number, cause, instruction, frames) = try reader.values()
    overrun = nil
    guard frames.count <= Self.maximumFrameCount else { throw ReadError("no probe sends \(frames.count) frames") }
  }
}

package enum SignalName {
  /// The name of a signal, such as `SIGSEGV`; `SIGRTMIN+2` for one without a name.
  package static func of(_ signal: Int32) -> String {
    if let name = troupe_probe_signal_name(signal) { return "SIG" + String(cString: name) }
    return signal >= 34 ? "SIGRTMIN+\(signal - 34)" : "signal \(signal)"
  }
}
