import @NAME@

/// A client that implements the protocol and calls it, as plugins and programs do.
struct Polite: Greeter {
  func greet(_ person: Person) -> String { "Good day, \(person.name)" }
}

let greeter: any Greeter = Polite()
print(greeter.greet(Person(name: "Ann")))
