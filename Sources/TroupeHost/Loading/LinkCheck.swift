internal import Glibc
internal import TroupeFiles
internal import TroupeSandbox

/// Decides, before the loader opens a plugin, whether the libraries that it needs have what it was built against.
///
/// The loader would name a missing symbol in its mangled form, and only when it opens the plugin. A Swift library without library
/// evolution is worse: after a change of its layout, an old plugin opens, and crashes the program when it calls the library. With library
/// evolution, a new requirement without a default has the same effect. Comparisons of ELF files show these:
///
///     undefined symbols of the plugin     ─── exports of the libraries and of the program     missing declarations
///     requirements that it implements     ─── requirements in the libraries                   missing implementations
///     requirements that it calls          ─── what the program implements of them             missing implementations
///     marks in the plugin and the program ─── marks in the libraries (`LayoutMark`)           another layout
///
/// The check rejects only what the loader cannot open or what would crash. A symbol may be missing if it is weak or has no relocation. It
/// counts as present if the plugin, the program, one of their libraries or a preloaded one has it, in any version.
///
/// Symbols are not compared if the check cannot tell which file the loader opens for a name, or if a library stands for further ones
/// (`DT_FILTER`). A symbol that no library is known to have had, such as one of the program, is left to the loader, too.
///
/// The libraries of C, C++ and the Swift toolchain have no marks, and the loader compares their versions.
package struct LinkCheck {
  /// A library that the loader would use, or uses, for a needed name.
  struct Library {
    let name: String
    let path: String
    /// The library is in this process already.
    let isOpen: Bool
    let isRuntime: Bool

    init(_ name: String, _ path: String, isOpen: Bool) {
      (self.name, self.path, self.isOpen) = (name, LinkCheck.normalized(path), isOpen)
      isRuntime = RuntimeLibraries.contain(name, at: path)
    }

    var isExamined: Bool { !isRuntime && name != HostTypeSymbols.library }

    /// False for an open library whose file was replaced since.
    var hasCurrentFile: Bool { !isOpen || LinkMap(named: name)?.isUnchanged == true }

    /// Nil for a library without Swift, and without a current file.
    var marks: InterfaceMarks? {
      guard hasCurrentFile, let elf = try? ELFFile(path: path), let dynamic = try? elf.dynamicSection() else { return nil }
      return try? elf.interfaceMarks(dynamic)
    }

    func defines(_ mark: LayoutMark, _ marks: InterfaceMarks?) -> Bool {
      guard isOpen else { return marks?.layouts.contains(mark) ?? false }
      return !undefined([mark.symbol]).contains(mark.symbol)
    }

    /// Returns those symbols that the open library and those that it needs do not define; all if it is not open.
    func undefined(_ symbols: Set<String>) -> Set<String> {
      guard isOpen, let handle = dlopen(name, RTLD_LAZY | RTLD_NOLOAD) else { return symbols }
      defer { dlclose(handle) }
      return symbols.filter { dlsym(handle, $0) == nil }
    }
  }

  /// An ELF file with its undefined symbols, and the versions and layouts that it was linked against.
  struct Image {
    let path: String
    let elf: ELFFile
    let dynamic: DynamicSection
    let imports: [ELFFile.Import]
    /// The marks of the modules that its code was compiled against.
    let marks: Set<LayoutMark>
    let versions: [ELFFile.VersionNeed]

    init?(_ path: String) {
      guard let elf = try? LinkCheck.file(path), let dynamic = try? elf.dynamicSection(),
        let imports = try? elf.imports(dynamic),
        let versions = try? elf.versionNeeds(dynamic)
      else { return nil }
      (self.path, self.elf, self.dynamic, self.imports, self.versions) = (path, elf, dynamic, imports, versions)
      marks = Set(imports.compactMap { LayoutMark(symbol: $0.name) } + versions.compactMap { LayoutMark(version: $0.version) })
    }
  }

  /// The file that the loader opens.
  private let path: String
  private var libraries: [Library] = []
  /// False if it is not certain which file the loader opens for each needed name.
  private(set) var findsAll = true
  /// False if a symbol may be defined in a file that is not examined.
  private var isComplete = true

  /// Finds the libraries. Cost: reads the dynamic sections of those that are not open.
  ///
  /// - Parameters:
  ///   - path: The file that the loader opens.
  ///   - directory: The directory of the plugin's file, for `$ORIGIN`.
  package init(of path: String, directory: String) {
    self.path = path
    let search = LoaderSearch()
    guard let root = search.library(path, directory: directory) else {
      isComplete = false
      return
    }
    var rest = [root]
    var known: Set<String> = []
    while !rest.isEmpty {
      let user = rest.removeFirst()
      isComplete = isComplete && !user.isFilter
      for name in user.needed where known.insert(name).inserted {
        // dlopen(3) opens a path even with `RTLD_NOLOAD`, and it may name a device. A token such as `$LIB` stands for a path.
        if Path.containsSlash(name) || name.utf8.contains(UInt8(ascii: "$")) {
          (findsAll, isComplete) = (false, false)
        } else if let open = LinkMap(named: name) {
          // The loader takes this one: it knows the name, or has added it to the names of the library now.
          libraries.append(Library(name, open.name, isOpen: true))
        } else if let path = search.certainFile(name, neededBy: user), let file = search.library(path, neededBy: user) {
          libraries.append(Library(name, path, isOpen: false))
          rest.append(file)
        } else {
          (findsAll, isComplete) = (false, false)
        }
      }
    }
  }

  /// Returns a path without `..`, which messages would show for the usual run path `$ORIGIN/../lib`. The last component stays, also if it
  /// is a symbolic link.
  private static func normalized(_ path: String) -> String {
    guard path.utf8.split(separator: UInt8(ascii: "/")).contains(where: { $0.elementsEqual("..".utf8) }),
      let directory = Path.resolved(Path.directory(of: path))
    else { return path }
    return (directory == "/" ? "" : directory) + "/" + Path.lastComponent(of: path)
  }

  /// Opens the file of an image; an empty path is that of the program.
  private static func file(_ path: String) throws -> ELFFile { try path.isEmpty ? .ofProgram() : ELFFile(path: path) }

  /// The libraries, direct and indirect, besides the runtimes and libTroupe.so.
  package var examinedLibraries: [String] { libraries.filter(\.isExamined).map(\.path) }

  /// The libraries whose change may make the plugin fail, in their present state.
  var files: [FileState] {
    libraries.filter { !$0.isRuntime && $0.path.utf8.first == UInt8(ascii: "/") }.compactMap { FileState(path: $0.path) }
  }

  /// Throws a `Diagnosis` without a subject for the first difference.
  ///
  /// - Returns: Warnings about Swift libraries whose changes cannot be seen: they have neither library evolution nor a mark. Each is the
  ///   end of a sentence.
  @discardableResult
  package func run() throws(Diagnosis) -> [String] {
    guard libraries.contains(where: { !$0.isRuntime }) else { return [] }
    let examined = libraries.filter(\.isExamined)
    let marks = examined.map { ($0, $0.marks) }
    for (path, subject) in [(path, "")] + examined.filter({ !$0.isOpen }).map({ ($0.path, "needs \($0.path), which ") }) {
      guard let image = Image(path) else { continue }
      do throws(Diagnosis) {
        try checkMarks(of: image, marks)
        try checkVersions(of: image)
        try checkSymbols(of: image)
        try checkGetters(of: image, examined)
        try checkRequirements(of: image, examined)
      } catch {
        throw Diagnosis(error.code, problem: subject + error.problem, remedy: error.remedy)
      }
    }
    try checkProgram(marks)
    try checkRequirementsOfProgram(examined)
    return marks.compactMap { library, marks in
      guard let marks, marks.layouts.isEmpty, !marks.isResilient else { return nil }
      return Self.warning(library.path)
    }
  }

  /// The remedy if the plugin itself has to be built again.
  package static let rebuildRemedy = "rebuild the plugin against this version"

  /// The remedy for an image that was built against another version of a library. Names the library, unless it is the only one of the
  /// sentence.
  func remedy(for image: Image, against library: String) -> String {
    image.path == path ? Self.rebuildRemedy : "rebuild \(image.path) against the installed \(library)"
  }

  /// Prefix of each warning of `run()`, by which the host tells them from those of a probe.
  package static let warningPrefix = "needs "

  private static func warning(_ path: String) -> String {
    "\(warningPrefix)\(path), a Swift library without library evolution and without a mark of its layout, so that a changed version could crash "
      + "the program; build it with troupe flags --interface, see the guide Shared interfaces"
  }

  // MARK: Versions and symbols

  private func checkVersions(of image: Image) throws(Diagnosis) {
    for need in image.versions where !need.isWeak && LayoutMark(version: need.version) == nil {
      guard let library = libraries.first(where: { $0.name == need.library }), library.isExamined, library.hasCurrentFile,
        let elf = try? ELFFile(path: library.path), let dynamic = try? elf.dynamicSection(),
        let versions = try? elf.versionDefinitions(dynamic), !versions.isEmpty, !versions.contains(need.version)
      else { continue }
      throw Diagnosis(
        .missingSymbol, problem: "needs version \(need.version), which \(library.path) does not have",
        remedy: "install a version of \(library.path) that has \(need.version), or \(remedy(for: image, against: library.path))"
      )
    }
  }

  private func checkSymbols(of image: Image) throws(Diagnosis) {
    guard isComplete else { return }
    var missing = image.imports.filter { !$0.isWeak && dlsym(nil, $0.name) == nil }
    if !missing.isEmpty {
      let open = libraries.reduce(Set(missing.map(\.name))) { $1.undefined($0) }
      missing.removeAll { !open.contains($0.name) }
    }
    // A library may use what the plugin defines. The loader finds versions of a symbol that dlsym(3) does not.
    for path in [path] + libraries.map(\.path) + LibraryConflicts.ofProgram where !missing.isEmpty {
      guard let elf = try? Self.file(path), let dynamic = try? elf.dynamicSection() else { continue }
      missing.removeAll { (try? elf.defines(SymbolQuery($0.name), dynamic)) ?? true }
    }
    guard !missing.isEmpty, let needed = try? image.elf.relocated(missing, image.dynamic) else { return }
    let owned = needed.compactMap { symbol in
      let declaration = DeclarationName(of: symbol.name)
      return library(of: symbol, declaration).map { (path: $0.path, name: declaration.description) }
    }
    guard let path = owned.first?.path else { return }
    // Several symbols belong to one declaration.
    let names = Set(owned.filter { $0.path == path }.map(\.name)).sorted()
    let form = Self.defines(path, names) ? " in this form" : ""
    throw Diagnosis(
      .missingSymbol, problem: "needs \(names.listed(atMost: 3)), which \(path) does not have\(form)",
      remedy: remedy(for: image, against: path))
  }

  /// Returns true if a library has declarations of these names, with other types or of another kind.
  private static func defines(_ path: String, _ names: [String]) -> Bool {
    guard let elf = try? ELFFile(path: path), let dynamic = try? elf.dynamicSection(),
      let symbols = try? elf.dynamicSymbols(dynamic)
    else { return false }
    let defined = symbols.lazy.filter(\.isDefined).map { DeclarationName(of: $0.name).description }
    return Set(names).isSubset(of: defined)
  }

  /// A getter that has become asynchronous keeps its symbol, and has a second one, which each client needs that was compiled since.
  private func checkGetters(of image: Image, _ libraries: [Library]) throws(Diagnosis) {
    let names = Set(image.imports.map(\.name))
    let suffix = "Tu"
    let candidates = names.filter {
      $0.utf8.starts(with: "$s".utf8) && !$0.hasSuffix(suffix) && !names.contains($0 + suffix)
    }
    for library in libraries where library.hasCurrentFile && !candidates.isEmpty {
      guard let elf = try? ELFFile(path: library.path), let dynamic = try? elf.dynamicSection() else { continue }
      let changed = candidates.filter { (try? elf.defines(SymbolQuery($0 + suffix), dynamic)) == true }
      guard !changed.isEmpty else { continue }
      let declarations = Set(changed.map { DeclarationName(of: $0).description }).sorted()
      throw Diagnosis(
        .missingSymbol,
        problem: "calls \(declarations.listed(atMost: 3)) without await, which \(library.path) has as asynchronous",
        remedy: remedy(for: image, against: library.path))
    }
  }

  /// A requirement that was added to a protocol without a default implementation is no missing symbol: Swift leaves the entry of older
  /// conformances empty, and a call of it would crash. The check rejects nothing if a file is damaged or the plugin has no section headers.
  private func checkRequirements(of image: Image, _ libraries: [Library]) throws(Diagnosis) {
    guard let implemented = try? image.elf.implementedDescriptors(image.imports, image.dynamic), !implemented.isEmpty else {
      return
    }
    let own = Self.librariesOfProgram.filter { library in !libraries.contains { $0.name == library.name } }
    for library in libraries.filter({ image.dynamic.needed.contains($0.name) }) + own where library.hasCurrentFile {
      guard let elf = try? ELFFile(path: library.path), let dynamic = try? elf.dynamicSection(),
        let missing = try? elf.unimplementedRequirements(of: implemented, dynamic), !missing.isEmpty
      else { continue }
      let names = Set(missing.map { DeclarationName(of: $0).description }).sorted()
      throw Diagnosis(
        .missingSymbol, problem: "does not implement \(names.listed(atMost: 3)), which \(library.path) requires",
        remedy: remedy(for: image, against: library.path))
    }
  }

  /// The loader finds the symbols of these also for a plugin that is not linked with them.
  private static let librariesOfProgram = LibraryConflicts.ofProgram.sorted()
    .map { Library(Path.lastComponent(of: $0), $0, isOpen: true) }.filter(\.isExamined)

  /// The program implements protocols, too. It lacks a requirement if it was built before a release of the library that it has open. That is
  /// no harm unless a plugin calls the requirement.
  private func checkRequirementsOfProgram(_ libraries: [Library]) throws(Diagnosis) {
    let clients = Self.imagesOfProgram.filter { !$0.implemented.isEmpty }
    guard !clients.isEmpty, let image = Image(path) else { return }
    let called = Set(image.imports.compactMap { Self.requirement(ofThunk: $0.name) })
    for library in libraries where !called.isEmpty && image.dynamic.needed.contains(library.name) && library.hasCurrentFile {
      guard let elf = try? ELFFile(path: library.path), let dynamic = try? elf.dynamicSection() else { continue }
      for client in clients {
        guard let missing = try? elf.unimplementedRequirements(of: client.implemented, dynamic).filter(called.contains),
          !missing.isEmpty
        else { continue }
        let names = Set(missing.map { DeclarationName(of: $0).description }).sorted()
        throw Diagnosis(
          .missingSymbol,
          problem: "calls \(names.listed(atMost: 3)), which \(library.path) requires and \(client.file) does not implement",
          remedy: "implement it in \(client.file), and rebuild that against the installed \(library.path)")
      }
    }
  }

  /// Returns the descriptor of the requirement that a dispatch thunk calls; nil for another symbol.
  private static func requirement(ofThunk symbol: String) -> String? {
    ["TjTu", "Tj"].first { symbol.hasSuffix($0) }.map { "\(symbol.dropLast($0.utf8.count))Tq" }
  }

  /// The program, or one of its libraries, as a client of shared interfaces.
  struct ProgramImage {
    /// The path for messages.
    let file: String
    let marks: [LayoutMark]
    /// The descriptors of what it implements of the protocols of other libraries.
    let implemented: Set<String>
  }

  static let imagesOfProgram: [ProgramImage] = LibraryConflicts.ofProgram.sorted().compactMap { path in
    let name = Path.lastComponent(of: path)
    guard !RuntimeLibraries.contain(name, at: path), name != HostTypeSymbols.library, let image = Image(path) else {
      return nil
    }
    return ProgramImage(
      file: path.isEmpty ? Path.resolved("/proc/self/exe") ?? "the program" : path, marks: image.marks.sorted(),
      implemented: (try? image.elf.implementedDescriptors(image.imports, image.dynamic)) ?? [])
  }

  /// The library that had a symbol when the plugin was linked: the linker recorded it with the version, or it declares the module. Nil for
  /// any other symbol: the program that will open the plugin may define it. The loader's messages about the C library are better.
  private func library(of symbol: ELFFile.Import, _ declaration: DeclarationName) -> Library? {
    let libraries = libraries.filter { !$0.isRuntime }
    if let name = symbol.version?.library { return libraries.first { $0.name == name } }
    guard let module = declaration.module else { return nil }
    if let library = libraries.first(where: { $0.name.utf8.starts(with: "lib\(module).so".utf8) }) { return library }
    return libraries.first { library in
      guard let elf = try? ELFFile(path: library.path), let dynamic = try? elf.dynamicSection(),
        // Most libraries do not have the name, so that their symbols need not be parsed.
        (try? elf.hasName(containing: "\(module.utf8.count)\(module)", dynamic)) == true,
        let symbols = try? elf.dynamicSymbols(dynamic)
      else { return false }
      // Clients of a module have its name in undefined symbols, in the types of their own functions, and in conformances.
      return symbols.contains { symbol in
        guard symbol.isDefined else { return false }
        let declaration = DeclarationName(of: symbol.name)
        return declaration.module == module && !declaration.isConformance
      }
    }
  }
}
