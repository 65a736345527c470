internal import Glibc
internal import TroupeBase

/// Finds the files that the loader of this process opens for the names that a library needs, without opening them with the
/// loader.
///
/// For a name without a slash the loader takes the first file for this machine from
///
///     DT_RPATH of the library, and of those through which it is needed    unless the library has a DT_RUNPATH
///     LD_LIBRARY_PATH
///     DT_RUNPATH of the library
///     /etc/ld.so.cache
///     the directories of the system
///
/// Before that it takes a library that is open under the name, wherever that is from; the search leaves this to its caller. A
/// directory with another token than `$ORIGIN`, such as `$LIB`, is skipped, and so is the `DT_RPATH` of the program.
package final class LoaderSearch {
  private lazy var environment = Self.split(LoaderPath.environment, at: ":;")
  private lazy var system = LoaderPath.directories(neededBy: LoaderPath.systemLibrary).filter(LoaderPath.isOfSystem)
  private lazy var cache = LoaderCache()

  /// A hostile library multiplies its names by its directories. The search gives up after so many files, and then finds none.
  private var attempts = 1 << 17

  package init() {}

  /// A library with the names that it needs and the directories that are searched for them.
  package struct Library {
    package let path: String
    /// The name of `DT_SONAME`, by which the loader recognizes it.
    package let soname: String?
    /// The names of `DT_NEEDED`, in their order.
    package let needed: [String]
    /// The loader gives symbols of further libraries in place of those of this one.
    package let isFilter: Bool
    fileprivate let directory: String
    /// The directories of `DT_RUNPATH`. Nil without the entry: `DT_RPATH` counts then.
    fileprivate let runPath: [String]?
    /// The directories of `DT_RPATH`, its own and those of the libraries through which it is needed.
    fileprivate let rpath: [String]
    /// True if the loader may search further directories: those with another token.
    fileprivate let skipsDirectories: Bool
  }

  /// Returns nil if the file is no shared library for this machine. Cost: reads a few kilobytes.
  ///
  /// - Parameters:
  ///   - directory: The directory that `$ORIGIN` stands for, by default that of the file.
  ///   - parent: The library that needs it.
  package func library(_ path: String, directory: String? = nil, neededBy parent: Library? = nil) -> Library? {
    guard let elf = try? ELFFile(path: path), Machine(number: elf.machine) == .current, let dynamic = try? elf.dynamicSection()
    else { return nil }
    let directory = directory ?? Path.directory(of: path)
    let runPath = dynamic.runPath.map { Self.directories($0, directory) }
    let own = runPath == nil ? Self.directories(dynamic.rpath ?? "", directory) : []
    return Library(
      path: path, soname: dynamic.soname, needed: dynamic.needed, isFilter: dynamic.isFilter, directory: directory,
      runPath: runPath, rpath: own + (parent?.rpath ?? []),
      skipsDirectories: Self.skipsEntries(dynamic.runPath ?? dynamic.rpath ?? ""))
  }

  /// Returns the file that the loader opens for a name; nil if there is none, or if this search cannot tell because it skips directories,
  /// or several files are for different processors. The answer is certain only if each library above is, too.
  package func certainFile(_ name: String, neededBy library: Library) -> String? {
    if library.skipsDirectories || skipsEnvironment || library.runPath == nil && programHasPath { return nil }
    let files = files(name, neededBy: library)
    return files.count == 1 ? files[0] : nil
  }

  /// `$ORIGIN` is that of the program here.
  private lazy var skipsEnvironment = {
    let path = LoaderPath.environment
    return path.utf8.contains(UInt8(ascii: "$"))
  }()

  /// True if the program has a `DT_RPATH`, which counts for libraries without a `DT_RUNPATH`.
  private lazy var programHasPath = {
    guard let elf = try? ELFFile.ofProgram(), let dynamic = try? elf.dynamicSection() else { return true }
    return dynamic.rpath != nil && dynamic.runPath == nil
  }()

  private static func skipsEntries(_ path: String) -> Bool {
    split(path, at: ":").contains { LoaderPath.expanded($0, origin: "/") == nil }
  }

  /// Returns the files for a name from the first directory that has one, or from the cache; empty if there are none. A
  /// directory can have several, in `glibc-hwcaps` for newer processors. The loader takes the best one for this machine.
  package func files(_ name: String, neededBy library: Library) -> [String] {
    if Path.containsSlash(name) {
      return LoaderPath.expanded(name, origin: library.directory).map { [$0].filter(isLibrary) } ?? []
    }
    let directories = library.runPath.map { environment + $0 } ?? library.rpath + environment
    if let files = first(name, in: directories) { return files }
    let cached = cache.files(name).filter(isLibrary)
    return cached.isEmpty ? first(name, in: system) ?? [] : cached
  }

  private func first(_ name: String, in directories: [String]) -> [String]? {
    directories.lazy.map { directory in
      (Self.levels + [""]).map { "\(directory)/\($0)\(name)" }.filter(self.isLibrary)
    }.first { !$0.isEmpty }
  }

  private func isLibrary(_ path: String) -> Bool {
    attempts -= 1
    return attempts > 0 && access(path, F_OK) == 0 && library(path) != nil
  }

  #if arch(x86_64)
    private static let levels = ["v4", "v3", "v2"].map { "glibc-hwcaps/x86-64-\($0)/" }
  #else
    private static let levels: [String] = []
  #endif

  /// An empty entry, such as that of a path that ends in a separator, is the present directory.
  private static func split(_ path: String, at separators: String) -> [String] {
    if path.isEmpty { return [] }
    return path.utf8.split(omittingEmptySubsequences: false) { separators.utf8.contains($0) }.map {
      $0.isEmpty ? "." : String(decoding: $0, as: UTF8.self)
    }
  }

  private static func directories(_ path: String, _ origin: String) -> [String] {
    split(path, at: ":").compactMap { LoaderPath.expanded($0, origin: origin) }
  }
}
