import Foundation
import TestSupport
import Testing
import TroupeHost

@Suite("A registrar after its entry") struct RegistrarTests {
  @Test("A registrar after the entry, on another thread, or NULL gives a status and registers nothing")
  func outOfTime() async throws {
    let directory = try PluginDirectory()
    try directory.add("faulty/late-registration.c")
    let log = LogLines()
    let host = directory.host(log: log)
    await host.start()
    #expect(host.states == ["late-registration.so active"])
    #expect(try host.call("on-thread") == .integer(7), "TROUPE_WRONG_THREAD")
    #expect(try host.call("late") == .integer(6), "TROUPE_TOO_LATE")
    #expect(try host.call("late-on-thread") == .integer(6), "TROUPE_TOO_LATE")
    #expect(try host.call("without-registrar") == .integer(2), "TROUPE_INVALID_ARGUMENT")
    #expect(host.registrations.map(\.name) == ["late", "on-thread", "late-on-thread", "without-registrar"])
    let late =
      "error org.example.late-registration: it registers after its entry has returned; register in troupe_plugin_main, or in register(in:)"
    #expect(
      log.texts == [
        "error org.example.late-registration: it registers on another thread than the one that runs its entry; register on the thread of the entry",
        late, late,
      ])
  }

  @Test("A registrar is valid while a function of the plugin is held")
  func afterShutdown() async throws {
    let directory = try PluginDirectory()
    try directory.add("faulty/late-registration.c")
    let host = directory.host()
    await host.start()
    let late = try host.function(try #require(host.functions("late").first))
    host.shutdown()
    #expect(try late() == .integer(6))
    #expect(host.registrations.isEmpty)
  }
}
