import TestSupport
import TroupeFiles

extension PluginDirectory {
  /// Examines the files of directories and single files, as a host does at its discovery.
  static func examine(
    _ directories: [String], files: [String] = [], _ change: (inout AdmissionRules) -> Void = { _ in }
  ) -> [PluginFile] {
    var rules = AdmissionRules()
    (rules.opensAll, rules.checksRelocations) = (true, true)
    change(&rules)
    let trust = TrustedPath()
    return Admission.examine(PluginSource.scan(directories: directories, files: files, trust), trust, rules)
  }

  /// Examines the files of this directory.
  func examine(_ change: (inout AdmissionRules) -> Void = { _ in }) -> [PluginFile] { Self.examine([path], change) }

  /// The diagnosis of the first file.
  var firstDiagnosis: Diagnosis? { examine().first?.outcome.diagnosis }
}

extension [PluginFile] {
  /// The diagnosis of the file at a path.
  func diagnosis(_ path: String) -> Diagnosis? { first { $0.path == path }?.outcome.diagnosis }
}
