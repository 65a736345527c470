internal import CSandbox
internal import Glibc
internal import TroupeFiles
internal import TroupeSandbox

/// Runs a check in the calling process and ends the process. Called by the launcher of the command.
@c(troupe_check_main)
public func troupeCheckMain(_ descriptor: Int32) {
  troupe_probe_watch(descriptor)
  CheckChild(channel: ProbeChannel(moving: descriptor)).run()
}

/// The child process of one check: request in, steps and one result out, over the channel of the probe.
///
///     Validator ── CheckRequest ──► CheckChild
///               ◄── ready, CheckStep …, CheckResult, done ──
///
/// The parent learns of a crash from the end of the process, and names the last step. The result is sent before the exit handlers of
/// the plugin run.
struct CheckChild {
  let channel: ProbeChannel

  /// The limits of the process. A thousand instances may each have a descriptor.
  private static let (memory, descriptors): (UInt64, UInt64) = (4 << 30, 2048)
  /// The exit status of a process that cannot read its request.
  private static let invalidRequest: Int32 = 70

  /// Reads the request, runs the check, reports the result and ends the process.
  func run() -> Never {
    guard let bytes = channel.readAll(), let request = try? RecordReader.value(CheckRequest.self, bytes),
      let check = Checks.named(request.check)
    else { _exit(Self.invalidRequest) }
    ChildLimits.set(memory: Self.memory, descriptors: Self.descriptors)
    troupe_probe_report_signals(channel.descriptor)
    channel.send(TROUPE_PROBE_READY)
    let process = getpid()
    let subject = CheckedFile(request, descriptors: [channel.descriptor]) { [channel] activity in
      channel.send(TROUPE_PROBE_STEP, RecordWriter.bytes(CheckStep(activity)))
    }
    let result = check.run(subject)
    // A process that the plugin forked returns here, too.
    guard getpid() == process else { _exit(0) }
    // The plugin may have closed or replaced the channel.
    guard channel.send(TROUPE_PROBE_REPORT, RecordWriter.bytes(result)) else { troupe_probe_end_mute() }
    if check.includesExit && !Sanitizer.isLoaded { exit() }
    troupe_probe_ignore_signals()
    guard channel.send(TROUPE_PROBE_DONE) else { troupe_probe_end_mute() }
    // The hosts live on, so that no further code of the plugin runs.
    withExtendedLifetime(subject) { _exit(0) }
  }

  /// Ends the process as a program ends, which runs exit handlers and destructors.
  private func exit() -> Never {
    channel.send(TROUPE_PROBE_STEP, RecordWriter.bytes(CheckStep("when the process exited", isExit: true)))
    guard channel.send(TROUPE_PROBE_DONE) else { troupe_probe_end_mute() }
    Glibc.exit(0)
  }
}
