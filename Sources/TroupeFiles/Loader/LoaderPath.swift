internal import CLinux
internal import TroupeBase

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
