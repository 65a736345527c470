import TroupeContainer

func register(in c: Container) {
  c.register(Person.self) { (r: any Resolver, name: String, age: Int) in
    Person(name: name, age: age)  // error: extra argument 'age'
  }
}
