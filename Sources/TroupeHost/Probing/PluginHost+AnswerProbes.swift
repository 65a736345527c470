internal import CProbe
internal import Glibc
internal import TroupeFiles
internal import TroupeProbing

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
