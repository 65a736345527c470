import Foundation
import TestSupport
import Testing
import TroupeContainer
import TroupeHost

@Suite("Registrations of plugins")
struct RegistrationTests {
  /// A host that opens its plugins at their first use.
  private func lazyHost(_ directory: PluginDirectory) -> PluginHost {
    var options = directory.options()
    (options.loading, options.probing) = (.lazy, .newContent)
    options.cacheDirectory = directory.directory.file("cache")
    return PluginHost(options)
  }

  @Test("Texts of a registration in C are metadata of its entry, before its plugin is open and after")
  func metadata() async throws {
    let directory = try PluginDirectory()
    try directory.add("healthy/stage.c", ["MARK": "b".quoted])
    try directory.add("host-api/plugins/values.c")
    let host = lazyHost(directory)
    await host.start()
    func find<T>(_ type: T.Type, _ texts: [String: String]) -> Int {
      host.container.filter(type) { (metadata: [String: String]) in metadata == texts }.count
    }
    // Only the worker of a new plugin shows what it registers, so that the host starts it at once.
    for state in PluginDirectory.isolates ? [PluginState.active] : [.admitted, .active] {
      #expect(host.plugins.map(\.state) == [state, state])
      #expect(find((any Transform).self, ["mark": "b"]) == 1)
      #expect(find((any Transform).self, ["mark": "a"]) == 0)
      let functions = host.registrations.filter(\.isFunction).count
      #expect(functions > 0 && find(ForeignFunction.self, ["unit": "m2"]) == functions)
      #expect(find(Value.self, ["unit": "m2"]) == functions)
      _ = try host.call("nothing")
      _ = try await host.resolve(tags: ["text"])
    }
    host.shutdown()
  }
}
