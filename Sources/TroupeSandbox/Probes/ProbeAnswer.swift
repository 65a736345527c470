internal import Glibc
internal import TroupeFiles

/// The request to a program to run `PluginHost.runAsProbeIfRequested`.
package enum ProbeAnswer {
  /// The environment variable with the descriptor of the channel.
  package static let variable = "TROUPE_PROBE_ANSWER"

  /// Ends a process that was started as a probe and uses a host instead: it must not start probes.
  package static func stop() {
    guard Environment.value(variable) != nil else { return }
    let complaint =
      "this program was started to probe a plugin and does not call PluginHost.runAsProbeIfRequested before it uses a host\n"
    _ = Array(complaint.utf8).withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
    _exit(70)
  }
}
