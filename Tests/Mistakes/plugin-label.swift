import Troupe

func register(in registrar: any Registrar) {
  registrar.register(id: "5e1f0002-0000-4000-8000-000000000001", name: "person", tags: "people") {
    (_: any Resolver, name: String) in
    // error: incorrect argument label
    Person(nmae: name)
  }
}
