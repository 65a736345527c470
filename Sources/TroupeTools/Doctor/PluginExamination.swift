internal import FoundationEssentials
internal import Glibc
internal import TroupeHost

/// Finds why a host does not use a plugin.
///
/// The steps are those of a host, from the searched directories to the registrations. The fault that stopped the host belongs to one
/// step: the steps before it pass, that step fails with the command that fixes it (`PluginExamination+Fixes`), and the rest is not
/// reached. Some causes are invisible to the host and are checked here: directories that are not searched, permissions of each directory
/// on the path, libraries that the loader does not find, and file systems that are mounted without permission to execute.
struct PluginExamination {
  private enum Step: String, CaseIterable {
    case directories, permissions, file, manifest, compatibility, libraries, pins, quarantine, requirements
    case ids = "duplicate ids"
    case cache, loading

    /// The step that a fault belongs to. A symbol that no library defines is a fault of the libraries, although the host finds it later.
    init(_ diagnosis: Diagnosis) { self = diagnosis.isUndefinedSymbol ? .libraries : Step(diagnosis.code) }

    private init(_ code: Diagnosis.Code) {
      self =
        switch code {
        case .untrusted, .notPermitted: .permissions
        case .unreadable, .tooLarge, .changed, .notALibrary, .writableCode, .wrongMachine, .inputOutput: .file
        case .invalidManifest, .invalidSetting: .manifest
        case .incompatibleABI, .incompatibleCompiler, .duplicatesHostTypes: .compatibility
        case .missingLibrary, .missingSymbol: .libraries
        case .unpinned, .invalidPins: .pins
        case .crashed, .exited, .timedOut, .changedProcessState: .quarantine
        case .unmetRequirement: .requirements
        case .duplicateIdentifier: .ids
        default: .loading
        }
    }
  }

  let host: PluginHost
  let doctor: Doctor
  private var report: DoctorReport

  var directories: [String] { doctor.directories }

  init(_ subject: String, _ host: PluginHost, _ doctor: Doctor) {
    (self.host, self.doctor) = (host, doctor)
    report = DoctorReport(of: subject)
  }

  /// Examines a found plugin. New content is loaded once in a child process, as by `troupe inspect`.
  consuming func run(_ found: Plugin) -> DoctorReport {
    if found.state.diagnosis?.code == .notALibrary, found.path.hasSuffix(".json"), !PluginFileName.isAdoption(found.path) {
      report.fail(
        Step.directories.rawValue,
        "\(found.path) is read as a library, since its name does not end in \(PluginFileName.adoptionSuffix)",
        place(found.path, isSearched: true, isNamed: false))
      skipSteps()
      return report
    }
    // The loader reads only a file that the host has read.
    let isRead = found.state.diagnosis.map { ![.permissions, .file].contains(Step($0)) } ?? true
    let missing = isRead ? LoaderTrace.missing(found.library ?? found.path) : []
    host.recallProbes()
    if found.state.diagnosis == nil, missing.isEmpty { try? host.load { $0.path == found.path } }
    let plugin = host.plugins.first { $0.path == found.path } ?? found
    let diagnosis = plugin.state.diagnosis ?? Self.mountDiagnosis(of: plugin)
    // A copy in another directory would have the same fault.
    let isFaulty = diagnosis.map { Step($0) != .ids } ?? !missing.isEmpty
    checkDirectories(of: plugin, isFaulty: isFaulty)
    checkPermissions(of: found)
    var hasStopped = report.checks.last?.result == .failed
    var step = diagnosis.map { Step($0) }
    // A worker may crash, and make a forbidden call, while it loads the plugin.
    if step == .permissions && !hasStopped || step == .quarantine && hasWorker(plugin) { step = .loading }
    for each in Step.allCases.dropFirst(2) {
      if hasStopped, each != .cache {
        report.add(each.rawValue, .skipped, "not reached")
      } else if let diagnosis, step == each {
        let worker = each == .quarantine ? "; --isolate \(name(of: plugin)) runs it in a worker" : ""
        report.fail(each.rawValue, diagnosis.problem + worker, fix(diagnosis, of: plugin), diagnosis.code)
        hasStopped = true
      } else if each == .libraries, let first = missing.first {
        report.fail(each.rawValue, "the loader does not find \(missing.listed(atMost: 10))", install(first, for: plugin))
        hasStopped = true
      } else {
        let (result, detail) = detail(of: each, plugin)
        report.add(each.rawValue, result, detail)
      }
    }
    host.shutdown()
    return report
  }

  /// Examines an id that no plugin has.
  consuming func run(missing id: String) -> DoctorReport {
    let plugins = host.discover()
    let unknown = doctor.search.unknown(id, among: plugins)
    let ids = plugins.compactMap { $0.manifest?.id }
    let damaged = plugins.filter { $0.manifest == nil && $0.state.diagnosis != nil }
    let searched = directories.isEmpty ? "no directory" : directories.joined(separator: ", ")
    let other = unsearchedDirectory(of: id)
    let fix =
      if let other {
        Fix(command: search(other, for: id.shellWord))
      } else if access(id, F_OK) == 0 {
        Fix(command: command("doctor \("./\(id)".shellWord)"))
      } else if let nearest = nearestName(to: id, in: ids) {
        Fix(command: command("doctor \(nearest.shellWord)"))
      } else if let file = damaged.first?.path {
        Fix(command: command("doctor \(file.shellWord)"))
      } else {
        Fix(remedy: installation(of: id.shellWord), command: command("doctor \(id.shellWord)"))
      }
    let problem = "\(unknown.problem) in \(searched)" + (other.map { "; it is in \($0), which is not searched" } ?? "")
    report.fail(Step.directories.rawValue, problem, fix, unknown.code)
    skipSteps()
    return report
  }

  private mutating func skipSteps() {
    for step in Step.allCases.dropFirst() { report.add(step.rawValue, .skipped, "not reached") }
  }

  /// The fault of a plugin whose file system is mounted without permission to execute. The host finds it only when it opens the library, and
  /// not if it has probed the same content elsewhere.
  static func mountDiagnosis(of plugin: Plugin) -> Diagnosis? {
    let file = plugin.library ?? plugin.path
    guard let mount = MountPoint.withoutExecution(file) else { return nil }
    return Diagnosis(.notLoadable, plugin.path, problem: "cannot be loaded: \(MountPoint.problem(of: file, mount))")
  }

  /// Returns the directory with a plugin that the command would search without `--plugins` and `TROUPE_PLUGIN_PATH`.
  private func unsearchedDirectory(of id: String) -> String? {
    PluginDirectories.conventional.first { directory in
      !directories.contains(directory) && Self.plugins(in: directory).contains { $0.manifest?.id == id }
    }
  }

  /// The plugins of a directory that the command does not search. It reports none of their faults, and none of a missing directory.
  static func plugins(in directory: String) -> [Plugin] {
    guard access(directory, R_OK) == 0 else { return [] }
    var options = PluginHost.Options(directories: [directory])
    options.log = Log(from: .error) { _ in }
    return PluginHost(options).discover()
  }

  /// The command after which a directory is searched as well.
  ///
  /// - Parameter plugin: A word for the shell.
  func search(_ directory: String, for plugin: String) -> String {
    if doctor.search.named.isEmpty, Environment.value("TROUPE_PLUGIN_PATH") != nil {
      return "export TROUPE_PLUGIN_PATH=\"$TROUPE_PLUGIN_PATH\":\(directory.shellWord)"
    }
    return (["troupe doctor \(plugin)"] + (directories + [directory]).map { "--plugins \($0.shellWord)" })
      .joined(separator: " ")
  }

  // MARK: Steps

  private mutating func checkDirectories(of plugin: Plugin, isFaulty: Bool) {
    let directory = Path.directory(of: Path.resolved(plugin.path) ?? plugin.path)
    let list = directories.isEmpty ? "no directory is searched" : "searched: \(directories.joined(separator: ", "))"
    let isSearched = directories.contains { (Path.resolved($0) ?? $0) == directory }
    let isNamed = PluginFileName.isValid(Path.lastComponent(of: plugin.path).utf8)
    guard !isSearched || !isNamed else { return report.add(Step.directories.rawValue, .ok, list) }
    let problem =
      isNamed
      ? "\(plugin.path) is in none of the searched directories; \(list)"
      : "no directory of plugins shows \(plugin.path): \(PluginFileName.rule)"
    if isFaulty {
      report.add(Step.directories.rawValue, .warning, problem)
    } else {
      report.fail(Step.directories.rawValue, problem, place(plugin.path, isSearched: isSearched, isNamed: isNamed))
    }
  }

  /// The command that brings a file to a searched directory, under a name that hosts read. A file that has the name already is kept as a
  /// backup.
  private func place(_ path: String, isSearched: Bool, isNamed: Bool) -> String {
    let target = isSearched ? Path.directory(of: path) : installationDirectory
    guard !isNamed else { return "install -D -m 644 \(path.shellWord) -t \(target.shellWord)" }
    let file = target + "/" + Self.pluginName(Path.lastComponent(of: path))
    let backup = access(file, F_OK) == 0 ? " -b" : ""
    return (isSearched ? "mv\(backup)" : "install\(backup) -D -m 644") + " \(path.shellWord) \(file.shellWord)"
  }

  /// The name of a plugin for a file with a version, a backup, or a library of another system: `foo.so` for `foo.so.1.2`, `.foo.so`, `foo.so.bak`
  /// and `foo.dylib`; `foo.troupe.json` for `foo.json`.
  private static func pluginName(_ name: String) -> String {
    let visible = name.drop { $0 == "." }
    if visible.hasSuffix(".json"), !visible.contains(PluginFileName.adoptionSuffix) {
      return visible.dropLast(5) + PluginFileName.adoptionSuffix
    }
    for suffix in [PluginFileName.adoptionSuffix, ".so"] {
      if let found = visible.firstRange(of: suffix) { return String(visible[..<found.upperBound]) }
    }
    let foreign = [".dylib", ".dll", ".bundle"].first { visible.hasSuffix($0) }
    return visible.dropLast(foreign?.count ?? 0) + ".so"
  }

  /// Checks that the user can read the file and search the directories above, and that no other user can change them.
  private mutating func checkPermissions(of plugin: Plugin) {
    let name = Step.permissions.rawValue
    let trust = TrustedPath(comparesPins: pinsFile != nil)
    for file in plugin.files {
      if let closed = AccessDenial(Path.resolved(file) ?? file) {
        return report.fail(
          name, "you have no permission to read \(closed.object)", closed.command ?? DirectoryFixes.copy(file, asRoot: true),
          .notPermitted)
      }
      // The permissions of a device or a pipe are right as they are.
      if let diagnosis = plugin.state.diagnosis, Step(diagnosis) == .file {
        return report.add(name, .skipped, "the file itself is at fault")
      }
      do throws(SystemError) {
        if let untrusted = try trust.untrusted(file) { return report.fail(name, untrusted: untrusted, of: plugin.path) }
      } catch {
        return report.fail(name, "\(file): \(error)", "ls -l \(file.shellWord)", .unreadable)
      }
    }
    let count = plugin.files.reduce(0) { $0 + (Path.resolved($1) ?? $1).split(separator: "/").count }
    report.add(name, .ok, "\(count) files and directories that only you and root can change")
  }

  /// The finding of a passed step.
  private func detail(of step: Step, _ plugin: Plugin) -> (DoctorReport.Verdict, String) {
    let manifest = plugin.manifest
    switch step {
    case .directories, .permissions: return (.ok, "")
    case .file: return (.ok, plugin.library ?? plugin.path)
    case .manifest: return (.ok, manifest.map { "\($0.id) \($0.version), \($0.language)" } ?? "none")
    case .compatibility:
      let swift = manifest.flatMap { manifest in
        manifest.interface.map { ", interface \($0), Swift \(manifest.compiler ?? "-")" }
      }
      return (.ok, "ABI \(manifest?.abi.description ?? "-")\(swift ?? "")")
    case .libraries: return (.ok, "the loader finds all")
    case .pins:
      return (.ok, pinsFile.map { "pinned in \($0)" } ?? "no pins are used")
    case .quarantine:
      return (.ok, hasWorker(plugin) ? "does not matter to a worker" : "not in quarantine")
    case .requirements:
      let requires = manifest?.requires ?? []
      return (.ok, requires.isEmpty ? "none" : requires.map(\.description).joined(separator: ", "))
    case .ids:
      let others = host.plugins.filter { $0.path != plugin.path && $0.manifest?.id == manifest?.id }.map(\.path)
      guard !others.isEmpty else { return (.ok, "no other plugin has the id") }
      return (.warning, "\(others.listed(atMost: 5)) has the same id, so that the host rejects it")
    case .cache:
      if let earlier = plugin.previousRejection { return (.warning, "rejected when it was last tried: \(earlier.problem)") }
      return (.ok, UserDirectories.cache ?? "no cache directory")
    case .loading:
      let refused = plugin.refusals.count
      let count = plugin.registrationCount.map { counted($0, "registration") } ?? "registers"
      if refused == 0, !plugin.warnings.isEmpty { return (.warning, "\(count); \(plugin.warnings.joined(separator: "; "))") }
      return refused == 0
        ? (plugin.registrationCount == 0 ? .warning : .ok, count)
        : (.warning, "\(count), \(refused) refused; \(command("inspect \(name(of: plugin))")) shows the reasons")
    }
  }

  private var pinsFile: String? { (try? doctor.pinsFile.get()) ?? nil }

  func hasWorker(_ plugin: Plugin) -> Bool { host.isIsolated(plugin.manifest?.id ?? "") }
}

extension Diagnosis {
  /// True if no linked library defines a symbol. Only the text of the loader says so.
  var isUndefinedSymbol: Bool { code == .notLoadable && problem.contains("undefined symbol: ") }

  /// True if the plugin passed its probe and crashed later, in a program. Another probe would pass, too. Only the text in the quarantine
  /// says so.
  var isCrashAfterProbe: Bool { code == .crashed && problem.hasPrefix("passed its probe") }
}
