internal import Glibc
package import TroupeHost
internal import TroupeTools

/// The files for a new plugin, or for a new interface library, of a language and a kind.
///
///     templates/swift/transform     files of this language and kind
///     templates/swift/shared        files of all kinds
///     templates/shared/transform    files of all languages
///
/// An interface library has those of `templates/swift/fixed-interface` and `templates/shared/interface` alone.
///
/// A file of an earlier directory replaces a file of the same name in a later one. A project appears complete or not at all.
package struct Template {
  package let language: TemplateLanguage
  package let kind: TemplateKind
  /// The paths in a project, in alphabetical order, with the paths of the templates.
  private let sources: [(file: String, source: String)]

  /// Finds the files. Throws a `Diagnosis` if there are none.
  ///
  /// - Parameter directory: The directory of the templates.
  package init(_ language: TemplateLanguage, _ kind: TemplateKind, in directory: String) throws(Diagnosis) {
    (self.language, self.kind) = (language, kind)
    var found: [String: String] = [:]
    let shared =
      kind.isInterface ? ["shared/interface"] : ["shared/\(kind.rawValue)", "\(language.rawValue)/shared"]
    for part in shared + ["\(language.rawValue)/\(kind.rawValue)"] {
      for file in Self.files(below: "\(directory)/\(part)") { found[file] = "\(directory)/\(part)/\(file)" }
    }
    sources = found.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    guard !Self.files(below: "\(directory)/\(language.rawValue)").isEmpty else {
      throw Diagnosis(
        .unavailable, "\(directory)/\(language.rawValue)", problem: "has no templates",
        remedy: "install Troupe again with make install")
    }
  }

  package var files: [String] { sources.map(\.file) }

  /// Returns the paths of the files in a directory and its subdirectories, relative to it. A missing directory has none.
  private static func files(below directory: String, _ prefix: String = "") -> [String] {
    ((try? Path.entries(in: directory)) ?? []).flatMap { name in
      let path = "\(directory)/\(name)"
      var status = stat()
      guard stat(path, &status) == 0 else { return [String]() }
      return status.st_mode & S_IFMT == S_IFDIR ? files(below: path, prefix + name + "/") : [prefix + name]
    }
  }

  /// Creates a project: all of its files, or none. Returns the paths of the files in the project.
  ///
  /// - Parameters:
  ///   - directory: The directory of the project, which must not exist.
  ///   - names: The names of the plugin or the library.
  /// - Throws: A `Diagnosis`. The directory does not exist then.
  package func create(_ directory: String, _ names: ProjectNames) throws(Diagnosis) -> [String] {
    let path = Self.withoutEnd(directory)
    try Self.check(path)
    return try DeferredSignals.during { () throws(Diagnosis) in try write(to: path, names) }
  }

  private func write(to path: String, _ names: ProjectNames) throws(Diagnosis) -> [String] {
    // The project appears with its last file.
    let temporary = "\(Path.directory(of: path))/.troupe-new.\(getpid()).\(UInt64.random(in: 0...UInt64.max))"
    let uuids = ProjectNames.makeUUIDs()
    var written: [String] = []
    do throws(SystemError) {
      guard mkdir(temporary, 0o777) == 0 else { throw SystemError(code: errno) }
      for (file, source) in sources {
        let name = names.filled(file, uuids)
        try Self.write(names.filled(try Self.text(of: source), uuids), to: "\(temporary)/\(name)")
        written.append(name)
      }
      guard rename(temporary, path) == 0 else { throw SystemError(code: errno) }
    } catch {
      Self.remove(temporary)
      throw Self.failure(error, path)
    }
    return written
  }

  /// Returns a path without the slashes and the names `.` at its end, with which no directory can be created.
  private static func withoutEnd(_ path: String) -> String {
    var path = path
    while path != "/", path.hasSuffix("/") || path.hasSuffix("/.") { path.removeLast() }
    return path
  }

  private static func check(_ path: String) throws(Diagnosis) {
    let remedy = "name a new directory with --directory"
    var status = stat()
    guard lstat(path, &status) != 0 else { throw Diagnosis(.usage, path, problem: "exists", remedy: remedy) }
    let parent = Path.resolved(Path.directory(of: path)) ?? ""
    guard !"\(parent)/\(Path.lastComponent(of: path))".utf8.contains(UInt8(ascii: "$")) else {
      throw Diagnosis(.usage, path, problem: "would have a $ in its path, where no host loads a plugin", remedy: remedy)
    }
  }

  private static func text(of source: String) throws(SystemError) -> String {
    let file = try FileDescriptor(opening: source, O_RDONLY)
    return String(decoding: try file.readToEnd(), as: UTF8.self)
  }

  private static func write(_ text: String, to path: String) throws(SystemError) {
    try AtomicFile.makeDirectory(Path.directory(of: path), 0o777)
    // A script is run by its name.
    let file = try FileDescriptor(
      opening: path, O_WRONLY | O_CREAT | O_EXCL, mode: text.hasPrefix("#!") ? 0o777 : 0o666)
    try file.write(Array(text.utf8))
  }

  /// Removes a directory with its files and subdirectories.
  private static func remove(_ directory: String) {
    for name in (try? Path.entries(in: directory)) ?? [] {
      let path = "\(directory)/\(name)"
      if unlink(path) != 0 { remove(path) }
    }
    rmdir(directory)
  }

  private static func failure(_ error: SystemError, _ directory: String) -> Diagnosis {
    let code: Diagnosis.Code =
      switch error.code {
      case EACCES, EPERM, EROFS: .notPermitted
      case ENOENT, ENOTDIR, ENAMETOOLONG, ELOOP: .unreadable
      default: .inputOutput
      }
    return Diagnosis(
      code, directory, problem: "cannot be created: \(error)", remedy: "name another directory with --directory")
  }
}

/// The kind of plugin or library that a template makes.
package enum TemplateKind: String, CaseIterable, Encodable, Sendable {
  case transform, functions, service
  case interface
  case fixedInterface = "fixed-interface"

  /// True for a library of protocols, which is no plugin.
  package var isInterface: Bool { self == .interface || self == .fixedInterface }

  package var summary: String {
    switch self {
    case .transform: "stages of a stream: state between pieces, settings, an argument, an error"
    case .functions: "functions for calls: numbers, text, a buffer, a struct, outputs, an error, a callback"
    case .service: "a contract and objects with lifetimes, metadata and settings, and a stage that resolves them"
    case .interface: "a library of shared protocols, with library evolution and a comparison with its last release"
    case .fixedInterface: "a library of shared protocols without library evolution, with a mark of its layout"
    }
  }
}

/// A language with templates for plugins.
package enum TemplateLanguage: String, CaseIterable, Encodable, Sendable {
  case c
  case cpp = "c++"
  case swift, rust, zig, json

  /// The kinds that the templates have. An adoption file declares functions only.
  package var kinds: [TemplateKind] {
    switch self {
    case .json: [.functions]
    case .swift: TemplateKind.allCases
    default: TemplateKind.allCases.filter { !$0.isInterface }
    }
  }
}
