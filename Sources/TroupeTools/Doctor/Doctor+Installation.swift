internal import Glibc
package import TroupeHost

extension Doctor {
  /// Checks the files, compilers, directories, cache, pins, quarantine and plugins of the installation. Runs no plugin code.
  ///
  /// A missing compiler is a warning, since plugins can be used without it, and so is a directory in which nothing can be kept.
  ///
  /// - Parameter host: A host for the searched directories. The pins that it lacks are examined here.
  package func examineInstallation(_ host: PluginHost) -> DoctorReport {
    var report = DoctorReport(of: nil)
    let versions = HostVersions.current
    report.add(
      "command", .ok,
      "troupe \(versions.troupe), ABI \(versions.abi), interface \(versions.interface), Swift \(versions.swift), \(OwnLibrary.path ?? "no library")"
    )
    Self.checkCompilers(&report, versions)
    checkDirectories(&report)
    Self.checkDirectory("cache", UserDirectories.cache, without: "each start of a program probes all plugins again", &report)
    Self.checkDirectory(
      "state", UserDirectories.state, without: "no quarantine is kept, and each start tries a plugin that crashed again",
      &report)
    checkPins(&report)
    Self.checkQuarantine(&report)
    checkPlugins(host, &report)
    return report
  }

  private static func checkCompilers(_ report: inout DoctorReport, _ versions: HostVersions) {
    do throws(Diagnosis) {
      report.add("files for authors", .ok, try DevelopmentFiles().headers)
    } catch {
      report.add("files for authors", .warning, "\(error)")
    }
    for (name, purpose) in [("cc", "C"), ("swiftc", "Swift")] {
      let path = Environment.value("PATH")?.split(separator: ":").map { "\($0)/\(name)" as String }
        .first { access($0, X_OK) == 0 }
      report.add(
        "compiler for \(purpose)", path == nil ? .warning : .ok,
        path ?? "no \(name) on PATH, so that plugins in \(purpose) cannot be built")
    }
  }

  private func checkDirectories(_ report: inout DoctorReport) {
    guard !directories.isEmpty else {
      let conventional = PluginDirectories.conventional
      let standard = PluginDirectories.standard.isEmpty ? conventional : PluginDirectories.standard
      return report.fail(
        "directories", "no directory exists at \(standard.joined(separator: ", "))",
        DirectoryFixes.createPlugins(), .unreadable)
    }
    for directory in directories {
      do throws(SystemError) {
        if let untrusted = try TrustedPath().untrusted(directory) {
          report.fail("directories", untrusted: untrusted, of: directory)
        } else {
          report.add("directories", .ok, directory)
        }
      } catch {
        report.fail("directories", "\(directory): \(error)", "ls -ld \(directory.shellWord)", .unreadable)
      }
    }
  }

  /// - Parameter cost: What follows if nothing can be kept in the directory.
  private static func checkDirectory(_ name: String, _ directory: String?, without cost: String, _ report: inout DoctorReport) {
    let variable = "XDG_\(name.uppercased())_HOME"
    guard let directory else {
      return report.add(name, .warning, "\(UserDirectories.absence(of: variable)), so that \(cost)")
    }
    let existing = DirectoryFixes.existing(directory)
    if access(existing, W_OK | X_OK) == 0 { return report.add(name, .ok, directory) }
    let command = DirectoryFixes.makeWritable(existing, variable: variable)
    report.add(name, .warning, "\(existing) cannot be written, so that \(cost); to change that: \(command)")
  }

  private func checkPins(_ report: inout DoctorReport) {
    do {
      guard let file = try pinsFile.get() else { return report.add("pins", .ok, "no pins are used") }
      report.add("pins", .ok, "\(try Pins(contentsOf: file).entries.count) in \(file)")
    } catch {
      let file = pinsOption ?? Environment.value("TROUPE_PINS") ?? ""
      report.fail("pins", "\(error)", "${EDITOR:-vi} \(file.shellWord)", Diagnosis.Code(of: error))
    }
  }

  private static func checkQuarantine(_ report: inout DoctorReport) {
    guard let directory = Quarantine.standardDirectory else { return }
    do {
      let entries = try Quarantine(directory: directory).entries()
      let ids = entries.map { $0.id ?? "an unreadable entry" }
      report.add(
        "quarantine", entries.isEmpty ? .ok : .warning, entries.isEmpty ? "empty" : ids.listed(atMost: 10))
    } catch {
      let command = DirectoryFixes.makeWritable(DirectoryFixes.existing(directory), variable: "XDG_STATE_HOME")
      report.fail("quarantine", "\(error)", command, Diagnosis.Code(of: error))
    }
  }

  private func checkPlugins(_ host: PluginHost, _ report: inout DoctorReport) {
    host.recallProbes()
    let plugins = host.plugins
    let faults = plugins.compactMap { plugin in
      (plugin.state.diagnosis ?? PluginExamination.mountDiagnosis(of: plugin)).map { (plugin.path, $0.statement) }
        ?? plugin.previousRejection.map { (plugin.path, "\($0.statement) (when it was last tried)") }
    }
    if faults.isEmpty { report.add("plugins", .ok, "\(plugins.count) admitted") }
    for (path, problem) in faults {
      report.fail("plugins", problem, search.command("doctor \(path.shellWord)"))
    }
  }
}
