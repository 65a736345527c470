import CLinux
import Foundation
import TestSupport
import Testing
import TroupeFiles

@Suite("Trusted paths") struct TrustedPathTests {
  /// Whether the tests may change the owner of files.
  static let isRoot = geteuid() == 0
  /// The ID of a user and of a group other than root's and the current user's.
  static let other = uid_t(54321)

  /// The fault of the only plugin in a directory after a change to the plugin or the directory.
  static func diagnosis(_ change: (PluginDirectory, _ plugin: String) throws -> Void) throws -> Diagnosis? {
    let directory = try PluginDirectory()
    let plugin = try directory.add("healthy/empty.c")
    try change(directory, plugin)
    let files = directory.examine()
    #expect(files.count == 1)
    return files.first?.outcome.diagnosis
  }

  @Test("A world-writable file is rejected, and the file beside it is admitted")
  func worldWritable() throws {
    let diagnosis = try AdmissionTests.diagnosis { directory in
      let path = try directory.add("healthy/empty.c", as: "x")
      try setMode(0o666, of: path)
      return path
    }
    #expect(diagnosis.code == .untrusted)
    #expect(diagnosis.reason == "is writable by all users; fix it with chmod o-w")
  }

  @Test("A file that a foreign group can write is rejected", .enabled(if: isRoot))
  func groupWritable() throws {
    let diagnosis = try Self.diagnosis { _, plugin in
      #expect(chown(plugin, 0, Self.other) == 0)
      try setMode(0o664, of: plugin)
    }
    #expect(diagnosis?.code == .untrusted)
    #expect(diagnosis?.problem == "is writable by the group \(Self.other)")
  }

  @Test("A file that the user's own group can write is admitted")
  func ownGroup() throws {
    #expect(try Self.diagnosis { _, plugin in try setMode(0o664, of: plugin) } == nil)
  }

  @Test("A file or a directory of another user is rejected", .enabled(if: isRoot))
  func otherOwner() throws {
    let user = geteuid()
    let ofFile = try Self.diagnosis { _, plugin in #expect(chown(plugin, Self.other, 0) == 0) }
    #expect(ofFile?.code == .untrusted)
    #expect(ofFile?.problem == "belongs to user \(Self.other), neither to root nor to the user who runs this (\(user))")
    let ofDirectory = try Self.diagnosis { directory, _ in #expect(chown(directory.path, Self.other, 0) == 0) }
    #expect(ofDirectory?.code == .untrusted)
    #expect(ofDirectory?.problem.contains(", which belongs to user \(Self.other)") == true)
  }

  @Test("A world-writable directory is rejected, with or without the sticky bit", arguments: [0o777, 0o1777])
  func worldWritableDirectory(_ mode: Int) throws {
    var path = ""
    let diagnosis = try Self.diagnosis { directory, _ in
      try setMode(mode, of: directory.path)
      path = directory.path
    }
    #expect(diagnosis?.code == .untrusted)
    #expect(diagnosis?.problem == "is in \(path), which is writable by all users")
  }

  @Test("A world-writable parent directory is trusted only with the sticky bit")
  func parents() throws {
    let directory = try PluginDirectory()
    let parent = try directory.makeDirectory("parent")
    let child = try directory.makeDirectory("parent/child")
    try writeFile(child + "/x.so", PluginDirectory.library("healthy/empty.c"))
    func faults() -> [Diagnosis?] { PluginDirectory.examine([child]).map(\.outcome.diagnosis) }
    #expect(faults() == [nil])
    try setMode(0o1777, of: parent)
    #expect(faults() == [nil])
    try setMode(0o777, of: parent)
    #expect(faults().first??.code == .untrusted)
    #expect(faults().first??.problem.contains("\(parent),") == true)
  }

  @Test("A link to a file in a world-writable directory is rejected")
  func link() throws {
    let directory = try PluginDirectory()
    let elsewhere = try PluginDirectory()
    let target = try elsewhere.add("healthy/empty.c")
    try FileManager.default.createSymbolicLink(atPath: directory.directory.file("x.so"), withDestinationPath: target)
    try setMode(0o777, of: elsewhere.path)
    let diagnosis = directory.firstDiagnosis
    #expect(diagnosis?.code == .untrusted)
    #expect(diagnosis?.problem.contains(elsewhere.path) == true)
  }

  @Test(
    "A link in a world-writable directory is rejected although it leads to a trusted file", arguments: [0o777, 0o1777])
  func directoryOfLink(mode: Int) throws {
    let directory = try PluginDirectory()
    let elsewhere = try PluginDirectory()
    let target = try elsewhere.add("healthy/empty.c")
    try FileManager.default.createSymbolicLink(atPath: directory.directory.file("x.so"), withDestinationPath: target)
    try setMode(mode, of: directory.path)
    let diagnosis = directory.firstDiagnosis
    #expect(diagnosis?.code == .untrusted)
    #expect(diagnosis?.problem.contains("\(mode == 0o777 ? "reached through" : "is in") \(directory.path),") == true)
  }

  @Test("A link through a world-writable directory is rejected although both ends are trusted", arguments: [0, 1, 2])
  func intermediateLink(further: Int) throws {
    let (directory, open, elsewhere) = try (PluginDirectory(), PluginDirectory(), PluginDirectory())
    var target = try elsewhere.add("healthy/empty.c")
    try FileManager.default.createSymbolicLink(atPath: open.directory.file("x.so"), withDestinationPath: target)
    try setMode(0o777, of: open.path)
    target = open.directory.file("x.so")
    for number in 0..<further {
      let link = try elsewhere.makeDirectory("links") + "/\(number).so"
      try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
      target = link
    }
    try FileManager.default.createSymbolicLink(atPath: directory.directory.file("x.so"), withDestinationPath: target)
    let diagnosis = directory.firstDiagnosis
    #expect(diagnosis?.code == .untrusted)
    #expect(diagnosis?.problem.contains(open.path) == true)
  }

  @Test(
    "A plugin directory or file that is named by a link in a world-writable directory is rejected",
    arguments: [true, false])
  func linkToDirectory(isDirectory: Bool) throws {
    let (open, elsewhere) = try (PluginDirectory(), PluginDirectory())
    try elsewhere.add("healthy/empty.c", as: "x")
    let link = open.directory.file("d")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: elsewhere.path)
    func faults() -> [Diagnosis?] {
      PluginDirectory.examine(isDirectory ? [link] : [], files: isDirectory ? [] : [link + "/x.so"]).map(\.outcome.diagnosis)
    }
    #expect(faults() == [nil])
    try setMode(0o777, of: open.path)
    let diagnosis = try #require(faults().first)
    #expect(diagnosis?.code == .untrusted)
    #expect(diagnosis?.problem.contains(open.path) == true)
  }

  @Test("In a sticky directory a link of the user is trusted, and one of another user is rejected", .enabled(if: isRoot))
  func stickyLink() throws {
    let (sticky, elsewhere) = try (PluginDirectory(), PluginDirectory())
    try elsewhere.add("healthy/empty.c")
    let link = sticky.directory.file("d")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: elsewhere.path)
    try setMode(0o1777, of: sticky.path)
    func faults() -> [Diagnosis?] { PluginDirectory.examine([link]).map(\.outcome.diagnosis) }
    #expect(faults() == [nil])
    #expect(lchown(link, Self.other, 0) == 0)
    #expect(faults().first??.code == .untrusted)
    #expect(faults().first??.problem.contains(link) == true)
  }
}

/// Whether the file system of temporary files has access control lists.
private let hasAccessControlLists: Bool = {
  guard let directory = try? TemporaryDirectory() else { return false }
  return (try? AccessControlListTests.setList([.mask(7)], of: directory.path)) != nil
}()

@Suite("Access control lists", .enabled(if: hasAccessControlLists)) struct AccessControlListTests {
  static let other = TrustedPathTests.other

  /// An entry: its tag, its rights (4 to read, 2 to write, 1 to execute), and the ID of a named user or group.
  struct Entry: Sendable {
    let tag, rights: UInt16
    var id = UInt32.max

    static func user(_ id: UInt32, _ rights: UInt16) -> Entry { Entry(tag: 2, rights: rights, id: id) }
    static func group(_ id: UInt32, _ rights: UInt16) -> Entry { Entry(tag: 8, rights: rights, id: id) }
    static func mask(_ rights: UInt16) -> Entry { Entry(tag: 16, rights: rights) }
  }

  /// Sets the list of a file. The owner has all rights; the group and all others may read and execute.
  static func setList(_ entries: [Entry], of path: String) throws {
    let all = [Entry(tag: 1, rights: 7), Entry(tag: 4, rights: 5), Entry(tag: 32, rights: 5)] + entries
    var bytes: [UInt8] = [2, 0, 0, 0]
    for entry in all.sorted(by: { ($0.tag, $0.id) < ($1.tag, $1.id) }) {
      bytes.append(number: entry.tag)
      bytes.append(number: entry.rights)
      bytes.append(number: entry.id)
    }
    struct TestError: Error { let code: Int32 }
    guard setxattr(path, "system.posix_acl_access", bytes, bytes.count, 0) == 0 else { throw TestError(code: errno) }
  }

  @Test("A file that its list makes writable by others is rejected, and the fault names the entry")
  func file() throws {
    for (entry, name) in [(Entry.user(Self.other, 6), "user"), (.group(Self.other, 6), "group")] {
      let diagnosis = try TrustedPathTests.diagnosis { _, plugin in try Self.setList([entry, .mask(7)], of: plugin) }
      #expect(diagnosis?.code == .untrusted)
      #expect(diagnosis?.problem == "is writable by the \(name) \(Self.other), by its access control list")
      #expect(diagnosis?.remedy == "fix it with setfacl -x \(name):\(Self.other)")
    }
  }

  @Test("A directory on the path that its list makes writable by others is rejected", arguments: [0, 1, 2])
  func directories(above: Int) throws {
    let directory = try PluginDirectory()
    var paths = [directory.path]
    for name in ["a", "a/b"] { paths.append(try directory.makeDirectory(name)) }
    try writeFile(paths[2] + "/x.so", PluginDirectory.library("healthy/empty.c"))
    let path = paths[2 - above]
    try Self.setList([.user(Self.other, 7), .mask(7)], of: path)
    let diagnosis = PluginDirectory.examine([paths[2]]).first?.outcome.diagnosis
    #expect(diagnosis?.code == .untrusted)
    #expect(diagnosis?.problem.contains("\(path),") == true)
  }

  @Test(
    "A list without write access for others is accepted",
    arguments: [
      [Entry.user(other, 5), .mask(7)], [.user(other, 7), .mask(5)], [.group(other, 4), .user(other, 1), .mask(7)],
      [.user(0, 7), .group(0, 7), .mask(7)],
    ])
  func harmless(entries: [Entry]) throws {
    let diagnosis = try TrustedPathTests.diagnosis { directory, plugin in
      for path in [plugin, directory.path] { try Self.setList(entries, of: path) }
    }
    #expect(diagnosis == nil)
  }

  @Test("A file of pins that its list makes writable by others is refused")
  func pins() throws {
    let directory = try TemporaryDirectory()
    let file = try directory.write("pins", [])
    _ = try Pins(contentsOf: file)
    try Self.setList([.user(Self.other, 6), .mask(7)], of: file)
    #expect { try Pins(contentsOf: file) } throws: { ($0 as? Diagnosis)?.code == .untrusted }
  }
}
