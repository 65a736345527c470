internal import Glibc
internal import TroupeFiles

/// Resolves what a plugin's library links, as the loader does: `DT_NEEDED`, run path, and the directories of the loader.
///
/// Reads ELF files only; nothing is opened as code.
struct Linkage {
  /// The directory of the library, without links.
  private let directory: String
  let dynamic: DynamicSection?
  /// All dynamic symbols, defined ones and references.
  let symbols: [ELFFile.DynamicSymbol]
  let isSwift: Bool

  /// Reads the plugin's own library. Throws `NotApplicable` for a file that adopts one.
  init(_ subject: CheckedFile) throws {
    let elf = try subject.library()
    dynamic = try elf.dynamicSection()
    symbols = try dynamic.map { try elf.dynamicSymbols($0) } ?? []
    isSwift = try elf.holdsSwift()
    directory = Path.directory(of: subject.libraryPath)
  }

  var needed: [String] { dynamic?.needed ?? [] }

  /// The file of a linked library. Nil if the loader would not find it.
  func file(of name: String) -> String? {
    if Path.containsSlash(name) { return access(name, F_OK) == 0 ? name : nil }
    // The process has opened this one.
    if name == HostTypeSymbols.library { return OwnLibrary.path }
    return Self.file(of: name, in: runPath.filter { !$0.isEmpty }.map(expanded))
  }

  /// The unexpanded entries of the run path.
  var runPath: [String] {
    guard let text = dynamic?.runPath ?? dynamic?.rpath else { return [] }
    return text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
  }

  func expanded(_ entry: String) -> String {
    entry.replacing("${ORIGIN}", with: directory).replacing("$ORIGIN", with: directory)
  }

  private static func file(of name: String, in directories: [String]) -> String? {
    (directories + LoaderPath.directories()).map { $0 + "/" + name }.first { access($0, F_OK) == 0 }
  }

  /// The names that the linked libraries define, with the libraries that these link.
  func definedNames() -> Set<String> {
    var names: Set<String> = []
    var (files, seen) = (needed.compactMap(file), Set<String>())
    while let file = files.popLast() {
      guard seen.insert(file).inserted else { continue }
      names.formUnion(Self.definedNames(inFile: file))
      let section = try? ELFFile(path: file).dynamicSection()
      files += (section?.needed ?? []).compactMap { Self.file(of: $0, in: [Path.directory(of: file)]) }
    }
    return names
  }

  /// Returns the names that a library defines; none for a file that cannot be read.
  static func definedNames(inFile path: String) -> Set<String> {
    guard let elf = try? ELFFile(path: path), let dynamic = try? elf.dynamicSection(),
      let symbols = try? elf.dynamicSymbols(dynamic)
    else { return [] }
    return Set(symbols.filter(\.isDefined).map(\.name))
  }
}
