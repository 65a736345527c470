internal import CLinux
internal import FoundationEssentials
internal import TroupeFiles
internal import TroupeHost

/// Retiring the plugin, with its library unmapped or not, loading it again, and the end of the process.
extension Checks {
  static let unload: [Check] = [
    loading("load-unload", "The library can be closed.") { subject in
      _ = try subject.load(unloads: true)
      subject.shutdown()
      return .passed
    },
    loading("load-stays-mapped", severity: .warning, needs: ["load-unload"], "Closing the library removes it from memory.") {
      subject in
      let elf = try subject.library()
      if try elf.holdsSwift() { throw NotApplicable("it is in Swift, whose runtime keeps libraries in memory") }
      if try elf.isNeverUnloaded() { throw NotApplicable("it is linked with -Wl,-z,nodelete") }
      if let obstacle = RemainingCode.obstacle(in: subject.libraryPath) {
        throw NotApplicable("it \(obstacle), so that hosts keep it in memory")
      }
      if linux_is_open(subject.libraryPath) { throw NotApplicable("an earlier check in this process has it open") }
      _ = try subject.load(unloads: true)
      subject.shutdown()
      return .expect(
        !linux_is_open(subject.libraryPath),
        "stays in memory after its library was closed",
        remedy: "avoid inline variables and thread-local destructors in C++ (-fno-gnu-unique), or link with -Wl,-z,nodelete")
    },
    loading("load-twice", needs: ["load-unload"], "The plugin can be loaded a second time.") { subject in
      _ = try subject.load()
      subject.shutdown()
      do {
        _ = try subject.load()
      } catch let diagnosis as Diagnosis {
        return .problem(
          "loads once, and the second time it \(diagnosis.problem)", remedy: "make the entry work a second time in a process")
      }
      return .passed
    },
    loading("load-same-registrations", needs: ["load-twice"], "The plugin registers the same each time.") { subject in
      let first = facts(try subject.load())
      subject.shutdown()
      let second = facts(try subject.load())
      let changed = second.first { !first.contains($0) } ?? first.first { !second.contains($0) }
      return .expect(
        changed == nil, "registers differently the second time: \(changed ?? "")",
        remedy: "register with constant UUIDs, names and tags")
    },
    loading(
      openingWithOthers, needs: ["load-twice"], "The plugin loads before and after the other plugins of the command line."
    ) { subject in
      if subject.request.others.isEmpty { throw NotApplicable("no other plugin is on the command line") }
      // Each alone, since the host may reject two of them together.
      let others = subject.request.others.filter { subject.makeHost([$0]).hasLoaded($0) }
      subject.shutdown()
      _ = try subject.load(before: others)
      subject.shutdown()
      let loaded = try subject.load(after: others)
      let failed = loaded.host.plugins.first { others.contains($0.path) && $0.state.diagnosis != nil }
      guard let failed, let diagnosis = failed.state.diagnosis else { return .passed }
      return .problem(
        "keeps \(failed.path) from being loaded after it, which \(diagnosis.problem)",
        remedy: "give ids, UUIDs and symbols names of their own")
    },
    loading("load-exit", needs: ["load-unload"], includesExit: true, "The process can exit while the plugin is loaded.") {
      subject in
      _ = try subject.load()
      return .passed
    },
    loading(
      "load-exit-unloaded", needs: ["load-exit"], includesExit: true, "The process can exit after the library was closed."
    ) { subject in
      _ = try subject.load(unloads: true)
      subject.shutdown()
      return .passed
    },
  ]

  /// Returns a text for each registration with all that must not change.
  private static func facts(_ loaded: HostedPlugin) -> [String] {
    loaded.registrations.map { registration in
      let uuid = registration.uuid.map { $0.uuidString.lowercased() } ?? "-"
      return "\(registration.name) \(uuid) \(registration.contract ?? "-") \(registration.tags.joined(separator: ",")) "
        + registration.signature
    }
  }
}

extension PluginHost {
  fileprivate func hasLoaded(_ path: String) -> Bool {
    try? load()
    return plugins.contains { $0.path == path && $0.state.diagnosis == nil }
  }
}
