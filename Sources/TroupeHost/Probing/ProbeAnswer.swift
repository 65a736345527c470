internal import CProbe
internal import Glibc

extension PluginHost {
  /// Answers as a probe, and does not come back, if this process was started as one; does nothing otherwise.
  ///
  /// A program needs this if its plugins do not get through their entries without the services that it offers, or are to be
  /// held against its own contracts already when they are probed. It sets `Options.answersProbes` then, and calls this first of
  /// all:
  ///
  /// ```swift
  /// var options = PluginHost.Options(directories: ["plugins"], contracts: [clock])
  /// options.answersProbes = true
  /// PluginHost.answerProbes(options)
  /// let host = PluginHost(options)
  /// ```
  ///
  /// - Parameter options: What the host is set up with; services, contracts and the way of opening files are taken from them.
  public static func answerProbes(_ options: Options) {
    guard let text = getenv(ProbeAnswer.variable), let descriptor = Int32(String(cString: text)) else { return }
    unsetenv(ProbeAnswer.variable)
    troupe_probe_watch(descriptor)
    ProbeChild(ProbeChannel(moving: descriptor), offers: options).run()
  }
}

/// How a program is told to answer as a probe by itself.
enum ProbeAnswer {
  /// The variable of the environment that has the number of the channel's descriptor.
  static let variable = "TROUPE_PROBE_ANSWER"

  /// Ends a process that was to answer and has begun to do something else: it must not start probes in turn.
  static func stop() {
    guard getenv(variable) != nil else { return }
    let complaint =
      "this program was started to probe a plugin and does not call PluginHost.answerProbes before it uses a host\n"
    _ = Array(complaint.utf8).withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
    _exit(70)
  }
}
