internal import Glibc
internal import TroupeFiles

/// The dynamic symbols of a plugin's library, and the libraries that it links.
struct Linkage {
  /// The directory of the library, without links.
  private let directory: String
  let dynamic: DynamicSection?
  /// All dynamic symbols, defined ones and references.
  let symbols: [ELFFile.DynamicSymbol]
  let isSwift: Bool

  /// Reads the plugin's own library. Throws `NotApplicable` for a file that adopts one.
  init(_ subject: CheckedFile) throws {
    let elf = try subject.library().elf
    dynamic = try elf.dynamicSection()
    symbols = try dynamic.map { try elf.dynamicSymbols($0) } ?? []
    isSwift = try elf.holdsSwift()
    directory = Path.directory(of: subject.libraryPath)
  }

  var needed: [String] { dynamic?.needed ?? [] }

  /// Returns the file of a linked library as the loader finds it, or nil.
  func file(of name: String) -> String? {
    if Path.hasDirectory(name) { return access(name, F_OK) == 0 ? name : nil }
    // The process has opened this one.
    if name == HostTypeSymbols.library { return OwnLibrary.path }
    return Self.file(of: name, in: runPath.filter { !$0.isEmpty }.map(expanded))
  }

  /// The entries of the run path, as the library has them.
  var runPath: [String] {
    guard let text = dynamic?.runPath ?? dynamic?.rpath else { return [] }
    return text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
  }

  /// Returns the directory of an entry of the run path.
  func expanded(_ entry: String) -> String {
    entry.replacing("${ORIGIN}", with: directory).replacing("$ORIGIN", with: directory)
  }

  /// Returns the first file with a name in directories or those of the loader, or nil.
  private static func file(of name: String, in directories: [String]) -> String? {
    (directories + LoaderPath.directories()).map { $0 + "/" + name }.first { access($0, F_OK) == 0 }
  }

  /// Returns the names that the linked libraries define, directly or by libraries that they link.
  func definedNames() -> Set<String> {
    var names: Set<String> = []
    var (files, seen) = (needed.compactMap(file), Set<String>())
    while let file = files.popLast() {
      guard seen.insert(file).inserted else { continue }
      names.formUnion(Self.definedNames(inFile: file))
      let elf = (try? RegularFile(path: file)).flatMap { try? ELFFile($0.bytes) }
      let section = elf.flatMap { try? $0.dynamicSection() }
      files += (section?.needed ?? []).compactMap { Self.file(of: $0, in: [Path.directory(of: file)]) }
    }
    return names
  }

  /// Returns the names that a library defines; none for a file that cannot be read.
  static func definedNames(inFile path: String) -> Set<String> {
    guard let file = try? RegularFile(path: path), let elf = try? ELFFile(file.bytes),
      let dynamic = try? elf.dynamicSection(), let symbols = try? elf.dynamicSymbols(dynamic)
    else { return [] }
    return Set(symbols.filter(\.isDefined).map(\.name))
  }
}
