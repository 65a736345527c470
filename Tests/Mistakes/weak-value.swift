import TroupeContainer

func register(in c: Container) {
  // error: class type
  c.register(weak: Person(name: "Ann"))
}
