import TroupeContainer

func register(in c: Container) {
  c.register(weak: Person(name: "Ann"))  // error: class type
}
