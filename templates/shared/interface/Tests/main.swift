import Glibc
import @NAME@

/// A client that implements the protocol and calls it, as plugins and programs do.
struct Polite: Greeter {
  func greet(_ person: Person) -> String { "Good day, \(person.name)" }
}

let greeter: any Greeter = Polite()
let greeting = greeter.greet(Person(name: "Ann"))
print(greeting)
if greeting != "Good day, Ann" {
  print("expected \"Good day, Ann\"")
  exit(1)
}
