internal import Synchronization
internal import TroupeFiles
internal import TroupeSandbox

/// The faults of probing and loading, kept in the cache directory for hosts that do neither.
extension PluginHost {
  /// Sets the fault for which an earlier probe or load rejected the same files.
  func recallRejections() {
    let known = rejections.withLock { rejections -> [(PluginFile, Diagnosis)] in
      if rejections.isEmpty { return [] }
      return table.read { $0.listed }.compactMap { element in
        // Without a hash a touched file counts as changed, but the host need not read it.
        rejections.entry(of: element.file.files, configuration: [:])?.diagnosis.map { (element.file, $0) }
      }
    }
    for (file, diagnosis) in known { table.apply(.recall(previousRejection: diagnosis), to: file) }
  }

  /// Remembers the plugins that a probe or load has rejected, and forgets the rejections of plugins that work now.
  func storeRejections(of files: some Sequence<PluginFile>) {
    guard options.cacheDirectory != nil else { return }
    do {
      try rejections.withLock { rejections throws(SystemError) in
        let hasEntries = !rejections.isEmpty
        for file in files {
          let element = table[file]
          if let diagnosis = element.diagnosis {
            guard element.foundDiagnosis == nil, diagnosis.code.concernsFile else { continue }
            let libraries = file.outcome.library.map { LinkCheck(of: $0.path, directory: Path.directory(of: $0.path)).files }
            rejections.store(diagnosis, of: file.files, libraries: libraries ?? [], content: file.content)
          } else if hasEntries, element.isInUse {
            table.apply(.recall(previousRejection: nil), to: file)
            rejections.evict(file.files)
          }
        }
        try rejections.save()
      }
    } catch {
      options.log.write(.debug, "troupe", "the rejections cannot be written: \(error)")
    }
  }
}

extension Diagnosis.Code {
  /// Whether the next probe or load of the same file may have the same fault.
  fileprivate var concernsFile: Bool {
    switch self {
    case .refused, .noEntry, .notLoadable, .notALibrary, .duplicatesHostTypes, .missingLibrary, .missingSymbol: true
    case .unreadable, .tooLarge, .untrusted, .changed, .writableCode, .wrongMachine, .invalidManifest, .incompatibleABI,
      .incompatibleCompiler, .conflictingLibrary, .unpinned, .invalidPins, .invalidSetting, .duplicateIdentifier, .unknown,
      .inUse, .busy, .unmetRequirement, .crashed, .exited, .timedOut, .changedProcessState, .notProbed, .invalidArgument,
      .invalidSignature,
      .invalidContract, .duplicateUUID, .tooLate, .wrongThread, .notRegistered, .ambiguous, .usage, .invalidData, .unavailable,
      .reportedFailure, .inputOutput, .notPermitted, .missingResource, .internalError:
      false
    }
  }
}
