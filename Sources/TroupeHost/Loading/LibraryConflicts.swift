internal import TroupeFiles

/// The libraries that a plugin brings, compared with those of the same names that other plugins have opened.
///
/// The loader opens one library for each name. Of two plugins that bring different versions of `libdep.so.1`, each in its own
/// directory, the second gets the library of the first: it computes something else, or lacks a symbol. So before a plugin is
/// opened, `check` finds the files that the loader would open for it in a new process, and compares them with the open
/// libraries of the same names.
///
/// The program's own libraries are no conflict. They are open before any plugin, so the plugin has run with them in its probe,
/// too.
struct LibraryConflicts {
  /// The program's libraries, from before the first plugin was opened.
  static let ofProgram = Set(LoadedImage.all.map(\.path))

  private let search = LoaderSearch()
  private let root: LoaderSearch.Library?

  /// - Parameters:
  ///   - library: The file that the loader opens.
  ///   - directory: The directory of the plugin's file, for `$ORIGIN`.
  init(of library: String, directory: String) {
    root = search.library(library, directory: directory)
  }

  /// Throws a `Diagnosis` without a subject if the loader would use an open library in place of a different one that the plugin
  /// brings, directly or through one of its libraries.
  ///
  /// - Parameter id: The id of the plugin.
  func check(id: String) throws(Diagnosis) {
    let programs = Self.ofProgram
    guard let root else { return }
    var rest = [root]
    var known: Set<String> = []
    // Breadth first, as the loader: the first library that needs a name decides which file it is.
    while !rest.isEmpty {
      let library = rest.removeFirst()
      for name in library.needed where known.insert(name).inserted {
        let open = LinkMap(named: name)
        if let open, programs.contains(open.name) { continue }
        let files = search.files(name, neededBy: library)
        guard let file = files.first else { continue }
        if let open {
          // The loader has opened what this library needs together with it.
          guard files.contains(where: open.isCopy) else { throw Self.conflict(name, file, open, id) }
        } else if let next = search.library(file, neededBy: library) {
          rest.append(next)
        }
      }
    }
  }

  private static func conflict(_ name: String, _ file: String, _ open: LinkMap, _ id: String) -> Diagnosis {
    let isReplaced = open.name == file
    return Diagnosis(
      .conflictingLibrary,
      problem: isReplaced
        ? "cannot be loaded: it needs the new \(file), and this process has the file open that was there before"
        : "cannot be loaded: it needs \(name) from \(file), and this process has another library of that name open, \(open.name)",
      remedy: "link it with a library of another SONAME\(isReplaced ? ", restart the program" : ""), "
        + "or run it in a worker of its own (--isolate \(id))")
  }
}
