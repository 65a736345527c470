import Troupe

// Calls fatalError in its entry.
@Plugin(id: "org.example.fatal-error", version: "1.0.0")
struct FatalErrorPlugin: Assembly {
  func register(in registrar: any Registrar) {
    fatalError("there is no way on")
  }
}
