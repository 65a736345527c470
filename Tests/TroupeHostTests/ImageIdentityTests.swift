import Foundation
import TestSupport
import Testing

@testable import TroupeFiles
@testable import TroupeHost
@testable import TroupeSandbox

@Suite("Images of plugins")
struct ImageIdentityTests {
  /// A host that opens all plugins in this process.
  private static func host(_ directory: PluginDirectory, opensCopies: Bool = false) -> PluginHost {
    var options = directory.options()
    options.opensCopies = opensCopies
    return PluginHost(options)
  }

  @Test("A plugin is rejected if its path is the SONAME of an open library", .inProcess)
  func soname() throws {
    let directory = try PluginDirectory()
    let victim = directory.directory.file("b.so")
    try directory.add(
      "healthy/stage.c", as: "a", ["ID": "org.example.a".quoted, "UUID": "57a6e000-0000-4000-8000-00000000000a".quoted],
      options: ["-Wl,-soname,\(victim)"])
    try directory.add("healthy/stage.c", as: "b", ["ID": "org.example.b".quoted])
    let host = Self.host(directory)
    try host.load()
    #expect(host.plugins.map(\.state.name) == ["loaded", "rejected"])
    let diagnosis = try #require(host.diagnosis(victim))
    #expect(diagnosis.code == .notLoadable)
    #expect(diagnosis.problem.contains(directory.directory.file("a.so")))
  }

  @Test(
    "Several hosts can load the same file, as one image or as copies", arguments: [false, true])
  func several(opensCopies: Bool) throws {
    let directory = try PluginDirectory()
    try directory.add("healthy/boxes.c")
    let hosts = (0..<3).map { _ in Self.host(directory, opensCopies: opensCopies) }
    for host in hosts {
      try host.load()
      #expect(host.plugins.map(\.state.name) == ["loaded"])
    }
  }

  @Test("A file that replaces one that the process opened with dlopen is rejected", .inProcess)
  func replaced() throws {
    let directory = try PluginDirectory()
    let plugin = try directory.add("healthy/stage.c", ["ID": "org.example.old".quoted])
    let handle = try #require(dlopen(plugin, RTLD_NOW | RTLD_LOCAL))
    defer { dlclose(handle) }
    let new = try directory.add("healthy/stage.c", as: "new", ["ID": "org.example.new".quoted])
    #expect(rename(new, plugin) == 0)
    let host = Self.host(directory)
    try host.load()
    #expect(host.diagnosis(plugin)?.code == .notLoadable)
  }

  @Test(
    "A file that replaces the examined one just before the loader opens it is rejected, unless it is moved away again",
    .inProcess)
  func exchanged() throws {
    for movesBack in [false, true] {
      let directory = try PluginDirectory()
      let plugin = try directory.add("healthy/stage.c", ["ID": "org.example.old".quoted])
      let elsewhere = try PluginDirectory()
      let new = try elsewhere.add("healthy/stage.c", as: "new", ["ID": "org.example.new".quoted])
      var options = directory.options()
      options.stepObserver = { step in
        guard step.step == .opening else { return }
        for _ in 0..<(movesBack ? 2 : 1) {
          rename(plugin, new + ".old")
          rename(new, plugin)
          rename(new + ".old", new)
        }
      }
      let host = PluginHost(options)
      try host.load()
      if movesBack {
        // The image is that of the examined file.
        #expect(host.plugins.map(\.state.name) == ["loaded"])
      } else {
        #expect(host.diagnosis(plugin)?.code == .notLoadable)
      }
    }
  }
}
