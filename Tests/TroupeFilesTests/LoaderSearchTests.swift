import Foundation
import TestSupport
import Testing

@testable import TroupeFiles

@Suite("The loader's search for libraries")
struct LoaderSearchTests {
  /// Compiles a library from C. Returns its path.
  private static func library(_ directory: TemporaryDirectory, _ name: String, _ options: [String] = []) throws -> String {
    let path = directory.file(name)
    try FileManager.default.createDirectory(
      atPath: Path.directory(of: path), withIntermediateDirectories: true)
    let source = try directory.write("empty.c", "int defined(void) { return 1; }".utf8)
    try succeed(["cc", "-shared", "-fPIC", "-o", path, source] + options)
    return path
  }

  @Test(
    "Only the tokens of the loader are replaced: a letter, a digit or an underscore after a name makes it another name",
    arguments: [
      ("$ORIGIN", "/o"), ("$ORIGIN/../lib", "/o/../lib"), ("/a/${ORIGIN}b", "/a//ob"), ("$ORIGIN-1:$ORIGIN", "/o-1:/o"),
      ("$ORIGINAL/lib", "$ORIGINAL/lib"), ("$ORIGIN_1", "$ORIGIN_1"), ("$ORIGIN1", "$ORIGIN1"), ("${ORIGINAL}", "${ORIGINAL}"),
      ("${ORIGIN", "${ORIGIN"), ("/a$b/$", "/a$b/$"), ("$LIBRARY", "$LIBRARY"), ("$LIB", nil), ("/usr/${LIB}x", nil),
      ("$PLATFORM/x", nil), ("$ORIGIN\u{301}", "/o\u{301}"), ("$\u{301}LIB", "$\u{301}LIB"), ("", ""),
    ])
  func tokens(path: String, expanded: String?) {
    #expect(LoaderPath.expanded(path, origin: "/o") == expanded)
  }

  @Test("A path begins with the directory of its library only by a token of the loader")
  func origin() {
    #expect(["$ORIGIN", "${ORIGIN}x", "$ORIGIN/lib"].allSatisfy(LoaderPath.beginsWithOrigin))
    #expect(!["$ORIGINAL", "/$ORIGIN", "ORIGIN", "$LIB", ""].contains(where: LoaderPath.beginsWithOrigin))
  }

  @Test("A run path with a name of a directory that has a dollar sign is searched, and one with another token is uncertain")
  func dollar() throws {
    let directory = try TemporaryDirectory()
    let found = try Self.library(directory, "$ORIGINAL/libfound.so")
    for (runPath, file) in [("$ORIGINAL", found), ("$LIB:\(directory.path)/$ORIGINAL", nil)] {
      let path = runPath.hasPrefix("$LIB") ? runPath : "\(directory.path)/\(runPath)"
      let user = try Self.library(
        directory, "libuser.so", ["-Wl,--no-as-needed", found, "-Wl,-rpath,\(path)"])
      let search = LoaderSearch()
      let library = try #require(search.library(user))
      // Without a SONAME, the linker records the path that it was given.
      #expect(library.needed.contains(found))
      #expect(search.certainFile("libfound.so", neededBy: library) == file)
    }
  }

  @Test("A change of LD_LIBRARY_PATH in a running process does not change the search, as the loader does not see it")
  func changedEnvironment() async {
    await #expect(processExitsWith: .success) {
      let directory = try TemporaryDirectory()
      let own = try LoaderSearchTests.library(directory, "own/libfound.so")
      let other = try LoaderSearchTests.library(directory, "other/libfound.so")
      let user = try LoaderSearchTests.library(directory, "libuser.so", ["-Wl,-rpath,\(directory.file("own"))"])
      setenv("LD_LIBRARY_PATH", directory.file("other"), 1)
      let search = LoaderSearch()
      let library = try #require(search.library(user))
      #expect(search.certainFile("libfound.so", neededBy: library) == own)
      #expect(search.files("libfound.so", neededBy: library) == [own])
      #expect(other != own)
    }
  }

  @Test("The run path of the program is among its own directories, and not among those of its libraries")
  func programRunPath() throws {
    let (own, others) = (LoaderPath.directories(), LoaderPath.directories(neededBy: LoaderPath.systemLibrary))
    let program = try #require(try ELFFile.ofProgram().dynamicSection())
    let directories = (program.runPath ?? "").split(separator: ":").map(String.init).filter { $0.hasPrefix("/") }
    #expect(!directories.isEmpty)
    #expect(directories.allSatisfy(own.contains))
    #expect(!directories.contains(where: others.contains))
    #expect(others.contains { FileManager.default.fileExists(atPath: $0 + "/libc.so.6") })
    #expect(LoaderPath.directories(neededBy: "libnone.so.1").isEmpty)
  }

  @Test("A program at fixed addresses is read as a program and refused as a library", arguments: ["-no-pie", "-pie"])
  func fixedProgram(option: String) throws {
    let directory = try TemporaryDirectory()
    let needed = try Self.library(directory, "libneeded.so", ["-Wl,-soname,libneeded.so.1"])
    let path = directory.file("program")
    let source = try directory.write(
      "main.c", "int defined(void); int exported(void) { return 2; } int main(void) { return defined(); }".utf8)
    try succeed(["cc", option, "-o", path, source, needed, "-Wl,--export-dynamic,--disable-new-dtags,-rpath,/opt"])
    let bytes = MemoryBytes([UInt8](try Data(contentsOf: URL(filePath: path))))
    if option == "-no-pie" {
      let error = try #require(throws: ReadError.self) { try ELFFile(bytes) }
      #expect(error.description == "is an ELF file, but not a shared library")
    }
    let file = try ELFFile(bytes, isProgram: true)
    let dynamic = try #require(try file.dynamicSection())
    #expect(dynamic.needed.contains("libneeded.so.1"))
    #expect(dynamic.rpath == "/opt")
    #expect(try file.defines("exported", dynamic))
    #expect(try !file.defines("defined", dynamic))
    #expect(try file.imports(dynamic).contains { $0.name == "defined" })
    #expect(try file.relocated(file.imports(dynamic), dynamic).contains { $0.name == "defined" })
  }
}
