import Troupe

// Uses all additions of the grown interface, also on the transforms of older plugins, which do not implement them.
@Plugin(id: "org.example.later", version: "1.0.0")
struct LaterPlugin: Assembly {
  func register(in registrar: any Registrar) {
    let assembly: any Assembly = self
    let members = [registrar.addedToRegistrar, assembly.addedToAssembly, registrar.plugin.addedToPluginContext]
    registrar.register(Int8.self, addedInALaterVersion: 6)
    registrar.register(String.self, id: "c0a7f3de-55a1-4f0e-9d3c-0d5a6a3d0f01", name: "later", tags: "later") { resolver in
      let transforms: [any Transform] = try resolver.resolve(tags: "text")
      let resolved = try [Int(resolver.resolve(Int8.self)), resolver.resolve(Int.self, addedInALaterVersion: 7)]
      return "\(members) \(resolver.addedToResolver) \(resolved) \(transforms.map(\.addedToTransform))"
    }
  }
}
