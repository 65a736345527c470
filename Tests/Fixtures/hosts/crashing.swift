// Feeds an input to the transform with the tag "trap", and reports crashes: crashing DIRECTORY INPUT. Prints the plugins first. With the
// input "own", the output of the transform crashes, which is the program's.
import TroupeHost

final class Output: TransformOutput {
  let isCrashing: Bool
  init(isCrashing: Bool) { self.isCrashing = isCrashing }
  func write(_ bytes: Span<UInt8>) throws {
    precondition(!isCrashing, "the program's own")
    print("\(bytes.count) bytes")
  }
}

let input = CommandLine.arguments[2]
var options = PluginHost.Options(directories: [CommandLine.arguments[1]])
options.reportsCrashes = true
let host = PluginHost(options)
await host.start()
for plugin in host.plugins { print(plugin.manifest?.id ?? plugin.path, plugin.state.name) }
if let transform = try host.container.resolve((any Transform)?.self, tags: "trap") as (any Transform)? {
  try transform.feed(Array(input.utf8).span, to: Output(isCrashing: input == "own"))
}
