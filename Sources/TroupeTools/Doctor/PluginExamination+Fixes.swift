internal import Glibc
internal import TroupeHost

/// The remedy for a fault, for the last line of `troupe doctor`.
extension PluginExamination {
  /// A command that fixes a fault, or shows whether the user has done what only the user can do.
  struct Fix {
    /// A step that only the user can take and that comes before the command, such as the installation of a plugin. Nil if there is no such step.
    var remedy: String?
    let command: String
  }

  func command(_ words: String) -> String { doctor.search.command(words) }

  func name(of plugin: Plugin) -> String { (plugin.manifest?.id ?? plugin.path).shellWord }

  func fix(_ diagnosis: Diagnosis, of plugin: Plugin) -> Fix {
    switch diagnosis.code {
    case .unmetRequirement: return requirementFix(diagnosis, of: plugin)
    case .missingSymbol where plugin.library == nil, .incompatibleCompiler where plugin.library == nil:
      return rebuild(plugin, diagnosis)
    case .notLoadable where diagnosis.isUndefinedSymbol:
      let symbol = diagnosis.problem.firstRange(of: "undefined symbol: ").map { diagnosis.problem[$0.upperBound...] } ?? ""
      if let library = plugin.library {
        return Fix(
          remedy: "link it with the library that defines \(symbol.prefix { !" ,;()".contains($0) })",
          command: "ldd -r \(library.shellWord)")
      }
      return Fix(
        remedy: "find the library that defines \(symbol.prefix { !" ,;()".contains($0) })",
        command: Self.build(plugin.manifest?.language, to: plugin.path) + " -lLIBRARY")
    case .crashed where diagnosis.isCrashAfterProbe:
      // Checks of the same file would pass and release it. A file that is built again is not in quarantine.
      let location = diagnosis.problem.firstRange(of: ", at ").map { " at \(diagnosis.problem[$0.upperBound...])" } ?? ""
      return Fix(remedy: "fix the crash\(location) and rebuild it", command: command("doctor \(plugin.path.shellWord)"))
    default: return Fix(command: command(for: diagnosis, plugin))
    }
  }

  private func command(for diagnosis: Diagnosis, _ plugin: Plugin) -> String {
    let path = plugin.path.shellWord
    switch diagnosis.code {
    case .unpinned, .invalidPins:
      return "troupe pin \(path)" + (doctor.pinsOption.map { " --pins \($0.shellWord)" } ?? "")
    case .crashed, .exited, .timedOut, .changedProcessState:
      // Shows the fault, or releases the plugin if it is gone. A file that is built again is not in quarantine.
      let checks = diagnosis.code == .changedProcessState ? "^load-" : "^load-(open|exit)$"
      let isKept = Quarantine.standardDirectory != nil && !hasWorker(plugin)
      let release = isKept ? " && troupe quarantine clear \(name(of: plugin))" : ""
      return command("validate \(path) --only '\(checks)'") + release
    case .duplicateIdentifier: return "mv \(path) \((plugin.path + ".unused").shellWord)"
    case .tooLarge: return command("inspect \(path) --max-file-size \(Int.max)")
    case .unreadable where Path.resolved(plugin.path) == nil: return "rm \(path)"
    case .invalidManifest where plugin.library != nil || plugin.path.hasSuffix(".json"), .missingLibrary, .missingSymbol,
      .invalidSetting:
      return "${EDITOR:-vi} \(path)"
    case .changed, .notProbed: return command("inspect \(path)")
    case .notLoadable where MountPoint.withoutExecution(plugin.library ?? plugin.path) != nil:
      let mount = MountPoint.withoutExecution(plugin.library ?? plugin.path) ?? "/"
      return "\(Self.asRoot)mount -o remount,exec \(mount.shellWord)"
    case .refused, .notLoadable, .notPermitted, .unreadable: return command("inspect \(path) --log debug")
    default: return buildOrReplace(plugin, diagnosis)
    }
  }

  /// Builds a plugin in Swift or C again. The flags for further libraries are known to the plugin's own build alone.
  private func rebuild(_ plugin: Plugin, _ diagnosis: Diagnosis) -> Fix {
    let libraries = LinkCheck(of: plugin.path, directory: Path.directory(of: plugin.path)).examinedLibraries
    guard !libraries.isEmpty else { return Fix(command: Self.build(plugin.manifest?.language, to: plugin.path)) }
    // Another remedy names what else has to be built, such as a library of the plugin.
    let isOwn = diagnosis.remedy == LinkCheck.rebuildRemedy
    let changed = libraries.filter { diagnosis.problem.contains($0) }
    let list = (changed.isEmpty ? libraries : changed).listed(atMost: 3)
    return Fix(
      remedy: isOwn ? "rebuild it with its own build, against \(list)" : diagnosis.remedy,
      command: command("doctor \(plugin.path.shellWord)"))
  }

  /// The command for a fault of the file itself, which has to be another one.
  private func buildOrReplace(_ plugin: Plugin, _ diagnosis: Diagnosis) -> String {
    let path = plugin.path.shellWord
    switch LibraryKind(plugin.path) {
    case .plugin: return Self.build(plugin.manifest?.language, to: plugin.path)
    case .debugInformation:
      let name = plugin.path.hasSuffix(".so") ? String(plugin.path.dropLast(3)) : plugin.path
      return "mv \(path) \((name.hasSuffix(".debug") ? name : name + ".debug").shellWord)"
    case .foreign where diagnosis.code == .invalidManifest:
      if let file = PluginFileName.file(adopting: plugin.path) { return command("doctor \(file.shellWord)") }
      let file =
        installationDirectory + "/" + Path.lastComponent(of: plugin.path).prefix { $0 != "." } + PluginFileName.adoptionSuffix
      let header = Self.header(of: plugin.path)?.shellWord ?? "HEADER.h"
      return "troupe adopt \(header) --library \(path) -o \(file.shellWord)"
    case .source(let language):
      let library = plugin.path.prefix(upTo: plugin.path.lastIndex(of: ".") ?? plugin.path.endIndex) + ".so"
      return Self.build(language, to: String(library), from: path) + " && " + command("doctor \(String(library).shellWord)")
    case .foreign, .other:
      let isSearched = directories.contains { Path.resolved($0) == Path.resolved(Path.directory(of: plugin.path)) }
      return isSearched ? "mv \(path) \((plugin.path + ".unused").shellWord)" : command("list")
    }
  }

  /// Returns the header of a library by its name: `point.h` for `libpoint.so.2`, beside the library, in the directory `include` of its prefix,
  /// or where the compiler looks for it.
  private static func header(of library: String) -> String? {
    let stem = Path.lastComponent(of: library).prefix { $0 != "." }
    let name = (stem.hasPrefix("lib") ? stem.dropFirst(3) : stem) + ".h"
    let directory = Path.directory(of: library)
    let beside: [String] = ["\(directory)/\(name)", "\(directory)/../include/\(name)"]
    return beside.first { access($0, R_OK) == 0 } ?? (access("/usr/include/\(name)", R_OK) == 0 ? String(name) : nil)
  }

  /// Returns the compiler call that builds a plugin. A plugin does not say where its sources are.
  private static func build(_ language: String?, to library: String, from sources: String? = nil) -> String {
    let path = library.shellWord
    switch language {
    case "swift": return "swiftc -O -swift-version 6 $(troupe flags --plugin) -o \(path) \(sources ?? "SOURCES.swift")"
    case "c++": return "c++ -O2 $(troupe flags --c) -o \(path) \(sources ?? "SOURCES.cpp")"
    default: return "cc -O2 $(troupe flags --c) -o \(path) \(sources ?? "SOURCES.c")"
    }
  }

  /// The prefix of a command that only root may run.
  private static var asRoot: String { geteuid() == 0 ? "" : "sudo " }

  /// Installs the package of a library that the loader does not find. If the package is unknown, the command lists the missing libraries.
  func install(_ library: String, for plugin: Plugin) -> Fix {
    if let package = LoaderTrace.package(of: library), LoaderTrace.isAvailable(package) {
      return Fix(command: "\(Self.asRoot)apt-get install \(package.shellWord)")
    }
    return Fix(
      remedy: "install \(library), or add its directory to LD_LIBRARY_PATH",
      command: "ldd \((plugin.library ?? plugin.path).shellWord)")
  }

  // MARK: Missing plugins

  /// The directory to which the user adds plugins, existing or not.
  var installationDirectory: String { directories.first ?? PluginDirectories.conventional.first ?? "." }

  /// Asks for a plugin whose file nothing on this system shows.
  ///
  /// - Parameter wanted: What to install, such as `org.example.counter ^1.2.0`.
  func installation(of wanted: String) -> String {
    let option =
      if !doctor.search.named.isEmpty {
        "add --plugins with the directory that has it"
      } else if Environment.value("TROUPE_PLUGIN_PATH") != nil {
        "add the directory that has it to TROUPE_PLUGIN_PATH"
      } else {
        "name all directories with --plugins"
      }
    return "install \(wanted) into \(installationDirectory), or \(option)"
  }

  /// Fixes a requirement that no used plugin meets. If a plugin that would meet it is rejected, its fault comes first, also through others. If
  /// one is in a directory that is not searched, the directory is added. Otherwise the user has to install one.
  private func requirementFix(_ diagnosis: Diagnosis, of plugin: Plugin) -> Fix {
    let again = command("doctor \(name(of: plugin))")
    var last = plugin
    var seen: Set<String> = [plugin.path]
    while let rejected = unmetRequirements(of: last).lazy.compactMap(provider).first {
      guard seen.insert(rejected.path).inserted else { return Fix(remedy: diagnosis.remedy, command: again) }
      last = rejected
    }
    if last.path != plugin.path { return Fix(command: command("doctor \(name(of: last))")) }
    let unmet = unmetRequirements(of: plugin)
    for directory in [Path.directory(of: plugin.path)] + PluginDirectories.conventional where !isSearched(directory) {
      let others = Self.plugins(in: directory)
      if others.contains(where: { other in other.state.diagnosis == nil && unmet.contains { $0.isMet(by: other) } }) {
        return Fix(command: search(directory, for: name(of: plugin)))
      }
    }
    guard !unmet.isEmpty else { return Fix(remedy: diagnosis.remedy, command: again) }
    let wanted = unmet.map { requirement in
      if case .contract(let name) = requirement { "a plugin that provides \(name)" } else { "\(requirement)" }
    }
    // A host uses one version of a plugin.
    let others = unmet.flatMap { requirement in
      if case .plugin(let id, _) = requirement { host.plugins.filter { $0.manifest?.id == id }.map(\.path) } else { [String]() }
    }
    let removal = others.isEmpty ? "" : "remove \(others.joined(separator: " and ")), and "
    let list = wanted.joined(separator: " and ")
    return Fix(remedy: removal + installation(of: "\(list), which \(name(of: plugin)) requires,"), command: again)
  }

  private func unmetRequirements(of plugin: Plugin) -> [Requirement] {
    (plugin.manifest?.requires ?? []).filter { requirement in
      !requirement.isMet(by: plugin) && !host.plugins.contains { $0.state.diagnosis == nil && requirement.isMet(by: $0) }
    }
  }

  private func provider(of requirement: Requirement) -> Plugin? { host.plugins.first { requirement.isMet(by: $0) } }

  private func isSearched(_ directory: String) -> Bool {
    directories.contains { Path.resolved($0) == Path.resolved(directory) }
  }
}

extension Requirement {
  /// True for a plugin with the id and a version of the range, or with the contract, whether or not it can be used.
  fileprivate func isMet(by plugin: Plugin) -> Bool {
    guard let manifest = plugin.manifest else { return false }
    return switch self {
    case .plugin(let id, let range): manifest.id == id && range.contains(manifest.version)
    case .contract(let name): manifest.provides.contains(name)
    }
  }
}

/// The kind of a rejected file, which decides on the fix: only a plugin can be built again.
private enum LibraryKind {
  /// A plugin, or a damaged library that may have been one.
  case plugin
  /// A library or program without a manifest.
  case foreign
  /// The debug information of a library, without its code.
  case debugInformation
  /// A source in a language of plugins.
  case source(language: String)
  case other

  init(_ path: String) {
    guard let file = try? RegularFile(path: path), (try? file.bytes.read(at: 0, count: 4)) == Array("\u{7F}ELF".utf8) else {
      let languages = ["c": "c", "cpp": "c++", "cc": "c++", "cxx": "c++", "swift": "swift"]
      let parts = Path.lastComponent(of: path).split(separator: ".")
      let suffix = parts.count > 1 ? parts.last.map(String.init) : nil
      self = suffix.flatMap { languages[$0] }.map(Self.source) ?? .other
      return
    }
    do {
      let elf = try ELFFile(file.bytes)
      self = try elf.hasOnlyDebugInformation() ? .debugInformation : elf.manifestNote() == nil ? .foreign : .plugin
    } catch {
      self = path.hasSuffix(".so") ? .plugin : .other
    }
  }
}
