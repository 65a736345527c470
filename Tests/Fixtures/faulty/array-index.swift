import Troupe

// Reads after the end of an array in its entry.
@Plugin(id: "org.example.array-index", version: "1.0.0")
struct ArrayIndexPlugin: Assembly {
  func register(in registrar: any Registrar) {
    let numbers = Array(registrar.plugin.id.utf8)
    print(numbers[numbers.count + 4])
  }
}
