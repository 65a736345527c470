// A host for the plugins in a directory. With CONTRACT it has a contract of that name for String. Prints, as JSON, the number of probes, and
// the states, the registrations and what filters by metadata find, before the plugins are opened and after.
import Foundation
import Synchronization
import TroupeHost

struct Shown: Encodable {
  let plugin, name, signature, lifetime: String
  let uuid, contract, location: String?
  let tags: [String]
  let metadata: [String: String]
  let isFunction, isCallableFromAnyThread: Bool

  init(_ registration: RegistrationDescription) {
    (plugin, name, signature) = (registration.plugin, registration.name, registration.signature)
    (lifetime, uuid) = ("\(registration.lifetime)", registration.uuid?.uuidString.lowercased())
    (contract, location, tags) = (registration.contract, registration.location, registration.tags)
    (metadata, isFunction) = (registration.metadata, registration.isFunction)
    isCallableFromAnyThread = registration.isCallableFromAnyThread
  }
}

struct Phase: Encodable {
  let states: [String]
  let registrations: [Shown]
  /// The number of keys that each filter finds.
  let found: [String: Int]

  init(_ host: PluginHost) {
    states = host.plugins.map(\.state.name)
    registrations = host.registrations.map(Shown.init)
    func count<T>(_ type: T.Type, _ unit: String) -> Int {
      host.container.filter(type) { (metadata: [String: String]) in metadata["unit"] == unit }.count
    }
    found = [
      "prefix": count((any Transform).self, "byte"), "width": count(String.self, "m"), "box": count(ForeignInstance.self, "pc"),
      "area": count(ForeignFunction.self, "m2"), "hypot": count(ForeignFunction.self, "m"),
      "wide": host.container.filter(String.self) { (width: Double) in width > 4 }.count,
    ]
  }
}

struct Report: Encodable {
  let probes: Int
  let phases: [Phase]
}

let environment = ProcessInfo.processInfo.environment
let probes = Mutex(0)
var options = PluginHost.Options(directories: [CommandLine.arguments[1]])
if let name = environment["CONTRACT"] { options.contracts = [Contract(name, String.self, minimumTableSize: nil) { _ in "" }] }
options.progress = { progress in probes.withLock { $0 = progress.count } }
let host = PluginHost(options)
await host.start()
var phases = [Phase(host)]
for tag in ["width", "area", "hypot"] { _ = try host.resolve(tags: [tag]) }
_ = try host.resolve(tags: ["box"], arguments: .values([.integer(3)]))
phases.append(Phase(host))
print(String(decoding: try JSONEncoder().encode(Report(probes: probes.withLock { $0 }, phases: phases)), as: UTF8.self))
host.shutdown()
