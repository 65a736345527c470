import Greetings
import TroupeHost

let host = PluginHost(directories: [CommandLine.arguments[1]])
await host.start()
let greeters: [any Greeter] = try host.container.resolve(tags: "greeter")
for greeter in greeters { print(greeter.greet(Person(name: "Ann"))) }
let chorus: String = try host.container.resolve(tags: "chorus")
print(chorus)
host.shutdown()
