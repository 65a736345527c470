import Greetings
import Troupe

/// Only calls the shared protocol: makes one text of the greetings of all plugins.
@Plugin(id: "org.example.chorus", version: "1.0.0")
struct ChorusPlugin: Assembly {
  func register(in registrar: any Registrar) {
    registrar.register(String.self, id: "5b8c9d0e-2f61-4a7b-8c3d-9e4f5a6b7c80", name: "chorus", tags: "chorus") { resolver in
      let greeters: [any Greeter] = try resolver.resolve(tags: "greeter")
      return greeters.map { $0.greet(Person(name: "all")) }.joined(separator: ", ")
    }
  }
}
