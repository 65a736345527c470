import Troupe

// Unwraps nil in its entry.
@Plugin(id: "org.example.unwrapping-nil", version: "1.0.0")
struct UnwrappingNilPlugin: Assembly {
  func register(in registrar: any Registrar) {
    // swift-format-ignore
    print(registrar.plugin.configuration("nothing")!)
  }
}
