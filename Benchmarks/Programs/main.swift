import TroupeHost

// The same as Tests/Fixtures/host-api/small.c.
let host = PluginHost(directories: [CommandLine.arguments[1]])
await host.start()
for plugin in host.plugins { print(plugin.path, plugin.state.name) }
if let area = host.functions("area").first { print(try host.function(area).call([.double(3), .double(4.5)])) }
