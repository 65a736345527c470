import Foundation
import TestSupport
import Testing
import TroupeHost

@Suite("Trusted paths") struct TrustedPathTests {
  /// Whether the tests may give files away.
  static let isRoot = geteuid() == 0
  /// A user and a group that is neither root nor the user who runs the tests.
  static let other = uid_t(54321)

  /// The fault of a plugin after a change to its surroundings, beside which there is nothing.
  static func fault(_ change: (PluginDirectory, _ plugin: String) throws -> Void) throws -> PluginFault? {
    let directory = try PluginDirectory()
    let plugin = try directory.add("healthy/empty.c")
    try change(directory, plugin)
    let plugins = directory.host().discover()
    #expect(plugins.count == 1)
    return plugins.first?.state.fault
  }

  @Test("A file that everybody can write is rejected, and the one beside it is not")
  func worldWritable() throws {
    let fault = try AdmissionTests.fault { directory in
      let path = try directory.add("healthy/empty.c", as: "x")
      try setMode(0o666, of: path)
      return path
    }
    #expect(fault.code == .untrusted)
    #expect(fault.reason == "is writable by all users; fix it with chmod o-w")
  }

  @Test("A file that a group of others can write is rejected", .enabled(if: isRoot))
  func groupWritable() throws {
    let fault = try Self.fault { _, plugin in
      #expect(chown(plugin, 0, Self.other) == 0)
      try setMode(0o664, of: plugin)
    }
    #expect(fault?.code == .untrusted)
    #expect(fault?.problem == "is writable by the group \(Self.other)")
  }

  @Test("A file that one's own group can write is fine")
  func ownGroup() throws {
    #expect(try Self.fault { _, plugin in try setMode(0o664, of: plugin) } == nil)
  }

  @Test("A file or a directory of another user is rejected", .enabled(if: isRoot))
  func otherOwner() throws {
    let user = geteuid()
    let ofFile = try Self.fault { _, plugin in #expect(chown(plugin, Self.other, 0) == 0) }
    #expect(ofFile?.code == .untrusted)
    #expect(ofFile?.problem == "belongs to user \(Self.other), neither to root nor to the user who runs this (\(user))")
    let ofDirectory = try Self.fault { directory, _ in #expect(chown(directory.path, Self.other, 0) == 0) }
    #expect(ofDirectory?.code == .untrusted)
    #expect(ofDirectory?.problem.contains(", which belongs to user \(Self.other)") == true)
  }

  @Test("A directory that everybody can write is rejected, with or without the sticky bit", arguments: [0o777, 0o1777])
  func worldWritableDirectory(_ mode: Int) throws {
    var path = ""
    let fault = try Self.fault { directory, _ in
      try setMode(mode, of: directory.path)
      path = directory.path
    }
    #expect(fault?.code == .untrusted)
    #expect(fault?.problem == "is in \(path), which is writable by all users")
  }

  @Test("Further up the sticky bit is enough, and everybody's directory without it is not")
  func parents() throws {
    let directory = try PluginDirectory()
    let parent = try directory.makeDirectory("parent")
    let child = try directory.makeDirectory("parent/child")
    try writeFile(child + "/x.so", PluginDirectory.library("healthy/empty.c"))
    func state() -> PluginState? { PluginHost(directories: [child]).discover().first?.state }
    #expect(state() == .admitted)
    try setMode(0o1777, of: parent)
    #expect(state() == .admitted)
    try setMode(0o777, of: parent)
    #expect(state()?.fault?.code == .untrusted)
    #expect(state()?.fault?.problem == "is in \(parent), which is writable by all users")
  }

  @Test("A link is as trusted as the place that it leads to")
  func link() throws {
    let directory = try PluginDirectory()
    let elsewhere = try PluginDirectory()
    let target = try elsewhere.add("healthy/empty.c")
    try FileManager.default.createSymbolicLink(atPath: directory.directory.file("x.so"), withDestinationPath: target)
    try setMode(0o777, of: elsewhere.path)
    let fault = directory.host().discover().first?.state.fault
    #expect(fault?.code == .untrusted)
    #expect(fault?.problem == "is in \(elsewhere.path), which is writable by all users")
  }

  @Test("A link in a directory that everybody can write is rejected though it leads to a trusted file")
  func placeOfLink() throws {
    let directory = try PluginDirectory()
    let elsewhere = try PluginDirectory()
    let target = try elsewhere.add("healthy/empty.c")
    try FileManager.default.createSymbolicLink(atPath: directory.directory.file("x.so"), withDestinationPath: target)
    try setMode(0o777, of: directory.path)
    #expect(
      directory.host().discover().first?.state.fault?.problem == "is in \(directory.path), which is writable by all users")
  }
}
