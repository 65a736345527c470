import Foundation
import TestSupport
import Testing
import TroupeHost

@Suite("Images of retired plugins", .inProcess)
struct MappedImageTests {
  @Test(
    "The destructor of a thread key runs when a thread ends after its plugin was retired", arguments: [false, true])
  func threadKey(unloads: Bool) async throws {
    await #expect(processExitsWith: .success) { [unloads = unloads as Bool] in
      let directory = try PluginDirectory()
      let path = try directory.add("healthy/thread-key.c")
      let host = directory.host(unloads: unloads)
      try host.load()
      let (called, retired) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      let thread = JoinableThread {
        do { #expect(try host.call("enter") == .integer(1)) } catch { Issue.record(error) }
        called.signal()
        retired.wait()
      }
      called.wait()
      host.shutdown()
      #expect(host.states == ["thread-key.so retired"])
      #expect(try isMapped(path))
      retired.signal()
      thread.join()
      // The entry of the second host runs in the same image.
      let other = directory.host(unloads: unloads)
      try other.load()
      #expect(try other.call("enter") == .integer(1))
    }
  }

  @Test(
    "On request an image is unmapped only without functions that start threads, make keys, install handlers or open libraries",
    arguments: [
      ("", nil), ("atexit(end);", nil), ("pthread_key_create(&key, NULL);", "pthread_key_create"),
      ("pthread_create(&thread, NULL, run, NULL);", "pthread_create"), ("signal(SIGUSR1, handle);", "signal"),
      ("dlopen(NULL, RTLD_NOW);", "dlopen"),
    ])
  func causes(statement: String, symbol: String?) throws {
    let directory = try PluginDirectory()
    let path = try directory.add("healthy/remaining-code.c", as: "cause", ["STATEMENT": statement])
    let log = LogLines(from: .debug)
    let host = directory.host(log: log, unloads: true)
    try host.load()
    host.shutdown()
    #expect(host.plugins.first?.staysMapped == (symbol != nil))
    #expect(try isMapped(path) == (symbol != nil))
    let reasons = log.all.filter { $0.contains("stays in memory") }
    #expect(reasons == (symbol.map { ["debug org.example.cause: stays in memory once it is retired: it uses \($0)"] } ?? []))
  }

  @Test("On request an image stays mapped if a library that it needs starts threads")
  func neededLibrary() throws {
    let directory = try PluginDirectory()
    let path = try directory.add("healthy/numbered.c", options: ["-Wl,--no-as-needed", "-lgomp"])
    let log = LogLines(from: .debug)
    let host = directory.host(log: log, unloads: true)
    try host.load()
    #expect(try host.call("number") == .integer(1))
    host.shutdown()
    #expect(host.plugins.first?.staysMapped == true)
    #expect(try isMapped(path))
    #expect(log.all.contains { $0.contains("libgomp.so.1, which uses ") })
  }

  @Test("A file that is overwritten in place after its plugin was retired is loaded with its new content")
  func overwritten() async throws {
    await #expect(processExitsWith: .success) {
      let plugin = try VersionedPlugin()
      let host = plugin.directory.host()
      await host.start()
      #expect(try host.number == .integer(1))
      try host.retire("org.example.versioned")
      let file = try FileHandle(forWritingTo: URL(filePath: plugin.path))
      let library = try VersionedPlugin.library(number: 2)
      try file.write(contentsOf: Data(library))
      try file.truncate(atOffset: UInt64(library.count))
      try file.close()
      #expect(await host.refresh())
      #expect(try host.number == .integer(2))
      // The destructors of the overwritten image must not run.
      _exit(EXIT_SUCCESS)
    }
  }
}
