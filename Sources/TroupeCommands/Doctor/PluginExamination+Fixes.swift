internal import Glibc
internal import TroupeHost

/// The command that fixes a fault, for the last line of `troupe doctor`.
extension PluginExamination {
  func command(_ words: String) -> String { arguments.command(words) }

  func name(of plugin: Plugin) -> String { (plugin.manifest?.id ?? plugin.path).shellWord }

  func command(for fault: Diagnosis, _ plugin: Plugin) -> String {
    let path = plugin.path.shellWord
    switch fault.code {
    case .unpinned, .invalidPins:
      return "troupe pin \(path)" + (arguments.one(.pins).map { " --pins \($0.shellWord)" } ?? "")
    case .crashed, .exited, .timedOut, .changedProcessState:
      // Shows the fault, or releases the plugin if it is gone. A file that is built again is not in quarantine.
      let checks = fault.code == .changedProcessState ? "^load-" : "^load-(open|exit)$"
      let isKept = Quarantine.standardDirectory != nil && !hasWorker(plugin)
      let release = isKept ? " && troupe quarantine clear \(name(of: plugin))" : ""
      return command("validate \(path) --only '\(checks)'") + release
    case .duplicateIdentifier: return "mv \(path) \((plugin.path + ".unused").shellWord)"
    case .unmetRequirement:
      let requires = plugin.manifest?.requires.map(\.description).joined(separator: " ") ?? ""
      let needed = host.plugins.first { other in
        other.path != plugin.path && other.state.fault != nil && other.manifest.map { requires.contains($0.id) } == true
      }
      let target = (directories.first ?? ".").shellWord
      return needed.map { command("doctor \(name(of: $0))") } ?? "install -D -m 644 REQUIRED.so -t \(target)"
    case .tooLarge: return command("inspect \(path) --max-file-size \(Int.max)")
    case .missingLibrary: return install(nil, for: plugin)
    case .unreadable where Path.resolved(plugin.path) == nil: return "rm \(path)"
    case .invalidManifest where plugin.library != nil || plugin.path.hasSuffix(".json"), .missingSymbol, .invalidSetting:
      return "${EDITOR:-vi} \(path)"
    case .changed, .notProbed: return command("inspect \(path)")
    case .notLoadable where fault.isUndefinedSymbol: return Self.build(plugin) + " -lLIBRARY"
    case .notLoadable where MountPoint.withoutExecution(plugin.library ?? plugin.path) != nil:
      let mount = MountPoint.withoutExecution(plugin.library ?? plugin.path) ?? "/"
      return "\(Self.asRoot)mount -o remount,exec \(mount.shellWord)"
    case .refused, .notLoadable, .notPermitted, .unreadable: return command("inspect \(path) --log debug")
    default: return buildOrReplace(plugin, fault)
    }
  }

  /// The command for a fault of the file itself, which has to be another one.
  private func buildOrReplace(_ plugin: Plugin, _ fault: Diagnosis) -> String {
    let path = plugin.path.shellWord
    switch LibraryKind(plugin.path) {
    case .plugin: return Self.build(plugin)
    case .debugInformation:
      let name = plugin.path.hasSuffix(".so") ? String(plugin.path.dropLast(3)) : plugin.path
      return "mv \(path) \((name.hasSuffix(".debug") ? name : name + ".debug").shellWord)"
    case .foreign where fault.code == .invalidManifest:
      if let file = PluginFileName.file(adopting: plugin.path) { return command("doctor \(file.shellWord)") }
      let directory = directories.first ?? PluginDirectories.conventional.first ?? "."
      let file = directory + "/" + Path.lastComponent(of: plugin.path).prefix { $0 != "." } + PluginFileName.adoptionSuffix
      return "troupe adopt HEADER.h --library \(path) -o \(file.shellWord)"
    case .foreign, .other:
      let isSearched = directories.contains { Path.resolved($0) == Path.resolved(Path.directory(of: plugin.path)) }
      return isSearched ? "mv \(path) \((plugin.path + ".unused").shellWord)" : command("doctor PLUGIN.so")
    }
  }

  /// Returns the compiler call that builds a plugin again from its sources.
  private static func build(_ plugin: Plugin) -> String {
    let path = plugin.path.shellWord
    switch plugin.manifest?.language {
    case "swift": return "swiftc -O -swift-version 6 $(troupe flags --plugin) -o \(path) SOURCES.swift"
    case "c++": return "c++ -O2 $(troupe flags --c) -o \(path) SOURCES.cpp"
    default: return "cc -O2 $(troupe flags --c) -o \(path) SOURCES.c"
    }
  }

  /// The prefix of a command that only root may run.
  private static var asRoot: String { geteuid() == 0 ? "" : "sudo " }

  /// The command that installs a missing library; if its package is unknown, the one that lists the missing libraries.
  func install(_ library: String?, for plugin: Plugin) -> String {
    if let package = library.flatMap(LoaderTrace.package), LoaderTrace.isAvailable(package) {
      return "\(Self.asRoot)apt-get install \(package.shellWord)"
    }
    return library == nil ? "${EDITOR:-vi} \(plugin.path.shellWord)" : "ldd \((plugin.library ?? plugin.path).shellWord)"
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
  /// A source, or any other file.
  case other

  init(_ path: String) {
    guard let file = try? RegularFile(path: path), (try? file.bytes.read(at: 0, count: 4)) == Array("\u{7F}ELF".utf8) else {
      self = .other
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
