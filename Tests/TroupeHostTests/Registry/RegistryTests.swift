import Foundation
import TestSupport
import Testing

@testable import TroupeHost

/// What is known of plugins, in a folder of them and a cache directory of a test's own.
@Suite("The registry")
struct RegistryTests {
  private let plugins: TemporaryDirectory
  private let cache: TemporaryDirectory

  init() throws {
    plugins = try TemporaryDirectory()
    cache = try TemporaryDirectory()
  }

  private func registry(host: String = "host") -> Registry { Registry(directory: cache.path, host: host) }

  private func state(_ path: String) throws -> [RegistryFile.FileState] {
    [RegistryFile.FileState(path: path, identity: try #require(PluginFile.Identity.of(path)))]
  }

  /// Has a registry remember a file, which is made with a content.
  @discardableResult
  private func remember(_ name: String, _ content: String, in registry: inout Registry) throws -> String {
    let path = try plugins.write(name, content.utf8)
    registry.remember(.sample, of: try state(path), content: ContentHash(of: Array(content.utf8)), configuration: [:])
    return path
  }

  /// What a registry knows of a file, and whether it asked for its content.
  private func look(
    _ path: String, _ registry: inout Registry, configuration: [String: String] = [:]
  ) throws -> (isKnown: Bool, isRead: Bool) {
    var isRead = false
    let states = try state(path)
    let entry = registry.entry(of: states, configuration: configuration) {
      isRead = true
      return ContentHash(of: states)
    }
    #expect(entry == nil || entry?.summary == .sample)
    return (entry != nil, isRead)
  }

  /// The registry's one file.
  private func file() throws -> String {
    let names = try FileManager.default.contentsOfDirectory(atPath: cache.file("registry"))
    #expect(names.count == 1)
    return cache.file("registry/" + (names.first ?? ""))
  }

  @Test("knows a file that is as it was without reading it, also the next time")
  func identity() throws {
    var first = registry()
    let path = try remember("a.so", "a", in: &first)
    #expect(try look(path, &first) == (true, false))
    try first.save()
    var second = registry()
    #expect(try look(path, &second) == (true, false))
  }

  @Test("knows a content that a file has again, for as long as the process, and under the same configuration")
  func former() throws {
    var first = registry()
    try remember("a.so", "a", in: &first)
    try first.save()
    var second = registry()
    for content in ["b", "a", "b"] {
      let path = try plugins.write("a.so", content.utf8)
      if try !look(path, &second).isKnown { try remember("a.so", content, in: &second) }
    }
    for content in ["a", "b", "a"] {
      let path = try plugins.write("a.so", content.utf8)
      #expect(try look(path, &second, configuration: ["key": "value"]).isKnown == false)
      #expect(try look(path, &second) == (true, true))
    }
    try second.save()
    var third = registry()
    #expect(try look(try plugins.write("a.so", "b".utf8), &third).isKnown == false)
    #expect(try look(try plugins.write("a.so", "a".utf8), &third).isKnown)
  }

  @Test("forgets the oldest of the contents that a file had")
  func manyFormer() throws {
    var registry = registry()
    for number in 0...100 { try remember("a.so", "\(number)", in: &registry) }
    for (number, isKnown) in [(100, true), (36, true), (35, false), (0, false)] {
      #expect(try look(try plugins.write("a.so", "\(number)".utf8), &registry).isKnown == isKnown, "\(number)")
    }
  }

  @Test("knows a file by its content once it was touched, renamed or copied, and afterwards without reading it")
  func content() throws {
    var first = registry()
    let path = try remember("a.so", "a", in: &first)
    try first.save()
    try FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSince1970: 1)], ofItemAtPath: path)
    try copyFile(path, to: plugins.file("copy.so"))
    try FileManager.default.moveItem(atPath: path, toPath: plugins.file("renamed.so"))
    var second = registry()
    for name in ["renamed.so", "copy.so"] {
      #expect(try look(plugins.file(name), &second) == (true, true))
      #expect(try look(plugins.file(name), &second) == (true, false))
    }
    try second.save()
    var third = registry()
    #expect(try look(plugins.file("renamed.so"), &third) == (true, false))
  }

  @Test("does not know another content, whatever the file is called")
  func otherContent() throws {
    var registry = registry()
    let path = try remember("a.so", "a", in: &registry)
    try plugins.write("a.so", "b".utf8)
    #expect(try look(path, &registry) == (false, true))
  }

  @Test("does not know a file under another configuration")
  func configuration() throws {
    var registry = registry()
    let path = try remember("a.so", "a", in: &registry)
    #expect(try !look(path, &registry, configuration: ["key": "value"]).isKnown)
    #expect(try look(path, &registry).isKnown)
  }

  @Test("of another host is none, and one in the place of another directory's counts by contents alone")
  func others() throws {
    var first = registry()
    let path = try remember("a.so", "a", in: &first)
    try first.save()
    var other = registry(host: "another")
    #expect(try look(path, &other) == (false, false))
    // The file of one folder in the place of another's.
    let elsewhere = try TemporaryDirectory()
    var second = registry()
    let moved = try elsewhere.write("a.so", "a".utf8)
    second.remember(.sample, of: try state(moved), content: ContentHash(of: Array("a".utf8)), configuration: [:])
    try second.save()
    let name = "\(ContentHash(of: Array("host\n\(elsewhere.path)".utf8)))"
    try FileManager.default.removeItem(atPath: cache.file("registry/" + name))
    try FileManager.default.moveItem(atPath: try file(), toPath: cache.file("registry/" + name))
    var third = registry()
    // Only the content of the moved file is known, from the directory that it is about.
    #expect(try look(moved, &third) == (true, true))
    #expect(try look(elsewhere.write("b.so", "b".utf8), &third) == (false, true))
  }

  @Test("knows a content in another directory, in this process and the next, but not under another host or configuration")
  func otherDirectory() throws {
    let elsewhere = try TemporaryDirectory()
    let copy = try elsewhere.write("other.so", "a".utf8)
    var first = registry()
    #expect(try look(copy, &first) == (false, false))
    try remember("a.so", "a", in: &first)
    #expect(try look(copy, &first) == (true, true))
    #expect(try look(copy, &first) == (true, false))
    var second = registry()
    try remember("a.so", "a", in: &second)
    try second.save()
    var third = registry()
    #expect(try look(copy, &third, configuration: ["key": "value"]) == (false, true))
    #expect(try look(copy, &third) == (true, true))
    #expect(try look(elsewhere.write("b.so", "b".utf8), &third) == (false, true))
    var other = registry(host: "another")
    #expect(try look(copy, &other) == (false, false))
  }

  @Test("is not read from a file that others may write to, or that is somebody else's")
  func trust() throws {
    var first = registry()
    let path = try remember("a.so", "a", in: &first)
    try first.save()
    for mode in [0o620, 0o602] {
      try setMode(mode, of: file())
      var registry = registry()
      #expect(try !look(path, &registry).isKnown)
    }
    try setMode(0o600, of: file())
    var second = registry()
    #expect(try look(path, &second).isKnown)
    guard geteuid() == 0 else { return }
    #expect(chown(try file(), 1, 1) == 0)
    var third = registry()
    #expect(try !look(path, &third).isKnown)
  }

  @Test("is found out again where its file is damaged, empty, a directory or a pipe, and then written anew")
  func damage() throws {
    var first = registry()
    let path = try remember("a.so", "a", in: &first)
    try first.save()
    let file = try file()
    let good = try Data(contentsOf: URL(filePath: file))
    for bad in [Data(), good.dropLast(), Data("nonsense".utf8), Data(count: 1 << 20)] {
      try bad.write(to: URL(filePath: file))
      var second = registry()
      #expect(try !look(path, &second).isKnown)
      try remember("a.so", "a", in: &second)
      try second.save()
      var third = registry()
      #expect(try look(path, &third).isKnown)
    }
    try FileManager.default.removeItem(atPath: file)
    try #require(mkfifo(file, 0o600) == 0)
    var piped = registry()
    #expect(try !look(path, &piped).isKnown)
    try FileManager.default.removeItem(atPath: file)
    try FileManager.default.createDirectory(atPath: file, withIntermediateDirectories: false)
    var blocked = registry()
    try remember("a.so", "a", in: &blocked)
    #expect(throws: SystemError.self) { try blocked.save() }
    // It still knows what it has found out.
    #expect(try look(path, &blocked).isKnown)
    #expect(try FileManager.default.contentsOfDirectory(atPath: cache.file("registry")).count == 1)
  }

  @Test("that cannot be written knows what it found out until it ends")
  func unwritable() throws {
    // A file in the place of the directory, since a mode keeps no superuser out.
    try cache.write("registry", "".utf8)
    var registry = registry()
    let path = try remember("a.so", "a", in: &registry)
    #expect(throws: SystemError(code: ENOTDIR)) { try registry.save() }
    #expect(try look(path, &registry).isKnown)
  }

  @Test("in no directory forgets everything")
  func nowhere() throws {
    var first = Registry(directory: nil, host: "host")
    let path = try remember("a.so", "a", in: &first)
    try first.save()
    #expect(try look(path, &first).isKnown)
    var second = Registry(directory: nil, host: "host")
    #expect(try !look(path, &second).isKnown)
  }

  @Test("keeps what two hosts have found out of the same folder, whoever writes last")
  func merging() throws {
    var (first, second) = (registry(), registry())
    let one = try remember("a.so", "a", in: &first)
    let other = try remember("b.so", "b", in: &second)
    try first.save()
    try second.save()
    var third = registry()
    #expect(try look(one, &third) == (true, false))
    #expect(try look(other, &third) == (true, false))
  }

  @Test("forgets files that are not there any more")
  func vanished() throws {
    var first = registry()
    let path = try remember("a.so", "a", in: &first)
    try remember("b.so", "b", in: &first)
    try first.save()
    try FileManager.default.removeItem(atPath: path)
    var second = registry()
    try remember("c.so", "c", in: &second)
    try second.save()
    let bytes = [UInt8](try Data(contentsOf: URL(filePath: file())))
    #expect(try RegistryFile(bytes: bytes).entries.keys.sorted() == ["b.so", "c.so"])
  }
}
