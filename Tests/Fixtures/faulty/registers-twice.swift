import Troupe

// Registers a factory twice under one UUID, type and set of tags.
@Plugin(id: "org.example.registers-twice-in-swift", version: "1.0.0")
struct RegistersTwicePlugin: Assembly {
  func register(in registrar: any Registrar) {
    for number in 1...2 {
      registrar.register(Int.self, id: "0b0e7c70-6f0a-4e53-9a51-5e2e6a3d0f03", name: "one", tags: "number") { _ in number }
    }
  }
}
