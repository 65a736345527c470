import Troupe

// Overflows an integer in its entry.
@Plugin(id: "org.example.arithmetic-overflow", version: "1.0.0")
struct ArithmeticOverflowPlugin: Assembly {
  func register(in registrar: any Registrar) {
    var number = Int8(truncatingIfNeeded: registrar.plugin.id.utf8.count)
    for _ in 0..<200 { number += 1 }
    print(number)
  }
}
