// A host for the plugins in a directory. With CONTRACT it has a contract of that name for String. Prints the number of probes, the names of
// the registrations with their contracts, and what filters by metadata find, before and after the plugins are opened.
import Foundation
import Synchronization
import TroupeHost

let environment = ProcessInfo.processInfo.environment
let probes = Mutex(0)
var options = PluginHost.Options(directories: [CommandLine.arguments[1]])
if let name = environment["CONTRACT"] { options.contracts = [Contract(name, String.self, minimumTableSize: nil) { _ in "" }] }
options.progress = { progress in probes.withLock { $0 = progress.count } }
let host = PluginHost(options)
await host.start()

func printRegistrations() {
  print(host.plugins.map(\.state.name).joined(separator: " "))
  print(host.registrations.map { "\($0.name): \($0.contract ?? "none")" }.sorted().joined(separator: ", "))
  let bytes = host.container.filter((any Transform).self) { (metadata: [String: String]) in metadata["unit"] == "byte" }
  let meters = host.container.filter(String.self) { (metadata: [String: String]) in metadata["unit"] == "m" }
  let widths = host.container.filter(String.self) { (width: Double) in width > 4 }
  print("byte \(bytes.count), m \(meters.count), wide \(widths.count)")
}

print("probes", probes.withLock { $0 })
printRegistrations()
_ = try await host.resolve(tags: ["width"], contract: environment["CONTRACT"])
printRegistrations()
host.shutdown()
