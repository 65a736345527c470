internal import CSandbox
internal import Glibc
package import TroupeFiles

/// The plugin's side of a `Child`: reads the request, sends steps and one report, and ends the process.
///
/// ```swift
/// let session = ChildSession(descriptor)
/// guard let request = session.request(ProbeRequest.self) else { _exit(70) }
/// session.begin(memory: request.memory, descriptors: request.descriptors)
/// session.send(step: ProbeStep(.opening, request.id))
/// session.send(report: report)
/// session.end()
/// ```
///
/// The plugin may close or replace the channel. The session then ends the process in a way that the watching process recognizes. Not
/// thread-safe: messages carry a key whose memory can be read only while one is sent.
package struct ChildSession: Sendable {
  /// The channel, which a plugin must leave alone.
  package let descriptor: Int32

  /// Forks. The parent watches and does not return; the new process returns, and may load a plugin.
  package init(_ channel: Int32) {
    troupe_probe_watch(channel)
    var limits = rlimit()
    getrlimit(Int32(RLIMIT_NOFILE.rawValue), &limits)
    // A high number, which output of the plugin and programs that it starts are unlikely to use.
    let moved = fcntl(channel, F_DUPFD_CLOEXEC, Int32(max(min(limits.rlim_cur, 188), 16)) - 8)
    descriptor = moved >= 0 ? moved : channel
    if moved >= 0 { close(channel) } else { _ = fcntl(channel, F_SETFD, FD_CLOEXEC) }
  }

  /// Reads the request; nil if that fails.
  package func request<Request: Recordable>(_ type: Request.Type) -> Request? {
    let channel = FileDescriptor(owning: descriptor)
    let bytes = try? channel.readToEnd()
    _ = channel.release()
    return bytes.flatMap { try? RecordReader.value(type, $0) }
  }

  /// Sets the limits of the process and installs the handlers that report crashes.
  ///
  /// - Parameters:
  ///   - memory: The private memory that can be written, in bytes; nil for no limit. The address space has no limit,
  ///     since the JVM, V8 and CUDA reserve tens of gigabytes of it. Ignored with the runtime of a sanitizer.
  ///   - descriptors: The number of descriptors.
  package func begin(memory: UInt64?, descriptors: UInt64) {
    replaceInput()
    limit(RLIMIT_CORE, 0)
    // Memory files included. No plugin needs more to be loaded.
    limit(RLIMIT_FSIZE, 1 << 30)
    if let memory, !Sanitizer.isLoaded { limit(RLIMIT_DATA, memory) }
    limit(RLIMIT_NOFILE, descriptors)
    troupe_probe_report_signals(descriptor)
    send(TROUPE_PROBE_READY)
  }

  package func send(step: some Recordable) { send(TROUPE_PROBE_STEP, RecordWriter.bytes(step)) }

  /// Sends a report that a later one may replace.
  package func send(provisional report: some Recordable) { send(TROUPE_PROBE_REPORT, RecordWriter.bytes(report)) }

  /// Sends the report, or ends a process that has lost the channel.
  package func send(report: some Recordable) {
    guard send(TROUPE_PROBE_REPORT, RecordWriter.bytes(report)) else { endWithoutChannel() }
  }

  /// Ends the process as a program ends: with exit handlers and destructors.
  ///
  /// - Parameter step: Says that the process exits.
  package func exit(_ step: some ReportedStep) -> Never {
    send(step: step)
    guard send(TROUPE_PROBE_DONE) else { endWithoutChannel() }
    Glibc.exit(0)
  }

  /// Ends the process without running exit handlers and destructors.
  package func end() -> Never {
    troupe_probe_reset_signals()
    guard send(TROUPE_PROBE_DONE) else { endWithoutChannel() }
    _exit(0)
  }

  /// Ends a process whose plugin has closed or replaced the channel.
  package func endWithoutChannel() -> Never { troupe_probe_end_without_channel() }

  @discardableResult
  private func send(_ kind: Int, _ content: [UInt8] = []) -> Bool {
    content.withUnsafeBytes { troupe_probe_send(descriptor, UInt8(kind), $0.baseAddress, $0.count) != 0 }
  }

  /// Replaces standard input by a pipe at its end, so that a plugin that replaces it again is detected.
  private func replaceInput() {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return }
    dup2(ends[0], STDIN_FILENO)
    for end in ends where end != STDIN_FILENO { close(end) }
  }

  private func limit(_ resource: __rlimit_resource, _ value: UInt64) {
    var limits = rlimit()
    guard getrlimit(Int32(resource.rawValue), &limits) == 0 else { return }
    limits.rlim_cur = min(rlim_t(value), limits.rlim_max)
    limits.rlim_max = limits.rlim_cur
    setrlimit(Int32(resource.rawValue), &limits)
  }
}

/// A step that the plugin's process reports before it begins it, so that a crash has a place.
package protocol ReportedStep: Recordable {
  /// True if the process exits from here on, for which it has the whole time limit again.
  var isExit: Bool { get }
}
