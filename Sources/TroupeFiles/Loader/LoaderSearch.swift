internal import CLinux
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
    /// True if the loader may search further directories: those with another token, and the present one for an empty entry.
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
    return path.utf8.contains(UInt8(ascii: "$")) || Self.skipsEntries(path, at: ":;")
  }()

  /// True if the program has a `DT_RPATH`, which counts for libraries without a `DT_RUNPATH`.
  private lazy var programHasPath = {
    guard let elf = try? ELFFile.ofProgram(), let dynamic = try? elf.dynamicSection() else { return true }
    return dynamic.rpath != nil && dynamic.runPath == nil
  }()

  private static func skipsEntries(_ path: String, at separators: String = ":") -> Bool {
    guard !path.isEmpty else { return false }
    return path.utf8.split(omittingEmptySubsequences: false) { separators.utf8.contains($0) }.contains { entry in
      entry.isEmpty || LoaderPath.expanded(String(decoding: entry, as: UTF8.self), origin: "/") == nil
    }
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

  private static func split(_ path: String, at separators: String) -> [String] {
    path.utf8.split { separators.utf8.contains($0) }.map { String(decoding: $0, as: UTF8.self) }
  }

  private static func directories(_ path: String, _ origin: String) -> [String] {
    split(path, at: ":").compactMap { LoaderPath.expanded($0, origin: origin) }
  }
}

/// The directories that the loader searches for a library without a path: `LD_LIBRARY_PATH`, the `DT_RUNPATH` of what needs the library,
/// and the defaults of the loader, without the cache of ldconfig(8). A `DT_RPATH` comes first.
package enum LoaderPath {
  /// Returns the directories in search order, each once. Opens no file.
  ///
  /// - Parameter library: The name of an open library; nil for the program.
  package static func directories(neededBy library: String? = nil) -> [String] {
    var directories: [String] = []
    withUnsafeMutablePointer(to: &directories) { directories in
      linux_for_each_search_directory(
        library,
        { directory, directories in
          // An empty entry of LD_LIBRARY_PATH is the current directory.
          let path = directory.pointee == 0 ? "." : String(cString: directory)
          directories.assumingMemoryBound(to: [String].self).pointee.append(path)
        }, directories)
    }
    var known: Set<[UInt8]> = []
    return directories.filter { known.insert(Path.key($0)).inserted }
  }

  /// A library without a run path, which each process has open.
  static let systemLibrary = "libc.so.6"

  /// The value of `LD_LIBRARY_PATH` that the loader uses; empty if there is none.
  ///
  /// The loader reads the variable when the process starts and does not see setenv(3), so the initial value counts. If a program has
  /// overwritten that, the present one may be a copy of it: the loader then lists its directories.
  package static let environment: String = {
    let initial = Environment.initialValue("LD_LIBRARY_PATH") ?? ""
    guard let present = Environment.value("LD_LIBRARY_PATH"), present != initial else { return initial }
    return initial.isEmpty && isListed(present) ? present : initial
  }()

  private static func isListed(_ path: String) -> Bool {
    let listed = directories(neededBy: systemLibrary)
    let entries = path.utf8.split { ":;".utf8.contains($0) }.map { entry in
      // The loader drops slashes at the end.
      String(decoding: entry[...(entry.lastIndex { $0 != UInt8(ascii: "/") } ?? entry.startIndex)], as: UTF8.self)
    }
    // It lists the system's directories in any case.
    return entries.allSatisfy(listed.contains) && !entries.allSatisfy(isOfSystem)
  }

  static func isOfSystem(_ directory: String) -> Bool {
    ["/lib/", "/lib64/", "/usr/lib/", "/usr/lib64/"].contains { "\(directory)/".utf8.starts(with: $0.utf8) }
  }

  /// Replaces `$ORIGIN` and `${ORIGIN}`. Returns nil if the path has another token of the loader, `$LIB` or `$PLATFORM`. Any other dollar
  /// sign is part of a name: `$ORIGINAL` is no token, since a letter follows.
  package static func expanded(_ path: String, origin: String) -> String? {
    var expanded: [UInt8] = []
    var rest = path.utf8[...]
    while let dollar = rest.firstIndex(of: UInt8(ascii: "$")) {
      expanded += rest[..<dollar]
      rest = rest[dollar...].dropFirst()
      guard let token = tokens.first(where: { length(of: $0, rest) != nil }), let length = length(of: token, rest) else {
        expanded.append(UInt8(ascii: "$"))
        continue
      }
      guard token == tokens[0] else { return nil }
      expanded += origin.utf8
      rest = rest.dropFirst(length)
    }
    return String(decoding: expanded + rest, as: UTF8.self)
  }

  /// Returns true if a path begins with `$ORIGIN` or `${ORIGIN}`.
  package static func beginsWithOrigin(_ path: String) -> Bool {
    path.utf8.first == UInt8(ascii: "$") && length(of: tokens[0], path.utf8.dropFirst()) != nil
  }

  private static let tokens = ["ORIGIN", "LIB", "PLATFORM"]

  /// Returns the length of a token, with its braces, at the beginning of a text; nil if the text begins otherwise.
  private static func length(of token: String, _ text: Substring.UTF8View) -> Int? {
    if text.starts(with: "{\(token)}".utf8) { return token.utf8.count + 2 }
    guard text.starts(with: token.utf8) else { return nil }
    guard let next = text.dropFirst(token.utf8.count).first else { return token.utf8.count }
    let (letters, digits) = (UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"))
    let goesOn = letters.contains(next | 0x20) || digits.contains(next) || next == UInt8(ascii: "_")
    return goesOn ? nil : token.utf8.count
  }
}

/// The cache of ldconfig(8), which maps the names of the system's libraries to files.
///
/// The file has a header of 48 bytes, entries of 24 bytes (flags, the offsets of a name and of a path, the version of the
/// system, the capabilities of the processor), and the texts. Offsets count from the header. See `dl-cache.h` of glibc.
private struct LoaderCache {
  private let view: ByteView?
  private let count: Int

  init(path: String = "/etc/ld.so.cache") {
    guard let bytes = try? RegularFile(path: path).bytes, bytes.count < 1 << 26,
      let view = try? bytes.view(at: 0, count: Int(bytes.count)), view.has(Self.magic, at: 0), view.count >= 48
    else {
      (view, count) = (nil, 0)
      return
    }
    self.view = view
    count = min(Int(view.uint32(20)), (view.count - 48) / 24)
  }

  /// Returns the paths for a name, in the order of the cache. They may be for other machines.
  func files(_ name: String) -> [String] {
    guard let view else { return [] }
    let wanted = Array(name.utf8) + [0]
    return (0..<count).compactMap { index in
      let entry = 48 + index * 24
      let path = Int(view.uint32(entry + 8))
      guard view.has(wanted, at: Int(view.uint32(entry + 4))), path < view.count else { return nil }
      return view.terminatedText(at: path)
    }
  }

  private static let magic = Array("glibc-ld.so.cache1.1".utf8)
}
