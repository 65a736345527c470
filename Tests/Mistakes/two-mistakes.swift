import TroupeContainer

func register(in c: Container) {
  c.register(Service.self) { r in
    let database: Database = try r.resolve()
    database.open()  // error: has no member 'open'
    return Service(database: database)
  }
  c.register(Person.self) { _ in
    Person(nmae: "Ann")  // error: incorrect argument label
  }
}
