import Foundation
import TestSupport
import Testing

@testable import TroupeFiles

@Suite("The exports of a library") struct LibraryExportsTests {
  /// Compiles a library into a new directory.
  private func library(_ source: String, _ options: String...) throws -> (TemporaryDirectory, path: String) {
    let directory = try TemporaryDirectory()
    let file = try directory.write("library.c", source.utf8)
    try directory.write("versions.map", "V1 { global: *; }; V2 {} V1;".utf8)
    let path = directory.file("libexports.so")
    try succeed(["cc", "-shared", "-fPIC", "-o", path, file] + options, directory: directory.path)
    return (directory, path)
  }

  @Test("Global, weak and indirect functions are exports; variables, hidden, static and needed functions are not")
  func kinds() throws {
    let (directory, path) = try library(
      """
      #include <stdio.h>
      void usual(void) { puts("usual"); }
      __attribute__((weak)) void weak(void) {}
      __attribute__((visibility("protected"))) void protected(void) {}
      __attribute__((visibility("hidden"))) void hidden(void) {}
      static void local(void) {}
      static void (*choose(void))(void) { return local; }
      void indirect(void) __attribute__((ifunc("choose")));
      int variable = 1;
      """, "-nostartfiles")
    let exports = try LibraryExports(of: path)
    #expect(exports.functions == ["usual", "weak", "protected", "indirect"])
    #expect((exports.path, exports.name, exports.location) == (path, "libexports.so", path))
    withExtendedLifetime(directory) {}
  }

  @Test("A function of which only hidden versions exist is no export")
  func versions() throws {
    let (directory, path) = try library(
      """
      __asm__(".symver removed_1, removed@V1");
      __asm__(".symver changed_1, changed@V1");
      __asm__(".symver changed_2, changed@@V2");
      void removed_1(void) {}
      void changed_1(void) {}
      void changed_2(void) {}
      """, "-nostartfiles", "-Wl,--version-script=versions.map", "-Wl,-soname,libother.so.3")
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
      let fault = #expect(throws: Diagnosis.self) { try LibraryExports(of: library) }
      #expect(fault?.code == code, "\(library)")
    }
  }
}
