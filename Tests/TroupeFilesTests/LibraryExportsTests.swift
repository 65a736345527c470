import Foundation
import TestSupport
import Testing

@testable import TroupeFiles

@Suite("The exports of a library") struct LibraryExportsTests {
  /// Compiles a fixture of `exports` into a new directory.
  private func library(_ name: String, _ options: String...) throws -> (TemporaryDirectory, path: String) {
    let directory = try TemporaryDirectory()
    let path = directory.file("libexports.so")
    try succeed(
      ["cc", "-shared", "-fPIC", "-nostartfiles", "-o", path, Repo.fixture("exports/\(name)")] + options)
    return (directory, path)
  }

  @Test("Global, weak and indirect functions and variables are exports; hidden, static and needed functions are not")
  func kinds() throws {
    let (directory, path) = try library("kinds.c")
    let exports = try LibraryExports(of: path)
    #expect(exports.functions == ["usual", "weak", "protected", "indirect"])
    #expect(exports.variables == ["variable"])
    #expect((exports.path, exports.name, exports.location) == (path, "libexports.so", path))
    withExtendedLifetime(directory) {}
  }

  @Test("A function of which only hidden versions exist is no export")
  func versions() throws {
    let map = Repo.fixture("exports/versions.map")
    let (directory, path) = try library("versions.c", "-Wl,--version-script=\(map)", "-Wl,-soname,libother.so.3")
    let exports = try LibraryExports(of: path)
    #expect(exports.functions.contains("changed"))
    #expect(!exports.functions.contains("removed"))
    #expect((exports.name, exports.location) == ("libother.so.3", path))
    withExtendedLifetime(directory) {}
  }

  @Test("A library of the system is located by its soname")
  func soname() throws {
    for name in ["libm.so.6", try LibraryExports(of: "libm.so.6").path] {
      let exports = try LibraryExports(of: name)
      #expect((exports.name, exports.location) == ("libm.so.6", "libm.so.6"))
      #expect(exports.functions.isSuperset(of: ["sin", "hypot", "fmaf"]))
    }
  }

  @Test("A missing file, a text and a directory are reported with their codes")
  func faults() throws {
    let directory = try TemporaryDirectory()
    let text = try directory.write("libtext.so", "text".utf8)
    for (library, code) in [
      (directory.file("absent.so"), Diagnosis.Code.unreadable), ("libabsent.so.1", .unreadable), (text, .notALibrary),
      (directory.path, .unreadable),
    ] {
      let diagnosis = #expect(throws: Diagnosis.self) { try LibraryExports(of: library) }
      #expect(diagnosis?.code == code, "\(library)")
    }
  }
}
