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
  let instruction: UInt64
  /// The return addresses with those of the handler, the innermost first.
  let frames: [UInt64]

  package init(number: Int32, cause: Int32, instruction: UInt64, frames: [UInt64]) {
    (self.number, self.cause, self.instruction, self.frames) = (number, cause, instruction, frames)
  }

  package init(_ crash: troupe_crash) {
    let frames = withUnsafeBytes(of: crash.calls) { Array($0.bindMemory(to: UInt64.self).prefix(Int(crash.call_count))) }
    self.init(number: crash.signal, cause: crash.cause, instruction: crash.instruction, frames: frames)
    systemCall = crash.system_call
  }

  /// The interrupted instruction and the return addresses around it, without those of the handler. A handler that failed has left none.
  var calls: [UInt64] { frames.firstIndex(of: instruction).map { Array(frames[$0...]) } ?? [instruction] }

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
