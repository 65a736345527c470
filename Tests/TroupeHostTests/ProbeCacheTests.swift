import Foundation
import TestSupport
import Testing

@testable import TroupeFiles
@testable import TroupeHost
@testable import TroupeSandbox

/// Caches of a temporary directory of plugins, in a temporary cache directory.
@Suite("The cache of probes")
struct ProbeCacheTests {
  private static let summary = PluginSummary(
    registrations: [], isComplete: false, refusals: [Diagnosis(.refused, "one", problem: "has no name", remedy: "name it")])
  private let plugins: TemporaryDirectory
  private let cache: TemporaryDirectory

  init() throws {
    plugins = try TemporaryDirectory()
    cache = try TemporaryDirectory()
  }

  private func registry(host: String = "host") -> ProbeCache { ProbeCache(directory: cache.path, host: host) }

  private func state(_ path: String) throws -> [FileState] {
    [FileState(path: path, stamp: try #require(FileStamp.of(path)))]
  }

  /// Writes a file and adds it to a registry. Returns its path.
  @discardableResult
  private func store(_ name: String, _ content: String, in registry: inout ProbeCache) throws -> String {
    let path = try plugins.write(name, content.utf8)
    registry.store(Self.summary, of: try state(path), content: ContentHash(of: Array(content.utf8)), configuration: [:])
    return path
  }

  /// Looks up a file. Returns whether the registry has an entry for it, and whether the look-up read its content.
  private func lookUp(
    _ path: String, _ registry: inout ProbeCache, configuration: [String: String] = [:]
  ) throws -> (isKnown: Bool, isRead: Bool) {
    var isRead = false
    let states = try state(path)
    let entry = registry.entry(of: states, configuration: configuration) {
      isRead = true
      return ContentHash(of: states)
    }
    #expect(entry == nil || entry?.summary == Self.summary)
    return (entry != nil, isRead)
  }

  /// The registry's one file.
  private func file() throws -> String {
    let names = try FileManager.default.contentsOfDirectory(atPath: cache.file("registry"))
    #expect(names.count == 1)
    return cache.file("registry/" + (names.first ?? ""))
  }

  @Test("An unchanged file is found without reading it, also by the next registry")
  func identity() throws {
    var first = registry()
    let path = try store("a.so", "a", in: &first)
    #expect(try lookUp(path, &first) == (true, false))
    try first.save()
    var second = registry()
    #expect(try lookUp(path, &second) == (true, false))
  }

  @Test("A former content of a file is found in the same process and under the same configuration")
  func former() throws {
    var first = registry()
    try store("a.so", "a", in: &first)
    try first.save()
    var second = registry()
    for content in ["b", "a", "b"] {
      let path = try plugins.write("a.so", content.utf8)
      if try !lookUp(path, &second).isKnown { try store("a.so", content, in: &second) }
    }
    for content in ["a", "b", "a"] {
      let path = try plugins.write("a.so", content.utf8)
      #expect(try lookUp(path, &second, configuration: ["key": "value"]).isKnown == false)
      #expect(try lookUp(path, &second) == (true, true))
    }
    try second.save()
    var third = registry()
    #expect(try lookUp(try plugins.write("a.so", "b".utf8), &third).isKnown == false)
    #expect(try lookUp(try plugins.write("a.so", "a".utf8), &third).isKnown)
  }

  @Test("A registry drops the oldest former contents of a file")
  func manyFormer() throws {
    var registry = registry()
    for number in 0...100 { try store("a.so", "\(number)", in: &registry) }
    for (number, isKnown) in [(100, true), (36, true), (35, false), (0, false)] {
      #expect(try lookUp(try plugins.write("a.so", "\(number)".utf8), &registry).isKnown == isKnown, "\(number)")
    }
  }

  @Test("A touched, renamed or copied file is found by its content, and afterwards without reading it")
  func content() throws {
    var first = registry()
    let path = try store("a.so", "a", in: &first)
    try first.save()
    try FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSince1970: 1)], ofItemAtPath: path)
    try copyFile(path, to: plugins.file("copy.so"))
    try FileManager.default.moveItem(atPath: path, toPath: plugins.file("renamed.so"))
    var second = registry()
    for name in ["renamed.so", "copy.so"] {
      #expect(try lookUp(plugins.file(name), &second) == (true, true))
      #expect(try lookUp(plugins.file(name), &second) == (true, false))
    }
    try second.save()
    var third = registry()
    #expect(try lookUp(plugins.file("renamed.so"), &third) == (true, false))
  }

  @Test("A file with another content is not found under its old name")
  func otherContent() throws {
    var registry = registry()
    let path = try store("a.so", "a", in: &registry)
    try plugins.write("a.so", "b".utf8)
    #expect(try lookUp(path, &registry) == (false, true))
  }

  @Test("A file is not found under another configuration")
  func configuration() throws {
    var registry = registry()
    let path = try store("a.so", "a", in: &registry)
    #expect(try !lookUp(path, &registry, configuration: ["key": "value"]).isKnown)
    #expect(try lookUp(path, &registry).isKnown)
  }

  @Test("The registry of another host is not used, and that of another directory counts by contents alone")
  func others() throws {
    var first = registry()
    let path = try store("a.so", "a", in: &first)
    try first.save()
    var other = registry(host: "another")
    #expect(try lookUp(path, &other) == (false, false))
    // The registry file of one directory under the name of another's.
    let elsewhere = try TemporaryDirectory()
    var second = registry()
    let moved = try elsewhere.write("a.so", "a".utf8)
    second.store(Self.summary, of: try state(moved), content: ContentHash(of: Array("a".utf8)), configuration: [:])
    try second.save()
    let name = "\(ContentHash(of: Array("host\n\(elsewhere.path)".utf8)))"
    try FileManager.default.removeItem(atPath: cache.file("registry/" + name))
    try FileManager.default.moveItem(atPath: try file(), toPath: cache.file("registry/" + name))
    var third = registry()
    // The entries are those of the other directory, so a look-up finds only the content.
    #expect(try lookUp(moved, &third) == (true, true))
    #expect(try lookUp(elsewhere.write("b.so", "b".utf8), &third) == (false, true))
  }

  @Test("A content is found in another directory, now and in the next process, but not for another host or configuration")
  func otherDirectory() throws {
    let elsewhere = try TemporaryDirectory()
    let copy = try elsewhere.write("other.so", "a".utf8)
    var first = registry()
    #expect(try lookUp(copy, &first) == (false, false))
    try store("a.so", "a", in: &first)
    #expect(try lookUp(copy, &first) == (true, true))
    #expect(try lookUp(copy, &first) == (true, false))
    var second = registry()
    try store("a.so", "a", in: &second)
    try second.save()
    var third = registry()
    #expect(try lookUp(copy, &third, configuration: ["key": "value"]) == (false, true))
    #expect(try lookUp(copy, &third) == (true, true))
    #expect(try lookUp(elsewhere.write("b.so", "b".utf8), &third) == (false, true))
    var other = registry(host: "another")
    #expect(try lookUp(copy, &other) == (false, false))
  }

  @Test("A copied plugin is found by its content only if it finds the libraries of the probe, until these change")
  func libraries() throws {
    func addLibrary(_ name: String, result: Int) throws -> String {
      try Repo.compile(
        [plugins.write("dep.c", "int dep(void) { return \(result); }".utf8)], to: plugins.file(name),
        options: ["-fvisibility=default", "-Wl,-soname,libdep.so"])
    }
    for name in ["a/lib", "a/plugins"] {
      try FileManager.default.createDirectory(atPath: plugins.file(name), withIntermediateDirectories: true)
    }
    let library = try addLibrary("a/lib/libdep.so", result: 1)
    let plugin = try Repo.compile(
      [plugins.write("plugin.c", "int dep(void); int use(void) { return dep(); }".utf8)], to: plugins.file("a/plugins/p.so"),
      options: ["-L", plugins.file("a/lib"), "-ldep", "-Wl,-rpath,$ORIGIN/../lib", "-Wl,--no-as-needed"])
    var registry = registry()
    let libraries = LinkCheck(of: plugin, directory: plugins.file("a/plugins")).files
    #expect(libraries == (try state(library)))
    let files = try state(plugin)
    registry.store(
      PluginSummary(registrations: [], isComplete: true, libraries: libraries), of: files,
      content: try #require(ContentHash(of: files)), configuration: [:])
    try succeed(["cp", "-r", plugins.file("a"), plugins.file("b")])
    let copy = try state(plugins.file("b/plugins/p.so"))
    func find() -> ProbeCacheFile.Entry? { registry.entry(of: copy, configuration: [:]) { ContentHash(of: copy) } }
    // The library of the copy is another file, then missing, and then the file of the probe under another path.
    #expect(find() == nil)
    let link = plugins.file("b/lib/libdep.so")
    try FileManager.default.removeItem(atPath: link)
    #expect(find() == nil)
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: library)
    #expect(find()?.summary.libraries == (try state(link)))
    try succeed(["ln", "-sf", try addLibrary("other.so", result: 2), link])
    #expect(find() == nil)
    #expect(registry.entry(of: files, configuration: [:])?.summary.libraries == libraries)
  }

  @Test("A registry file that other users own or can write is not read")
  func trust() throws {
    var first = registry()
    let path = try store("a.so", "a", in: &first)
    try first.save()
    for mode in [0o620, 0o602] {
      try setMode(mode, of: file())
      var registry = registry()
      #expect(try !lookUp(path, &registry).isKnown)
    }
    try setMode(0o600, of: file())
    var second = registry()
    #expect(try lookUp(path, &second).isKnown)
    guard geteuid() == 0 else { return }
    #expect(chown(try file(), 1, 1) == 0)
    var third = registry()
    #expect(try !lookUp(path, &third).isKnown)
  }

  @Test("A registry file that is damaged, empty, special or of the previous version is ignored, and the next one replaces it")
  func damage() throws {
    var first = registry()
    let path = try store("a.so", "a", in: &first)
    try first.save()
    let file = try file()
    let good = try Data(contentsOf: URL(filePath: file))
    let previous = Data("Troupe registry 8\n".utf8) + good.dropFirst(18)
    for bad in [Data(), good.dropLast(), Data("nonsense".utf8), Data(count: 1 << 20), previous] {
      try bad.write(to: URL(filePath: file))
      var second = registry()
      #expect(try !lookUp(path, &second).isKnown)
      try store("a.so", "a", in: &second)
      try second.save()
      var third = registry()
      #expect(try lookUp(path, &third).isKnown)
    }
    try FileManager.default.removeItem(atPath: file)
    try #require(mkfifo(file, 0o600) == 0)
    var piped = registry()
    #expect(try !lookUp(path, &piped).isKnown)
    try FileManager.default.removeItem(atPath: file)
    try FileManager.default.createDirectory(atPath: file, withIntermediateDirectories: false)
    var blocked = registry()
    try store("a.so", "a", in: &blocked)
    #expect(throws: SystemError.self) { try blocked.save() }
    // The registry in memory still has the entry.
    #expect(try lookUp(path, &blocked).isKnown)
    #expect(try FileManager.default.contentsOfDirectory(atPath: cache.file("registry")).count == 1)
  }

  @Test("A registry that cannot be written keeps its entries in memory")
  func unwritable() throws {
    // A file with the directory's name, because the superuser ignores the mode of a directory.
    try cache.write("registry", "".utf8)
    var registry = registry()
    let path = try store("a.so", "a", in: &registry)
    #expect(throws: SystemError(code: ENOTDIR)) { try registry.save() }
    #expect(try lookUp(path, &registry).isKnown)
  }

  @Test("A registry without a directory is not stored")
  func nowhere() throws {
    var first = ProbeCache(directory: nil, host: "host")
    let path = try store("a.so", "a", in: &first)
    try first.save()
    #expect(try lookUp(path, &first).isKnown)
    var second = ProbeCache(directory: nil, host: "host")
    #expect(try !lookUp(path, &second).isKnown)
  }

  @Test("Two hosts that write one registry keep each other's entries")
  func merging() throws {
    var (first, second) = (registry(), registry())
    let one = try store("a.so", "a", in: &first)
    let other = try store("b.so", "b", in: &second)
    try first.save()
    try second.save()
    var third = registry()
    #expect(try lookUp(one, &third) == (true, false))
    #expect(try lookUp(other, &third) == (true, false))
  }

  @Test("Entries of missing files are removed")
  func vanished() throws {
    var first = registry()
    let path = try store("a.so", "a", in: &first)
    try store("b.so", "b", in: &first)
    try first.save()
    try FileManager.default.removeItem(atPath: path)
    var second = registry()
    try store("c.so", "c", in: &second)
    try second.save()
    let bytes = [UInt8](try Data(contentsOf: URL(filePath: file())))
    #expect(try ProbeCacheFile(bytes: bytes).entries.keys.sorted() == ["b.so", "c.so"])
  }
}
