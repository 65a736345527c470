import Foundation
import TestSupport
import Testing
import TroupeHost

@Suite("Discovery") struct DiscoveryTests {
  @Test("A host lists no plugins before discover, and discover keeps its first result")
  func remembers() throws {
    let directory = try PluginDirectory()
    try directory.add("healthy/empty.c")
    let host = directory.host()
    #expect(host.plugins.isEmpty)
    host.discover()
    try directory.write("late.so", [])
    #expect(host.discover().count == 1)
  }

  @Test("Discover runs no code: a plugin's constructor has not run until the plugin is loaded", .inProcess)
  func runsNothing() async throws {
    let directory = try PluginDirectory()
    let mark = directory.directory.file("mark")
    let plugin = try directory.add("faulty/constructor.c", ["MARK": mark.quoted])
    let host = directory.host()
    #expect(host.discover().map(\.state) == [.admitted])
    #expect(!FileManager.default.fileExists(atPath: mark))
    #expect(try !isMapped(plugin))
    await host.start()
    #expect(FileManager.default.fileExists(atPath: mark))
  }

  @Test("Discovery examines the visible files that end in .so, sorted by the bytes of their names")
  func order() throws {
    let directory = try PluginDirectory()
    for name in ["b.so", "a.so", "B.so", "é.so", "a-b.so", ".hidden.so", "c.so.1", "c.txt", "so", "so.", "x.SO", ".so"] {
      try directory.write(name, [])
    }
    let names = directory.host().discover().map { URL(filePath: $0.path).lastPathComponent }
    #expect(names == ["B.so", "a-b.so", "a.so", "b.so", "é.so"])
  }

  @Test("Many files, which several threads examine, keep their order, and the first file with an id is admitted")
  func many() throws {
    let directory = try PluginDirectory()
    let library = try PluginDirectory.library("healthy/empty.c")
    let paths = try (1000..<1400).map { try directory.write("\($0).so", $0.isMultiple(of: 7) ? [] : library) }
    let plugins = directory.host().discover()
    #expect(plugins.map(\.path) == paths)
    let first = directory.directory.file("1000.so")
    for (number, plugin) in zip(1000..., plugins) {
      let expected: Diagnosis.Code? = number.isMultiple(of: 7) ? .notALibrary : number == 1000 ? nil : .duplicateIdentifier
      #expect(plugin.state.diagnosis?.code == expected)
      if expected == .duplicateIdentifier { #expect(plugin.state.diagnosis?.problem.contains(first) == true) }
    }
  }

  @Test("Plugins are listed by the order of the directories, then of the files")
  func directories() throws {
    let first = try PluginDirectory()
    let second = try PluginDirectory()
    let third = try PluginDirectory()
    try first.write("z.so", [])
    try second.write("a.so", [])
    let file = try third.write("no-suffix", [])
    let host = PluginHost(.init(directories: [first.path, second.path + "/"], files: [file]))
    #expect(host.discover().map(\.path) == [first.path + "/z.so", second.path + "/a.so", file])
  }

  @Test("A directory that is given twice, also through a link, counts once")
  func twice() throws {
    let directory = try PluginDirectory()
    try directory.add("healthy/empty.c")
    let other = try PluginDirectory()
    let link = other.directory.file("link")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: directory.path)
    let host = PluginHost(directories: [
      directory.path, directory.path + "/", link, directory.path + "/../" + URL(filePath: directory.path).lastPathComponent,
    ])
    #expect(host.discover().map(\.state) == [.admitted])
  }

  @Test("A missing directory is rejected, and the other directories work", arguments: ["nowhere", "file"])
  func missing(_ name: String) throws {
    let directory = try PluginDirectory()
    try directory.add("healthy/empty.c")
    try directory.write("file", [])
    let missing = directory.directory.file(name)
    let host = PluginHost(directories: [missing, directory.path])
    host.discover()
    #expect(host.plugins.map(\.state.name) == ["rejected", "admitted"])
    let diagnosis = try #require(host.diagnosis(missing))
    #expect(diagnosis.code == .unreadable)
    #expect(diagnosis.problem.hasPrefix("cannot be read as a directory: n"))
    #expect(diagnosis.remedy == "create it, or name another")
  }

  @Test("The first plugin with an id in the order of discovery is admitted, and the others name it")
  func duplicateIdentifier() throws {
    let first = try PluginDirectory()
    let second = try PluginDirectory()
    let holder = try first.add("healthy/empty.c", as: "b")
    let later = try first.add("healthy/empty.c", as: "c")
    let last = try second.add("healthy/empty.c", as: "a")
    // A file that is rejected for another reason does not reserve the id.
    try setMode(0o666, of: try first.add("healthy/empty.c", as: "a"))
    let host = PluginHost(directories: [first.path, second.path])
    host.discover()
    #expect(host.states == ["a.so rejected", "b.so admitted", "c.so rejected", "a.so rejected"])
    for path in [later, last] {
      let diagnosis = try #require(host.diagnosis(path))
      #expect(diagnosis.code == .duplicateIdentifier)
      #expect(
        diagnosis.reason == "has the id org.example.empty, as \(holder) has, which was found first; remove one of the two")
    }
  }

  @Test("A file can be given directly, also without the suffix .so")
  func files() throws {
    let directory = try PluginDirectory()
    let path = try directory.write("plugin", PluginDirectory.library("healthy/empty.c"))
    let host = PluginHost(.init(files: [path, directory.directory.file("nowhere")]))
    host.discover()
    #expect(host.plugins.map(\.state.name) == ["admitted", "rejected"])
    #expect(host.plugins.last?.state.diagnosis?.reason == "does not exist; check the path")
  }
}
