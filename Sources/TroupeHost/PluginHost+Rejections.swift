internal import Synchronization
internal import TroupeFiles
internal import TroupeSandbox

/// The faults of probing and loading, kept in the cache directory for hosts that do neither.
extension PluginHost {
  /// Sets the fault for which an earlier probe or load rejected the same files, for new plugins.
  func recallRejections(of records: [PluginRecord]) {
    rejections.withLock { rejections in
      guard !rejections.isEmpty else { return }
      for record in records where record.diagnosis == nil {
        // Without a hash a touched file counts as changed, but the host need not read it.
        record.previousRejection = rejections.entry(of: record.files, configuration: [:])?.diagnosis
      }
    }
  }

  /// Remembers the plugins that a probe or load has rejected, and forgets the rejections of plugins that work now.
  func storeRejections(of records: some Sequence<PluginRecord>) {
    guard options.cacheDirectory != nil else { return }
    do {
      try rejections.withLock { rejections throws(SystemError) in
        let hasEntries = !rejections.isEmpty
        for record in records where record.diagnosis == nil {
          if let diagnosis = record.plugin.state.diagnosis {
            guard diagnosis.code.concernsFile else { continue }
            rejections.store(diagnosis, of: record.files, content: record.content)
          } else if hasEntries, record.isInUse {
            record.previousRejection = nil
            rejections.evict(record.files)
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
