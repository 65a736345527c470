internal import CLinux
internal import FoundationEssentials
internal import Glibc
internal import TroupeHost

/// Asks the system's loader which libraries it would not find.
package enum LoaderTrace {
  /// Returns the names of the libraries that the loader would not find in this process, indirect dependencies included, and none if the
  /// loader cannot be started or read the file. Runs no code of the library: the loader lists them in a process of its own, as for ldd(1).
  ///
  /// That process has none of the libraries that are open here. The loader takes an open library for every other one with its SONAME, so
  /// that a plugin in Swift needs no path to libTroupe.so and to the libraries of Swift.
  static func missing(_ path: String) -> [String] {
    #if arch(arm64)
      let loader = "/lib/ld-linux-aarch64.so.1"
    #else
      let loader = "/lib64/ld-linux-x86-64.so.2"
    #endif
    // The loader searches its library path for a name without a slash.
    let file = path.utf8.contains(UInt8(ascii: "/")) ? path : "./" + path
    guard let stream = popen("LD_TRACE_LOADED_OBJECTS=1 exec \(loader) \(file.shellWord) 2>/dev/null", "re") else { return [] }
    defer { pclose(stream) }
    var line: UnsafeMutablePointer<CChar>?
    var capacity = 0
    defer { free(line) }
    var names: [String] = []
    while getline(&line, &capacity, stream) > 0, let text = line.map({ String(cString: $0) }) {
      let words = text.split(whereSeparator: \.isWhitespace)
      guard words.count == 4, words[1...].elementsEqual(["=>", "not", "found"]) else { continue }
      let name = String(words[0])
      if !linux_is_open(name) { names.append(name) }
    }
    return names
  }

  /// The Debian package of a library by the naming rules of Debian: the SONAME without `.so`, in lower case, with a dash between two
  /// digits. For example `libfoo2` for `libfoo.so.2`, and `libfoo1-2` for `libfoo1.so.2`. Nil for another form of name.
  package static func package(of library: String) -> String? {
    guard let end = library.firstRange(of: ".so.") else { return nil }
    let (name, version) = (library[..<end.lowerBound].lowercased(), library[end.upperBound...])
    guard name.hasPrefix("lib"), !version.isEmpty else { return nil }
    return name + (name.last?.isNumber == true ? "-" : "") + version
  }

  /// True if the lists of apt have the package.
  static func isAvailable(_ package: String) -> Bool {
    // The status of apt-cache is 0 also for a name that only other packages provide.
    system("apt-cache show \(package.shellWord) 2>/dev/null | grep -q .") == 0
  }
}
