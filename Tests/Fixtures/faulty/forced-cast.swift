import Troupe

// Casts a value to a wrong type in its entry.
@Plugin(id: "org.example.forced-cast", version: "1.0.0")
struct ForcedCastPlugin: Assembly {
  func register(in registrar: any Registrar) {
    let id: Any = registrar.plugin.id
    // swift-format-ignore
    print(id as! Int)
  }
}
