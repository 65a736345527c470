internal import Dispatch
internal import Synchronization
internal import TroupeBase

/// The examination of all files of a host.
extension Admission {
  /// Examines the files of all sources, in their order. Several threads share a directory with many files.
  ///
  /// The result has no libraries without a manifest that belong to a plugin beside them. Of several plugins with the same id, all but
  /// the first have a fault, as with commands in `PATH`.
  ///
  /// - Parameter quarantineDiagnosis: Returns a diagnosis if the content of an admitted file is in quarantine.
  package static func examine(
    _ sources: [PluginSource], _ trust: TrustedPath, _ rules: AdmissionRules,
    quarantineDiagnosis: ((PluginFile) -> Diagnosis?)? = nil
  ) -> [PluginFile] {
    var single = Admission(trust, rules)
    var files = sources.flatMap { source in
      switch source {
      case .directory(let directory): examine(directory, trust, rules)
      case .file(let path): [PluginFile(path, single.examine(.path(path)))]
      case .unreadable(let path, let error):
        [
          rejected(
            Diagnosis(
              .unreadable, path, problem: "cannot be read as a directory: \(error)",
              remedy: "create it, or name another"))
        ]
      }
    }
    if files.contains(where: { $0.outcome.isBareLibrary }) {
      let parts = SupportLibraries(files)
      files.removeAll { $0.outcome.isBareLibrary && parts.contain($0) }
    }
    for file in files where file.outcome.diagnosis == nil {
      guard let diagnosis = quarantineDiagnosis?(file) else { continue }
      (file.outcome.diagnosis, file.outcome.isQuarantined) = (diagnosis, true)
    }
    // A plugin that was rejected for another reason leaves its ID to others.
    rejectDuplicates(files)
    return files
  }

  /// A thread examines so many files before it takes more.
  private static let chunkSize = 64
  /// Fewer files are not worth further threads.
  private static let leastForThreads = 256

  private static func examine(_ directory: ScannedDirectory, _ trust: TrustedPath, _ rules: AdmissionRules) -> [PluginFile] {
    let count = directory.listing.count
    guard count >= leastForThreads else { return examine(0..<count, of: directory, trust, rules) }
    let chunkCount = (count + chunkSize - 1) / chunkSize
    let files = Mutex<[[PluginFile]]>(Array(repeating: [], count: chunkCount))
    DispatchQueue.concurrentPerform(iterations: chunkCount) { chunk in
      let start = chunk * chunkSize
      let examined = examine(start..<min(start + chunkSize, count), of: directory, trust, rules)
      files.withLock { $0[chunk] = examined }
    }
    return files.withLock { $0.flatMap(\.self) }
  }

  private static func examine(
    _ files: Range<Int>, of directory: ScannedDirectory, _ trust: TrustedPath, _ rules: AdmissionRules
  ) -> [PluginFile] {
    var admission = Admission(trust, rules)
    return files.map { index in
      let file = directory.listing[index]
      guard file.isUTF8 else {
        return rejected(
          Diagnosis(.unreadable, file.path, problem: "has a name that is not UTF-8", remedy: "give it another name"))
      }
      return PluginFile(file.path, admission.examine(.entry(file, in: directory)))
    }
  }

  private static func rejected(_ diagnosis: Diagnosis) -> PluginFile {
    PluginFile(diagnosis.subject, Outcome(diagnosis: diagnosis))
  }

  private static func rejectDuplicates(_ files: [PluginFile]) {
    var holders: [String: String] = Dictionary(minimumCapacity: files.count)
    for file in files {
      guard file.outcome.diagnosis == nil, let id = file.outcome.manifest?.id else { continue }
      guard let holder = holders.updateValue(file.path, forKey: id) else { continue }
      holders[id] = holder
      file.outcome.diagnosis = Diagnosis(
        .duplicateIdentifier, file.path, problem: "has the id \(id), as \(holder) has, which was found first",
        remedy: "remove one of the two")
    }
  }
}
