internal import Glibc
internal import TroupeFiles
internal import TroupeSandbox

extension PluginHost {
  /// The path of the helper `troupe-probe` that belongs to the `libTroupe.so` in this process, for `Options.probeExecutable`; nil if there
  /// is none, or if the program links Troupe statically. It is in the directory of the library or in `../libexec/troupe` from there. Safe to
  /// use from any thread. Cost: looks for two files.
  public static var standardProbeExecutable: String? {
    guard let library = OwnLibrary.path, Path.lastComponent(of: library) == HostTypeSymbols.library else { return nil }
    return probeExecutable(beside: library)
  }

  /// Returns the path of the helper that belongs to a library, or nil if there is none.
  static func probeExecutable(beside library: String) -> String? {
    let directory = Path.directory(of: library)
    let candidates = [directory, Path.directory(of: directory) + "/libexec/troupe"].map { $0 + "/troupe-probe" }
    return candidates.first { access($0, F_OK) == 0 }
  }
}

extension PluginHost.Options {
  /// The executable of probes.
  var executable: ProbeExecutable {
    if let probeExecutable { return .helper(probeExecutable) }
    if prefersProbeHelper, let helper = PluginHost.standardProbeExecutable.map(ProbeExecutable.helper), helper.diagnosis == nil
    {
      return helper
    }
    return answersProbes ? .answering : .own
  }

  /// The fault of every plugin that needs a probe if these options allow none; nil if probes can be started. Has no subject.
  var probeDiagnosis: Diagnosis? {
    guard answersProbes, let probeExecutable else { return executable.diagnosis }
    return Diagnosis(
      .notProbed,
      problem:
        "cannot be probed: its probe runs \(probeExecutable), which does not call PluginHost.runAsProbeIfRequested for this program",
      remedy: "set only one of the options probeExecutable and answersProbes")
  }
}
