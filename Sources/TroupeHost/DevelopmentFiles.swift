internal import Glibc
internal import TroupeFiles

/// The files that a compiler needs to build programs and plugins against this library: those of a build tree or of an installation.
package struct DevelopmentFiles {
  /// The directory of `libTroupe.so`.
  package let libraries: String
  /// The directory of the Swift modules.
  package let modules: String
  /// The directory of `troupe.h`.
  package let headers: String
  /// The program that expands the macros.
  package let macros: String
  /// The directory of the templates for new plugins.
  package let templates: String

  /// Finds the files that belong to this process's own library.
  package init() throws(Diagnosis) {
    guard let library = OwnLibrary.path, Path.lastComponent(of: library) == HostTypeSymbols.library else {
      throw Diagnosis(
        .unavailable,
        problem: "this program does not use \(HostTypeSymbols.library), so that it has no compiler options to print")
    }
    try self.init(beside: library)
  }

  /// Finds the files that belong to a library.
  init(beside library: String) throws(Diagnosis) {
    libraries = Path.directory(of: library)
    if Self.exists(libraries + "/Modules") {
      modules = libraries + "/Modules"
      macros = libraries + "/TroupeMacros-tool"
      headers = Self.headers(above: libraries)
      templates = Path.directory(of: headers) + "/templates"
    } else {
      modules = libraries + "/troupe/modules"
      macros = libraries + "/troupe/TroupeMacros"
      headers = Path.directory(of: libraries) + "/include/troupe"
      templates = Path.directory(of: libraries) + "/share/troupe/templates"
    }
    for file in [modules + "/TroupeHost.swiftmodule", macros, headers + "/troupe.h"] where !Self.exists(file) {
      throw Diagnosis(
        .unavailable, file, problem: "is missing", remedy: "build Troupe with its package, or install it with make install")
    }
  }

  private static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  /// The directory `include` of the checkout that a build tree lies in.
  private static func headers(above directory: String) -> String {
    let headers = directory + "/include"
    return directory == "/" || exists(headers + "/troupe.h") ? headers : Self.headers(above: Path.directory(of: directory))
  }
}
