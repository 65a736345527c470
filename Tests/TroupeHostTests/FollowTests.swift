import Foundation
import TestSupport
import Testing
import TroupeHost

@Suite("Following directories", .timeLimit(.minutes(60)))
struct FollowTests {
  private let directory: PluginDirectory
  private var files: FileManager { FileManager.default }

  init() throws { directory = try PluginDirectory() }

  /// Installs a version of the plugin in a subdirectory, which is created if necessary. Writes a temporary file and renames it.
  private func put(_ subdirectory: String, number: Int, name: String = "a.so") throws {
    let path = directory.directory.file(subdirectory)
    if !files.fileExists(atPath: path) { _ = try directory.makeDirectory(subdirectory) }
    let temporary = try directory.write(".new", VersionedPlugin.library(number: number))
    try setMode(0o755, of: temporary)
    try #require(rename(temporary, path + "/" + name) == 0)
  }

  /// Follows a subdirectory. Runs each step when its event arrives.
  private func follow(
    in subdirectory: String = "plugins", _ steps: [(event: String, then: () throws -> Void)], last: String
  ) async throws {
    var options = directory.options()
    options.directories = [directory.directory.file(subdirectory)]
    options.opensCopies = true
    let host = PluginHost(options)
    let events = host.events
    let following = Task { try await host.follow() }
    var left = steps[...]
    for await event in events {
      let text = "\(event.plugin.manifest?.version.description ?? "-") \(event.plugin.state.name)"
      if left.isEmpty && text == last { break }
      guard let step = left.first, step.event == text else { continue }
      left = left.dropFirst()
      try step.then()
    }
    #expect(left.isEmpty)
    following.cancel()
    try await following.value
  }

  @Test("A started host that follows detects earlier changes, and loads only the plugins of its start")
  func started() async throws {
    try put("plugins", number: 1)
    try directory.write(
      "plugins/b.so", VersionedPlugin.library(number: 7, ["ID": "org.example.other".quoted, "SUFFIX": "02".quoted]))
    var options = directory.options()
    options.directories = [directory.directory.file("plugins")]
    options.opensCopies = true
    let host = PluginHost(options)
    await host.start { $0.manifest?.id == "org.example.versioned" }
    #expect(host.states == ["a.so active", "b.so admitted"])
    try put("plugins", number: 2)
    let events = host.events
    let following = Task { try await host.follow() }
    for await event in events where event.plugin.manifest?.version.description == "1.2.0" && event.plugin.state == .active {
      break
    }
    #expect(host.states == ["a.so active", "b.so admitted"])
    following.cancel()
    try await following.value
  }

  @Test("A host that follows detects changes between the first discovery and the start of the watch")
  func discovered() async throws {
    var options = directory.options()
    options.directories = [try directory.makeDirectory("plugins")]
    let host = PluginHost(options)
    #expect(host.discover().isEmpty)
    try put("plugins", number: 1)
    let events = host.events
    let following = Task { try await host.follow() }
    for await event in events where event.plugin.state == .active { break }
    following.cancel()
    try await following.value
  }

  @Test("A removed directory is watched again after it is recreated")
  func removed() async throws {
    try put("plugins", number: 1)
    try await follow(
      [
        ("1.1.0 active", { try files.removeItem(atPath: directory.directory.file("plugins")) }),
        ("1.1.0 retired", { try put("plugins", number: 2) }),
        ("1.2.0 active", { try put("plugins", number: 3) }),
      ], last: "1.3.0 active")
  }

  @Test("A missing directory, also with a missing parent, is watched until it exists")
  func missing() async throws {
    try await follow(
      in: "above/plugins",
      [
        (
          "- rejected",
          {
            try put("other/plugins", number: 1)
            try files.moveItem(atPath: directory.directory.file("other"), toPath: directory.directory.file("above"))
          }
        ), ("1.1.0 active", { try put("above/plugins", number: 2) }),
      ], last: "1.2.0 active")
  }

  @Test("A directory that replaces another by a rename is watched instead")
  func renamed() async throws {
    try put("plugins", number: 1)
    try put("other", number: 2)
    try await follow(
      [
        (
          "1.1.0 active",
          {
            try files.moveItem(atPath: directory.directory.file("plugins"), toPath: directory.directory.file("old"))
            try files.moveItem(atPath: directory.directory.file("other"), toPath: directory.directory.file("plugins"))
          }
        ), ("1.2.0 active", { try put("plugins", number: 3) }),
      ], last: "1.3.0 active")
  }

  @Test("A directory that is a link is followed to the new target of the link")
  func switched() async throws {
    try put("one", number: 1)
    try put("two", number: 2)
    let (link, new) = (directory.directory.file("plugins"), directory.directory.file("new"))
    try files.createSymbolicLink(atPath: link, withDestinationPath: "one")
    try await follow(
      [
        (
          "1.1.0 active",
          {
            try files.createSymbolicLink(atPath: new, withDestinationPath: directory.directory.file("two"))
            try #require(rename(new, link) == 0)
          }
        ), ("1.2.0 active", { try put("two", number: 3) }),
      ], last: "1.3.0 active")
  }

  @Test("The target of a link in the directory is followed through further links")
  func linked() async throws {
    try put("target", number: 1)
    _ = try directory.makeDirectory("plugins")
    try files.createSymbolicLink(atPath: directory.directory.file("middle"), withDestinationPath: "./target/../target")
    try files.createSymbolicLink(
      atPath: directory.directory.file("plugins/a.so"), withDestinationPath: "../middle/a.so")
    try await follow(
      [
        ("1.1.0 active", { try put("target", number: 2) }),
        (
          "1.2.0 active",
          {
            try put("other", number: 3)
            try files.removeItem(atPath: directory.directory.file("middle"))
            try files.createSymbolicLink(atPath: directory.directory.file("middle"), withDestinationPath: "other")
          }
        ), ("1.3.0 active", { try put("other", number: 4) }),
      ], last: "1.4.0 active")
  }

  @Test("An adopted library in another directory is followed, also before it exists")
  func adopted() async throws {
    func adoption(_ version: Int) -> String {
      AdoptionTests.text("../library/libbox.so").replacing("1.2.3", with: "1.\(version).0")
    }
    let library = try PluginDirectory.library("healthy/box-library.c")
    func putLibrary(_ bytes: [UInt8]) throws {
      let path = try directory.makeDirectory("library") + "/libbox.so"
      let temporary = try directory.write(".new", bytes)
      try setMode(0o755, of: temporary)
      try #require(rename(temporary, path) == 0)
    }
    _ = try directory.makeDirectory("plugins")
    try directory.write("plugins/box.troupe.json", adoption(1).utf8)
    try await follow(
      [
        ("1.1.0 rejected", { try putLibrary(library) }),
        // An extra byte at the end changes the content.
        ("1.1.0 active", { try putLibrary(library + [0]) }), ("1.1.0 draining", {}),
      ], last: "1.1.0 retired")
  }
}
