import TroupeContainer

func register(in c: Container) {
  c.register(Person.self) { (r: any Resolver, name: String, age: Int) in
    // error: extra argument 'age'
    Person(name: name, age: age)
  }
}
