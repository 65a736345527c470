import Foundation
import TestSupport
import Testing

@Suite("An installation", .timeLimit(.minutes(60)))
struct InstallationTests {
  private let directory: TemporaryDirectory
  private let prefix: String

  init() throws {
    directory = try TemporaryDirectory()
    prefix = try Place.prefix()
  }

  /// Runs a shell line in the test's directory, with the installed command on the path.
  private func shell(_ line: String) throws -> Run {
    let path = prefix + "/bin:" + (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin")
    return try run(
      unset() + ["sh", "-ec", line],
      environment: [
        "PATH": path, "PKG_CONFIG_PATH": prefix + "/lib/pkgconfig", "CMAKE_PREFIX_PATH": prefix, "prefix": prefix,
        "plugins": try Examples.directory(),
      ],
      directory: directory.path)
  }

  @Test("pkg-config prints the options of a plugin in C, and the places of the installation")
  func packageConfiguration() throws {
    try succeed(["cp", Repo.fixture("healthy/settings.c"), directory.file("settings.c")])
    let line = """
      cc -std=c11 -fPIC -shared $(pkg-config --cflags troupe) -o settings.so settings.c
      troupe call --plugins . integer width
      """
    #expect(output(of: try shell(line)) == "76\n")
    let places = ["prefix", "includedir", "libdir", "pluginsdir", "modulesdir", "macrotool"]
    for place in places {
      let path = output(of: try shell("pkg-config --variable=\(place) troupe")).dropLast()
      #expect(FileManager.default.fileExists(atPath: String(path)), "\(place)")
    }
    let versions = try CommandLineTests.json([String: String].self, shell("troupe version --json"))
    #expect(output(of: try shell("pkg-config --variable=abi troupe")).dropLast() == versions["abi"] ?? "")
    #expect(output(of: try shell("pkg-config --modversion troupe")).dropLast() == versions["troupe"] ?? "")
  }

  @Test("Others can read what a user with a strict umask installs")
  func strictUmask() throws {
    let make = "make -C '\(Repo.root)' -o build 'BUILD=\(Repo.products)' 'PREFIX=\(directory.path)/strict' install"
    try succeed(["-u", "MAKEFLAGS", "-u", "MAKEOVERRIDES", "sh", "-ec", "umask 077; exec \(make)"])
    let hidden = ["find", directory.path + "/strict", "-not", "-perm", "-o=r", "-or", "-type", "d", "-not", "-perm", "-o=x"]
    #expect(output(of: try run(hidden)).isEmpty)
  }

  @Test("The CMake package builds plugins in C, C++ and Swift")
  func cmake() throws {
    try succeed(["cp", Repo.fixture("healthy/settings.c"), directory.file("settings.c")])
    try succeed(["cp", Repo.fixture("healthy/upper.swift"), directory.file("upper.swift")])
    try succeed(["cp", Repo.root + "/plugins/wordcount/wordcount.cpp", directory.file("wordcount.cpp")])
    try directory.write(
      "CMakeLists.txt",
      """
      cmake_minimum_required(VERSION 3.19)
      project(plugins C CXX)
      find_package(Troupe 0.1 REQUIRED)
      troupe_add_plugin(settings LANGUAGE c SOURCES settings.c)
      troupe_add_plugin(wordcount LANGUAGE c++ SOURCES wordcount.cpp)
      troupe_add_plugin(upper LANGUAGE swift SOURCES upper.swift)
      """.utf8)
    let built = try shell("cmake -S . -B built && cmake --build built")
    #expect(built.status == 0, "\(built.text)\(built.errors)")
    let plugins = try CommandLineTests.json([PluginReport].self, shell("troupe list --plugins built --json"))
    #expect(Set(plugins.map(\.state)) == ["admitted"])
    #expect(Set(plugins.map(\.language)) == ["c", "c++", "swift"])
    #expect(output(of: try shell("printf abc | troupe run --tag case --plugins built")) == "ABC")
  }

  @Test("pkg-config and the CMake package build a host in C, which finds the library without LD_LIBRARY_PATH")
  func host() throws {
    try succeed(["cp", Repo.fixture("host-api/small.c"), directory.file("small.c")])
    let made = try shell(
      "cc -std=c11 small.c $(pkg-config --cflags --libs troupe-host) -o small && ./small $plugins | tail -n 1")
    #expect(output(of: made) == "13.5\n")
    try directory.write(
      "CMakeLists.txt",
      """
      cmake_minimum_required(VERSION 3.19)
      project(host C)
      find_package(Troupe 0.1 REQUIRED)
      add_executable(small small.c)
      target_link_libraries(small PRIVATE Troupe::host)
      """.utf8)
    let built = try shell("cmake -S . -B built && cmake --build built")
    #expect(built.status == 0, "\(built.text)\(built.errors)")
    #expect(output(of: try shell("built/small $plugins | tail -n 1")) == "13.5\n")
  }

  private struct PluginReport: Decodable {
    let state: String
    let language: String?
  }

  @Test("The CMake package refuses a language that it does not know, and another version")
  func cmakeErrors() throws {
    for (line, version) in [("troupe_add_plugin(a LANGUAGE cobol SOURCES a.cob)", "0.1"), ("", "99.0")] {
      try directory.write(
        "CMakeLists.txt",
        "cmake_minimum_required(VERSION 3.19)\nproject(plugins C)\nfind_package(Troupe \(version) REQUIRED)\n\(line)\n".utf8)
      #expect(try shell("cmake -S . -B built").status != 0, "\(line) \(version)")
    }
  }

  @Test("The command, the helper for probes and the library use the Swift runtime of the installation")
  func runtime() throws {
    for file in ["bin/troupe", "libexec/troupe/troupe-probe", "lib/libTroupe.so"] {
      let libraries = output(of: try run(["-u", "LD_LIBRARY_PATH", "ldd", prefix + "/" + file])).split(separator: "\n")
      let runtime = libraries.filter { $0.contains("libswift") }
      #expect(!runtime.isEmpty)
      for library in runtime { #expect(library.contains("/lib/troupe/swift/libswift"), "\(file): \(library)") }
    }
  }

  @Test("Every command has a page of the manual, which man formats without a warning")
  func manual() throws {
    let pages = try FileManager.default.contentsOfDirectory(atPath: prefix + "/share/man/man1")
    let names = output(of: try shell("troupe --complete ''")).split(separator: "\n").compactMap {
      $0.split(separator: "\t").first
    }
    #expect(Set(pages) == Set(names.filter { $0 != "help" }.map { "troupe-\($0).1" } + ["troupe.1"]))
    for page in pages {
      #expect(output(of: try shell("groff -K utf8 -ww -z -man -Tutf8 $prefix/share/man/man1/\(page)")) == "")
    }
  }

  @Test("make uninstall removes what make install has written, and keeps the plugins of others")
  func uninstall() throws {
    let own = try TemporaryDirectory()
    try Place.make("install", prefix: own.path)
    try own.write("lib/troupe/plugins/other.so", "".utf8)
    try Place.make("uninstall", prefix: own.path)
    let left = output(of: try run(["find", own.path, "-type", "f"]))
    #expect(left == own.file("lib/troupe/plugins/other.so") + "\n")
  }
}
