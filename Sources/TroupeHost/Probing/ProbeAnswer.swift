internal import CProbe
internal import Glibc

extension PluginHost {
  /// Runs the probe and ends the process, if this process was started as a probe; returns otherwise.
  ///
  /// A program needs this function if its plugins fail without the services of the program, or if a probe has to check them against
  /// the contracts of the program. It then sets `Options.answersProbes` and calls this function first:
  ///
  /// ```swift
  /// var options = PluginHost.Options(directories: ["plugins"], contracts: [clock])
  /// options.answersProbes = true
  /// PluginHost.answerProbes(options)
  /// let host = PluginHost(options)
  /// ```
  ///
  /// - Parameter options: The options of the host; the probe uses their services and contracts.
  public static func answerProbes(_ options: Options) {
    guard let text = Environment.value(ProbeAnswer.variable), let descriptor = Int32(text) else { return }
    unsetenv(ProbeAnswer.variable)
    troupe_probe_watch(descriptor)
    ProbeChild(ProbeChannel(moving: descriptor), offers: options).run()
  }
}

/// The request to a program to run `PluginHost.answerProbes`.
enum ProbeAnswer {
  /// The environment variable with the descriptor of the channel.
  static let variable = "TROUPE_PROBE_ANSWER"

  /// Ends a process that was started as a probe and uses a host instead: it must not start probes.
  static func stop() {
    guard Environment.value(variable) != nil else { return }
    let complaint =
      "this program was started to probe a plugin and does not call PluginHost.answerProbes before it uses a host\n"
    _ = Array(complaint.utf8).withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
    _exit(70)
  }
}
