internal import CLinux

/// The directories that the loader searches for a library without a path: the run path of the program, `LD_LIBRARY_PATH` and the
/// defaults of the loader, without the cache of ldconfig(8).
package enum LoaderPath {
  /// Returns the directories in search order, each once; none if the loader reports none. Opens no file.
  package static func directories() -> [String] {
    var directories: [String] = []
    withUnsafeMutablePointer(to: &directories) { directories in
      linux_for_each_search_directory(
        { directory, directories in
          // An empty entry of LD_LIBRARY_PATH is the current directory.
          let path = directory.pointee == 0 ? "." : String(cString: directory)
          directories.assumingMemoryBound(to: [String].self).pointee.append(path)
        }, directories)
    }
    var known: Set<[UInt8]> = []
    return directories.filter { known.insert(Path.key($0)).inserted }
  }
}
