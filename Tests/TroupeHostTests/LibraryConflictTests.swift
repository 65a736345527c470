import Foundation
import TestSupport
import Testing
import TroupeHost

@Suite("Libraries of one name that plugins bring", .inProcess)
struct LibraryConflictTests {
  /// A directory with plugins that each link a library of their own, and a name for the libraries that no other test uses.
  private struct Plugins {
    let directory: PluginDirectory
    let soname: String
    /// The options of the linker for the run path, with `DIR` for the directory of the library.
    var runPath = "-Wl,-rpath,DIR"

    init() throws {
      directory = try PluginDirectory()
      soname = "libdep-\(UUID().uuidString.prefix(8)).so.1"
    }

    /// Writes a library into a directory of its own. Returns its path.
    @discardableResult
    func addLibrary(_ subdirectory: String, _ number: Int, _ options: [String] = [], name: String? = nil) throws -> String {
      let name = name ?? soname
      let path = try directory.makeDirectory(subdirectory) + "/" + name
      // Another file, as an installer makes it.
      try Repo.compile(
        [Repo.fixture("healthy/beside-library.c")], to: path + ".new",
        options: ["-DNUMBER=\(number)", "-Wl,-soname,\(name)"] + options)
      try #require(rename(path + ".new", path) == 0)
      return path
    }

    /// Writes a plugin that links the library of a directory. Returns its path.
    @discardableResult
    func addPlugin(
      _ name: String, linking subdirectory: String, version: String = "1.0.0", suffix: String? = nil, _ options: [String] = []
    ) throws -> String {
      let path = directory.directory.file(name + ".so")
      let subdirectory = directory.directory.file(subdirectory)
      try Repo.compile(
        [Repo.fixture("healthy/beside.c")], to: directory.directory.file(name + ".new"),
        options: [
          "-DID=\("org.example.\(name)".quoted)", "-DSUFFIX=\((suffix ?? "0" + name).quoted)", "-DVERSION=\(version.quoted)",
          "-L", subdirectory, "-l:" + soname, runPath.replacing("DIR", with: subdirectory),
        ] + options)
      try #require(rename(directory.directory.file(name + ".new"), path) == 0)
      return path
    }

    func number(_ host: PluginHost, of plugin: String) throws -> Value {
      let function = try #require(host.functions("beside").first { $0.plugin == "org.example.\(plugin)" }, "\(host.plugins)")
      return try host.function(function).call([])
    }
  }

  @Test(
    "The second of two plugins that bring different libraries is rejected with both files and the remedy, and the first works",
    arguments: ["-Wl,-rpath,DIR", "-Wl,--disable-new-dtags,-rpath,DIR"], [false, true])
  func different(runPath: String, opensCopies: Bool) throws {
    var plugins = try Plugins()
    plugins.runPath = runPath
    let (one, two) = (try plugins.addLibrary("one", 1), try plugins.addLibrary("two", 2))
    try plugins.addPlugin("a", linking: "one")
    let second = try plugins.addPlugin("b", linking: "two")
    var options = plugins.directory.options()
    options.opensCopies = opensCopies
    let host = PluginHost(options)
    try host.load()
    #expect(try plugins.number(host, of: "a") == .integer(1))
    let diagnosis = try #require(host.diagnosis(second))
    #expect(diagnosis.code == .conflictingLibrary)
    #expect(
      diagnosis.problem
        == "cannot be loaded: it needs \(plugins.soname) from \(two), and this process has another library of that name open, \(one)"
    )
    #expect(
      diagnosis.remedy == "link it with a library of another SONAME, or run it in a worker of its own (--isolate org.example.b)"
    )
  }

  @Test("Two copies of a library are no conflict, whether they have a build id or not", arguments: ["sha1", "none"])
  func same(buildID: String) throws {
    let plugins = try Plugins()
    let option = "-Wl,--build-id=\(buildID)"
    try plugins.addLibrary("one", 1, [option])
    try plugins.addLibrary("two", 1, [option])
    try plugins.addPlugin("a", linking: "one")
    try plugins.addPlugin("b", linking: "two")
    let host = plugins.directory.host()
    try host.load()
    #expect(host.states == ["a.so loaded", "b.so loaded"], "\(host.plugins)")
    #expect(try plugins.number(host, of: "b") == .integer(1))
  }

  @Test("A conflict in a library that another library needs rejects the plugin")
  func transitive() throws {
    let inner = try Plugins()
    let plugins = try Plugins()
    for (subdirectory, number) in [("one", 1), ("two", 2)] {
      let directory = plugins.directory.directory.file(subdirectory)
      try plugins.addLibrary(subdirectory, number, ["-DNAME=inner"], name: inner.soname)
      try plugins.addLibrary(
        subdirectory, 0, ["-DINNER=inner", "-L", directory, "-l:" + inner.soname, "-Wl,-rpath,$ORIGIN"],
        name: "\(subdirectory)-\(plugins.soname)")
    }
    for (name, subdirectory) in [("a", "one"), ("b", "two")] {
      let directory = plugins.directory.directory.file(subdirectory)
      try Repo.compile(
        [Repo.fixture("healthy/beside.c")], to: plugins.directory.directory.file(name + ".so"),
        options: [
          "-DID=\("org.example.\(name)".quoted)", "-DSUFFIX=\(("0" + name).quoted)", "-L", directory,
          "-l:\(subdirectory)-\(plugins.soname)", "-Wl,-rpath,$ORIGIN/\(subdirectory),--allow-shlib-undefined",
        ])
    }
    let host = plugins.directory.host()
    try host.load()
    #expect(try plugins.number(host, of: "a") == .integer(1))
    #expect(host.plugins.last?.state.diagnosis?.code == .conflictingLibrary)
    #expect(host.plugins.last?.state.diagnosis?.problem.contains(inner.soname) == true)
  }

  @Test("Plugins that need libraries of the system are never in conflict")
  func system() throws {
    let directory = try PluginDirectory()
    for name in ["a", "b"] {
      try directory.add(
        "healthy/numbered.c", as: name, ["ID": "org.example.\(name)".quoted, "NUMBER": name == "a" ? "1" : "2"],
        options: ["-Wl,--no-as-needed", "-lgomp", "-lm", "-ldl"])
    }
    let host = directory.host()
    try host.load()
    #expect(host.plugins.allSatisfy { $0.state.diagnosis?.code != .conflictingLibrary }, "\(host.plugins)")
    #expect(host.states.first == "a.so loaded")
  }

  @Test("A reload that brings a changed library is refused, and the old version works on")
  func reloaded() async throws {
    let plugins = try Plugins()
    try plugins.addLibrary("one", 1)
    try plugins.addPlugin("a", linking: "one")
    let host = plugins.directory.host()
    await host.start()
    #expect(try plugins.number(host, of: "a") == .integer(1))
    let library = try plugins.addLibrary("one", 2)
    try plugins.addPlugin("a", linking: "one", version: "1.1.0")
    let diagnosis = await #expect(throws: Diagnosis.self) { try await host.reload("org.example.a") }
    #expect(diagnosis?.code == .conflictingLibrary)
    #expect(
      diagnosis?.problem
        == "cannot be loaded: it needs the new \(library), and this process has the file open that was there before")
    #expect(diagnosis?.remedy.contains("restart the program") == true)
    #expect(try plugins.number(host, of: "a") == .integer(1))
    // The old library again, as a new file.
    try plugins.addLibrary("one", 1)
    #expect(try await host.reload("org.example.a"))
    #expect(host.plugins.first?.manifest?.version.description == "1.1.0")
    #expect(try plugins.number(host, of: "a") == .integer(1))
  }

  @Test("A changed library is used after the old image was unmapped on request")
  func unmapped() async throws {
    let plugins = try Plugins()
    try plugins.addLibrary("one", 1)
    try plugins.addPlugin("a", linking: "one")
    let host = plugins.directory.host(unloads: true)
    await host.start()
    #expect(try plugins.number(host, of: "a") == .integer(1))
    try host.retire("org.example.a")
    try plugins.addLibrary("one", 2)
    try plugins.addPlugin("a", linking: "one", version: "1.1.0")
    #expect(await host.refresh())
    #expect(try plugins.number(host, of: "a") == .integer(2))
  }

  @Test("An adopted library with a conflict is rejected, and works in a worker")
  func adopted() async throws {
    let plugins = try Plugins()
    try plugins.addLibrary("one", 1)
    try plugins.addLibrary("two", 2)
    try plugins.addPlugin("a", linking: "one")
    let two = plugins.directory.directory.file("two")
    try Repo.compile(
      [Repo.fixture("healthy/beside-library.c")], to: plugins.directory.directory.file("libouter.so"),
      options: ["-DNAME=outer", "-DINNER=beside", "-L", two, "-l:" + plugins.soname, "-Wl,-rpath,$ORIGIN/two"])
    let function = """
      {"uuid": "ad090000-0000-4000-8000-000000000777", "name": "outer", "symbol": "outer", "signature": "int (void)"}
      """
    let file = try plugins.directory.write(
      "z.troupe.json", AdoptionTests.text("./libouter.so", id: "org.example.outer", function).utf8)
    let host = plugins.directory.host()
    await host.start()
    #expect(host.diagnosis(file)?.code == .conflictingLibrary)

    var options = plugins.directory.options()
    options.isolations = ["org.example.outer": .worker(WorkerPolicy())]
    options.probeExecutable = Repo.products + "/troupe-probe"
    let isolating = PluginHost(options)
    await isolating.start()
    #expect(try isolating.call("outer") == .integer(2), "\(isolating.plugins)")
    #expect(try plugins.number(isolating, of: "a") == .integer(1))
  }

  @Test("In workers each plugin has its own library")
  func isolated() async throws {
    let plugins = try Plugins()
    for (subdirectory, name, number) in [("one", "a", 1), ("two", "b", 2)] {
      try plugins.addLibrary(subdirectory, number)
      try plugins.addPlugin(name, linking: subdirectory)
    }
    var options = plugins.directory.options()
    options.isolation = .worker(WorkerPolicy())
    options.probeExecutable = Repo.products + "/troupe-probe"
    let host = PluginHost(options)
    await host.start()
    #expect(try plugins.number(host, of: "a") == .integer(1))
    #expect(try plugins.number(host, of: "b") == .integer(2))
  }
}
