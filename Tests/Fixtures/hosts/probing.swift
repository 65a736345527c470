// A host whose plugins are probed by the executable that PROBE names, or by its own without PROBE. ANSWERS claims that the program
// answers probes. Prints the standard executable, and the name, the state and the code of each plugin.
import Foundation
import TroupeHost

let environment = ProcessInfo.processInfo.environment
print(PluginHost.standardProbeExecutable ?? "none")
var options = PluginHost.Options(directories: [CommandLine.arguments[1]])
options.probeLimits = ProbeLimits(deadline: .seconds(1), waiting: .seconds(30))
options.probeExecutable = environment["PROBE"]
options.answersProbes = environment["ANSWERS"] != nil
let host = PluginHost(options)
await host.start()
for plugin in host.plugins {
  print(URL(filePath: plugin.path).lastPathComponent, plugin.state.name, plugin.state.diagnosis?.code.rawValue ?? "none")
}
host.shutdown()
