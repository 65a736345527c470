internal import Glibc
internal import TroupeHost

/// Checks the files, compilers and directories of the command, and the plugins in the searched directories.
enum InstallationExamination {
  static func run(_ host: PluginHost, directories: [String], _ arguments: ParsedArguments) -> Examination {
    var examination = Examination(of: nil)
    let versions = HostVersions.current
    examination.add("command", .ok, "troupe \(versions.troupe), ABI \(versions.abi), \(OwnLibrary.path ?? "no library")")
    checkCompilers(&examination, versions)
    checkDirectories(directories, &examination)
    for (name, folder) in [("cache", UserDirectories.cache), ("state", UserDirectories.state)] {
      checkFolder(name, folder, &examination)
    }
    checkPins(&examination, arguments)
    checkQuarantine(&examination)
    checkPlugins(host, &examination, arguments)
    return examination
  }

  /// Without compilers and their files, plugins can be used but not built.
  private static func checkCompilers(_ examination: inout Examination, _ versions: HostVersions) {
    do throws(Diagnosis) {
      examination.add("files for authors", .ok, try DevelopmentFiles().headers)
    } catch {
      examination.add("files for authors", .warning, "\(error)")
    }
    for (name, purpose) in [("cc", "C"), ("swiftc", "Swift")] {
      let path = Environment.value("PATH")?.split(separator: ":").map { "\($0)/\(name)" as String }
        .first { access($0, X_OK) == 0 }
      examination.add(
        "compiler for \(purpose)", path == nil ? .warning : .ok,
        path ?? "no \(name) on PATH, so that plugins in \(purpose) cannot be built")
    }
  }

  private static func checkDirectories(_ directories: [String], _ examination: inout Examination) {
    guard !directories.isEmpty else {
      let conventional = PluginDirectories.conventional
      let standard = PluginDirectories.standard.isEmpty ? conventional : PluginDirectories.standard
      return examination.fail(
        "directories", "no directory exists at \(standard.joined(separator: ", "))",
        OwnDirectories.createPlugins(), .noInput)
    }
    for directory in directories {
      do throws(SystemError) {
        if let untrusted = try TrustedPath().untrusted(directory) {
          examination.fail("directories", untrusted: untrusted, of: directory)
        } else {
          examination.add("directories", .ok, directory)
        }
      } catch {
        examination.fail("directories", "\(directory): \(error)", "ls -ld \(directory.shellWord)", .noInput)
      }
    }
  }

  /// Without a cache, each process probes all plugins again.
  private static func checkFolder(_ name: String, _ folder: String?, _ examination: inout Examination) {
    let variable = "XDG_\(name.uppercased())_HOME"
    guard let folder else {
      return examination.add(name, .warning, "\(UserDirectories.absence(of: variable)), so that nothing is kept")
    }
    let existing = OwnDirectories.existing(folder)
    if access(existing, W_OK | X_OK) == 0 {
      examination.add(name, .ok, folder)
    } else {
      let command = OwnDirectories.makeWritable(existing, variable: variable)
      examination.fail(name, "\(existing) cannot be written", command, .notPermitted)
    }
  }

  private static func checkPins(_ examination: inout Examination, _ arguments: ParsedArguments) {
    do {
      guard let file = try HostArguments.pinsFile(arguments) else { return examination.add("pins", .ok, "no pins are used") }
      examination.add("pins", .ok, "\(try Pins(contentsOf: file).entries.count) in \(file)")
    } catch {
      let file = arguments.one(.pins) ?? Environment.value("TROUPE_PINS") ?? ""
      examination.fail("pins", "\(error)", "${EDITOR:-vi} \(file.shellWord)", ExitStatus(Diagnosis.Code(of: error)))
    }
  }

  private static func checkQuarantine(_ examination: inout Examination) {
    guard let directory = Quarantine.standardDirectory else { return }
    do {
      let entries = try Quarantine(directory: directory).entries()
      let ids = entries.map { $0.id ?? "an unreadable entry" }
      examination.add(
        "quarantine", entries.isEmpty ? .ok : .warning, entries.isEmpty ? "empty" : ids.listed(atMost: 10))
    } catch {
      examination.fail("quarantine", "\(error)", "ls -l \(directory.shellWord)", ExitStatus(Diagnosis.Code(of: error)))
    }
  }

  private static func checkPlugins(
    _ host: PluginHost, _ examination: inout Examination, _ arguments: ParsedArguments
  ) {
    let plugins = host.discover()
    let faults = plugins.compactMap { plugin in
      (plugin.state.fault ?? PluginExamination.mountFault(of: plugin)).map { (plugin.path, $0.statement) }
    }
    if faults.isEmpty { examination.add("plugins", .ok, "\(plugins.count) admitted") }
    for (path, fault) in faults {
      examination.fail("plugins", fault, arguments.command("doctor \(path.shellWord)"))
    }
  }
}
