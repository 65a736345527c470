import Foundation
import TestSupport
import Testing

@Suite("The launcher")
struct LauncherTests {
  @Test("It works in another directory, with a relative path to the plugins")
  func otherDirectory() throws {
    let directory = try Examples.directory()
    let plugins = try json([ListedPlugin].self, troupe("list", "--json", plugins: ".", directory: directory))
    #expect(plugins.map(\.path).first == "./base64.so")
    #expect(plugins.allSatisfy { $0.state == "admitted" })
    #expect(try output(of: troupe("call", "area", "3", "4", plugins: ".", directory: directory)) == "12.0\n")
  }

  @Test("It finds its library through a symbolic link to itself and through PATH")
  func symbolicLink() throws {
    let directory = try TemporaryDirectory()
    try succeed(["ln", "-s", Repo.troupe, directory.file("linked")])
    let version = try output(of: troupe("--version"))
    #expect(output(of: try run([directory.file("linked"), "--version"])) == version)
    #expect(
      try output(of: shell(#"PATH="$directory:$PATH" linked --version"#, environment: ["directory": directory.path])) == version
    )
  }

  @Test("It finds its library in ../lib, its installed location")
  func installed() throws {
    let prefix = try TemporaryDirectory()
    for directory in ["bin", "lib", "lib/troupe/plugins"] { try succeed(["mkdir", "-p", "-m", "755", prefix.file(directory)]) }
    try succeed(["cp", Repo.troupe, prefix.file("bin/troupe")])
    try succeed(["cp", Repo.products + "/libTroupe.so", prefix.file("lib")])
    // The installed plugins are the default.
    try succeed(["cp", try Examples.directory() + "/grep.so", prefix.file("lib/troupe/plugins")])
    let listed = try run(unset() + [prefix.file("bin/troupe"), "resolve", "--tag", "grep", "--json"])
    #expect(try json([ListedInstance].self, listed).map(\.instance) == ["LineFilter"])
  }

  @Test("It works without a home directory")
  func withoutHome() throws {
    // No default directory holds the examples, and default directories may be missing.
    expectFailure(try troupe("list"), 0, "no plugins")
    let environment = ["HOME": "/dev/null/home", "XDG_DATA_HOME": ""]
    expectFailure(try troupe("list", environment: environment), 0, "no plugins")
  }

  @Test("It works with an empty environment")
  func withoutEnvironment() throws {
    #expect(output(of: try run(["-i", Repo.troupe, "--version"])) == output(of: try troupe("--version")))
  }

  @Test("Without its library it ends with 70 and lists the searched paths")
  func missingLibrary() throws {
    let directory = try TemporaryDirectory()
    try succeed(["cp", Repo.troupe, directory.file("troupe")])
    expectFailure(
      try run([directory.file("troupe"), "--version"]), 70, "cannot open libTroupe.so in \(directory.path)/", "../lib",
      "rebuild or reinstall Troupe")
  }

  @Test("With a damaged library it ends with 70 and the loader's message")
  func damagedLibrary() throws {
    let directory = try TemporaryDirectory()
    try succeed(["cp", Repo.troupe, directory.file("troupe")])
    let library = try directory.write("libTroupe.so", "no library at all".utf8)
    expectFailure(try run([directory.file("troupe"), "--version"]), 70, library, "file too short")
  }

  @Test("With a different library of the same name it ends with 70 and names it")
  func otherLibrary() throws {
    let directory = try TemporaryDirectory()
    try succeed(["cp", Repo.troupe, directory.file("troupe")])
    let library = try directory.add(c: "int other = 1;", as: "libTroupe")
    expectFailure(try run([directory.file("troupe"), "--version"]), 70, "\(library) is not this version's library")
  }
}
